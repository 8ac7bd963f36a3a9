// Errors that are hard to provoke: their answers are put in the place of the real ones.
import { expect, it } from "vitest";
import { forgive, signedIn, useBrowser } from "../service/browser";

useBrowser();

it("a problem document is shown with title, reason, waiting time and the place in the log", async () => {
  const { page } = await signedIn("/");
  await page.route("**/v1/requests?*", (route) =>
    route.fulfill({
      status: 503,
      headers: { "Content-Type": "application/problem+json", "Retry-After": "7" },
      json: { type: "about:blank", title: "Busy", status: 503, detail: "The disk is full.", instance: "urn:uuid:17" },
    }),
  );
  await page.getByRole("link", { name: "Requests", exact: true }).click();
  const alert = page.getByRole("alert");
  for (const words of ["Busy", "The disk is full.", "Try again in 7 s.", "urn:uuid:17"]) {
    await alert.getByText(words).waitFor();
  }
  await page.unroute("**/v1/requests?*");
  await alert.getByRole("button", { name: "Try again" }).click();
  await page.locator("tbody tr, .empty").first().waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
  expect(forgive("503")).toBeGreaterThan(0);
});

it.each([
  ["no answer", (route: import("playwright-core").Route) => route.abort(), "The service cannot be reached."],
  [
    "a page of a proxy",
    (route: import("playwright-core").Route) =>
      route.fulfill({ status: 502, contentType: "text/html", body: "<h1>Bad gateway</h1>" }),
    "It answered 502",
  ],
])("%s is told in words", async (_, answer, words) => {
  const { page } = await signedIn("/");
  await page.route("**/v1/status", answer);
  await page.reload();
  await page.getByText(words).waitFor();
  expect(forgive("Failed to load resource")).toBeGreaterThan(0);
});

it("an empty list says so", async () => {
  const { page } = await signedIn("/");
  await page.route("**/v1/requests?*", (route) => route.fulfill({ json: { requests: [], next: null } }));
  await page.getByRole("link", { name: "Requests", exact: true }).click();
  await page.getByText("Nobody has asked to be forgotten yet.").waitFor();
});

it("a workspace that takes no changes is announced", async () => {
  const { page } = await signedIn("/ledger");
  await page.route("**/v1/status", async (route) => {
    const json = { ...(await (await route.fetch()).json()), read_only: true, problem: "The file is an older copy." };
    await route.fulfill({ json });
  });
  await page.getByRole("link", { name: "Overview", exact: true }).click();
  await page.getByRole("alert").getByText("The file is an older copy.").waitFor();
});

it("an id that looks like markup stays text", async () => {
  const { page } = await signedIn("/");
  const name = "<img src=x onerror=alert(1)>";
  await page.route("**/v1/requests?*", async (route) => {
    const answer = await (await route.fetch()).json();
    answer.requests[0].request = { forget: "subject", id: name };
    await route.fulfill({ json: answer });
  });
  await page.getByRole("link", { name: "Requests", exact: true }).click();
  await page.getByText(name).first().waitFor();
  expect(await page.locator("tbody img").count()).toBe(0);
});
