// The ledger in the browser, and what it says if the service or somebody between lies.
import type { Page } from "playwright-core";
import { beforeAll, expect, it } from "vitest";
import { api, setPolicy, someSubject, submit, untilFinal, type Schemas } from "../service/api";
import { signedIn, useBrowser } from "../service/browser";
import { flip } from "../unit/fixtures";

useBrowser();
beforeAll(async () => {
  await setPolicy({ verify: false });
  await untilFinal((await submit({ forget: "subject", id: await someSubject() })).id);
});

// The answers of the real service, changed on their way.
async function lie(page: Page, change: (answer: Schemas["LedgerPage"]) => void): Promise<void> {
  await page.route("**/v1/ledger?*", async (route) => {
    const response = await route.fetch();
    const answer = await response.json();
    change(answer);
    await route.fulfill({ response, json: answer });
  });
}

it("every entry is checked here", async () => {
  const total = (await api().GET("/v1/ledger")).data!.total;
  const { page } = await signedIn("/ledger");
  await page.getByText(`${total} entries checked in this browser: the chain is good`).waitFor();
  expect(await page.getByText("good", { exact: true }).count()).toBe(Math.min(total, 25));
});

it.each<[string, (answer: Schemas["LedgerPage"]) => void]>([
  ["a digit of a body", ({ entries }) => void (entries[1]!.body = flip(entries[1]!.body, 40))],
  ["a signature", ({ entries }) => void (entries[1]!.signature = flip(entries[1]!.signature, 4))],
  ["an entry that is left out", (answer) => void answer.entries.splice(1, 1)],
  ["a kind in other words", ({ entries }) => void (entries[1]!.kind = "added")],
])("%s: the page says so", async (_, change) => {
  const { page } = await signedIn("/");
  await lie(page, change);
  await page.getByRole("link", { name: "Ledger" }).click();
  await page.getByText("The ledger is not good").waitFor();
  await page.locator(".row-bad").waitFor();
});

it("a ledger that was good before and is shorter now is noticed", async () => {
  const { page } = await signedIn("/ledger");
  await page.getByText("the chain is good").waitFor();
  await lie(page, (answer) => {
    answer.entries.pop();
    answer.total -= 1;
  });
  await page.reload();
  await page.getByText(/an older copy was put back/).waitFor();
});

it("another key than before is noticed, and can be accepted on purpose", async () => {
  const { page } = await signedIn("/ledger");
  await page.getByText("the chain is good").waitFor();
  await page.evaluate(() => {
    const seen = JSON.parse(localStorage.getItem("unscatter.ledger-seen")!);
    localStorage.setItem("unscatter.ledger-seen", JSON.stringify({ ...seen, signer: "0".repeat(64) }));
  });
  await page.reload();
  await page.getByText("The service now names another key than the one seen before.").waitFor();
  await page.getByRole("button", { name: "Forget what this browser has seen" }).click();
  await page.getByText("the chain is good").waitFor();
});

it("the library checks where the browser has no Ed25519", async () => {
  const { page } = await signedIn("/");
  await page.addInitScript(() => {
    crypto.subtle.importKey = () => Promise.reject(new DOMException("not here", "NotSupportedError"));
  });
  await page.reload();
  await page.getByRole("link", { name: "Ledger" }).click();
  await page.getByText("the chain is good").waitFor();
});
