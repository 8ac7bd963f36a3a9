import { expect, it } from "vitest";
import { api, setPolicy, someSubject, submit } from "../service/api";
import { forgive, signedIn, useBrowser } from "../service/browser";

useBrowser();

it("what others do appears without a reload", async () => {
  await setPolicy({ verify: true });
  const { id } = await submit({ forget: "subject", id: await someSubject() });
  const { page } = await signedIn(`/requests/${id}`);
  await page.locator(".connection-live").waitFor();
  await page.locator(".badge", { hasText: "Received" }).waitFor();
  const { error } = await api().POST("/v1/requests/{id}/verify", { params: { path: { id } }, body: {} });
  expect(error).toBeUndefined();
  await page.locator(".badge", { hasText: "Done" }).waitFor();
});

it("a new request appears in the table and in the overview", async () => {
  const list = await signedIn("/requests");
  const overview = await signedIn("/");
  await list.page.locator(".connection-live").waitFor();
  await overview.page.locator(".connection-live").waitFor();
  const open = Number((await overview.page.locator(".figure strong").first().innerText()).replace(",", ""));
  const { id } = await submit({ forget: "subject", id: await someSubject() });
  await list.page.getByText(id.slice(0, 8)).waitFor();
  await overview.page.getByText(`${open + 1} open`).waitFor();
});

it("a lost connection is told, and mended by itself", async () => {
  const { page } = await signedIn("/");
  await page.locator(".connection-live").waitFor();
  await page.route("**/v1/events", (route) => route.fulfill({ status: 503, body: "" }));
  await page.reload();
  await page.getByText("No live updates").waitFor();
  await page.unroute("**/v1/events");
  await page.locator(".connection-live").waitFor();
  expect(forgive("503")).toBeGreaterThan(0);
});
