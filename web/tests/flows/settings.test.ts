import { expect, inject, it } from "vitest";
import { api, setPolicy } from "../service/api";
import { signedIn, useBrowser } from "../service/browser";

useBrowser();

it("the policy stands there in words, as the service has it", async () => {
  await setPolicy({ verify: true, days: 21, extension_days: 0, most_days: 45, keep_days: 400 });
  const { page } = await signedIn("/settings");
  await page.getByText("An operator checks who asks before a request is queued.").waitFor();
  await page.getByText("A request has to be done within 21 days.").waitFor();
  await page.getByText("A due date cannot be extended.").waitFor();
  await page.getByText("They are dropped after 400 days. The ledger stays.").waitFor();
  await setPolicy({ verify: false, days: 30, extension_days: 30, most_days: 60, keep_days: null });
  await page.reload();
  await page.getByText("Requests are queued at once. Nobody checks who asks.").waitFor();
  await page.getByText("A due date can be extended once, by 30 days, with a reason.").waitFor();
  await page.getByText("They are kept. Their names are erased.").waitFor();
});

it("webhooks stand there with what they hear of, and nothing can be changed", async () => {
  const url = "https://privacy.example/hook/settings";
  const { data } = await api().POST("/v1/webhooks", {
    body: { url, events: ["done", "already-absent"], active: false },
  });
  const { page } = await signedIn("/settings");
  const row = page.getByRole("row", { name: url });
  await row.waitFor();
  expect(await row.innerText()).toMatch(/already absent, done\s+off/);
  await page.getByText(/\d+ deliver(y waits|ies wait), \d+ (was|were) given up/).waitFor();
  expect(await page.locator("main").locator("input, select, button").count()).toBe(0);
  await api().DELETE("/v1/webhooks/{id}", { params: { path: { id: data!.id } } });
});

it("a token that may only read sees the policy and no webhooks", async () => {
  const { page } = await signedIn("/settings", { token: inject("reader") });
  await page.getByText("A request has to be done within").waitFor();
  await page.getByText("It takes a token with the scope “operate”").waitFor();
});
