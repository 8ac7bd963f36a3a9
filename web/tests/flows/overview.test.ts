import { expect, it } from "vitest";
import { api, setPolicy, someSubject, submit, untilFinal } from "../service/api";
import { signedIn, useBrowser } from "../service/browser";

useBrowser();

it("promise, models left, due date, removals and latency stand there as the service has them", async () => {
  await setPolicy({ verify: false });
  await untilFinal((await submit({ forget: "subject", id: await someSubject() })).id);
  await setPolicy({ verify: true });
  await submit({ forget: "subject", id: await someSubject() });
  const status = (await api().GET("/v1/status")).data!;
  const { page } = await signedIn("/");
  await page.getByText(status.promise).waitFor();
  await page.getByText(status.protects.slice(1)).first().waitFor();
  await page
    .getByText(`${status.models_left} left of`)
    .or(page.getByText(/left of 1,000/))
    .first()
    .waitFor();
  await page.getByText("Next due date:").waitFor();
  await page.getByRole("img", { name: /Requests per day: \d+ received and \d+ done/ }).waitFor();
  await page.getByRole("img", { name: /How long \d+ requests took/ }).waitFor();
  expect(await page.locator("canvas").count()).toBe(2);
  await page.locator("time").first().waitFor();
  const titles = await page.locator("time").evaluateAll((all) => all.map((one) => one.getAttribute("title")));
  for (const title of titles) expect(title).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
});

it("a model is published after a question, and counted", async () => {
  const before = (await api().GET("/v1/status")).data!;
  const { page } = await signedIn("/");
  await page.getByRole("button", { name: "Publish a model" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Publish" }).click();
  await page.getByText("Nothing was removed since the last one was published.").waitFor();
  const after = (await api().GET("/v1/status")).data!;
  expect(after.published).toBe(before.published + (before.model_is_current ? 0 : 1));
});

it("times are in the reader's zone", async () => {
  const { id, received } = await submit({ forget: "subject", id: await someSubject() });
  const { page } = await signedIn(`/requests/${id}`, { timezoneId: "Pacific/Kiritimati" });
  const shown = await page.locator(`time[datetime="${received}"]`).first().innerText();
  const zone = { timeZone: "Pacific/Kiritimati", dateStyle: "medium", timeStyle: "short" } as const;
  const loose = (words: string) => words.replace(/\s+/g, " ");
  expect(loose(shown)).toBe(loose(new Intl.DateTimeFormat("en-GB", zone).format(new Date(received))));
});
