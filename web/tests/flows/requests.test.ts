// What an operator does every day: find requests, approve, refuse, cancel, extend.
import { beforeAll, expect, inject, it } from "vitest";
import { api, setPolicy, someSubject, submit } from "../service/api";
import { signedIn, useBrowser } from "../service/browser";

useBrowser();
beforeAll(() => setPolicy({ verify: true }));

it("approving queues a request, and it is done", async () => {
  const { id, number } = await submit({ forget: "subject", id: await someSubject() });
  const { page } = await signedIn(`/requests/${id}`);
  await page.getByRole("heading", { name: `Request ${number}` }).waitFor();
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByRole("dialog").getByLabel("The person has shown who they are").check();
  await page.getByRole("dialog").getByRole("button", { name: "Approve" }).click();
  await page.getByText("The signature is right").waitFor();
  const timeline = page.locator(".timeline");
  for (const step of ["Received", "Approved: the person has shown who they are", "Queued", "Done"]) {
    await timeline.getByText(step).first().waitFor();
  }
});

it.each([
  ["Refuse", "The law demands that the data is kept", "Refused"],
  ["Cancel request", "The person has withdrawn it", "Cancelled"],
])("%s: with a reason, and the name is erased", async (button, reason, state) => {
  const subject = await someSubject();
  const { id } = await submit({ forget: "subject", id: subject });
  const { page } = await signedIn(`/requests/${id}`);
  await page.getByText(subject).first().waitFor();
  await page.getByRole("button", { name: button }).click();
  await page.getByRole("dialog").getByLabel(reason).check();
  await page.getByRole("dialog").getByRole("button", { name: button }).click();
  await page.locator(".badge", { hasText: state }).first().waitFor();
  expect(await page.locator("main").innerText()).not.toContain(subject);
  expect(await page.getByRole("button", { name: button }).count()).toBe(0);
});

it("the due date moves once, with a reason", async () => {
  const { id, due } = await submit({ forget: "subject", id: await someSubject() });
  const { page } = await signedIn(`/requests/${id}`);
  await page.getByRole("button", { name: "Extend" }).click();
  await page.getByRole("dialog").getByLabel("There are many requests").check();
  await page.getByRole("dialog").getByRole("button", { name: "Extend" }).click();
  await page.getByText("Due date moved").waitFor();
  await page.getByText(/moved once, from/).waitFor();
  expect(await page.getByRole("button", { name: "Extend" }).count()).toBe(0);
  const { data } = await api().GET("/v1/requests/{id}", { params: { path: { id } } });
  expect(Date.parse(data!.due)).toBeGreaterThan(Date.parse(due));
});

it("the table is searched, filtered and turned page by page", async () => {
  const subject = await someSubject();
  const wanted = await submit({ forget: "subject", id: subject });
  for (let i = 0; i < 26; ++i) await submit({ forget: "subject", id: await someSubject() });
  const { page } = await signedIn("/requests");
  const rows = page.locator("tbody tr");
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByText("Page 2").waitFor();
  await page.getByRole("button", { name: "Previous" }).click();
  await page.getByText("Page 1").waitFor();

  await page.getByLabel("Search").fill(subject);
  await expect.poll(() => rows.count()).toBeLessThan(25);
  expect(await rows.allInnerTexts()).toSatisfy((texts: string[]) => texts.every((text) => text.includes(subject)));
  await page.getByLabel("Search").fill(wanted.id.slice(0, 10));
  await expect.poll(() => rows.count()).toBe(1);

  await page.getByLabel("State").selectOption("done");
  await page.getByText("No request fits.").waitFor();
  await page.getByRole("button", { name: "Show all requests" }).click();
  await page.getByLabel("State").selectOption("received");
  await expect
    .poll(async () => new Set(await page.locator("tbody .badge").allInnerTexts()))
    .toEqual(new Set(["Received"]));
  await page.getByLabel("Overdue only").check();
  await page.getByText("No request fits.").waitFor();
});

it("a search never gets into the address", async () => {
  const { page, requests } = await signedIn("/requests");
  await page.getByLabel("Search").fill("somebody");
  await page.waitForRequest(/search=somebody/);
  expect(page.url()).toBe(`${inject("url")}/#/requests`);
  expect(requests.some((url) => url.includes("search=somebody"))).toBe(true);
});

it("a token that may only read sees no button that changes something", async () => {
  const { id } = await submit({ forget: "subject", id: await someSubject() });
  const { page } = await signedIn(`/requests/${id}`, { token: inject("reader") });
  await page.getByText("It waits until an operator has checked who asks.").waitFor();
  expect(await page.locator("main button:not([aria-label^=Copy])").count()).toBe(0);
  await page.getByRole("link", { name: "Overview", exact: true }).click();
  await page.getByRole("heading", { name: "Promise" }).waitFor();
  expect(await page.getByRole("button", { name: "Publish a model" }).count()).toBe(0);
});
