// Everything without a mouse, with the focus where a reader expects it.
import type { Page } from "playwright-core";
import { beforeAll, expect, inject, it } from "vitest";
import { setPolicy, someSubject, submit } from "../service/api";
import { forgive, newPage, signedIn, useBrowser } from "../service/browser";

useBrowser();
beforeAll(() => setPolicy({ verify: true }));

async function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement as HTMLElement;
    return element.getAttribute("aria-label") ?? (element.innerText || element.tagName);
  });
}

// Presses Tab until something of this name has the focus.
async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  for (let i = 0; i < 40; ++i) {
    await page.keyboard.press("Tab");
    const now = await focused(page);
    if (typeof name === "string" ? now === name : name.test(now)) return;
  }
  throw new Error(`Tab does not lead to ${name}`);
}

it("from signing in to a request that is sent", async () => {
  const { page } = await newPage();
  await page.goto(inject("url"));
  await page.getByLabel("Token").waitFor();
  await tabTo(page, "INPUT");
  await page.keyboard.type(inject("operator"));
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Overview" }).waitFor();
  await tabTo(page, "Requests");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Requests", exact: true }).waitFor();
  expect(await focused(page)).toBe("Requests");
  await tabTo(page, "New request");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "New request" }).waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.type(await someSubject());
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Preview" }).waitFor();
  expect(await focused(page)).toBe("Preview");
  await tabTo(page, "Send this request");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: /^Request \d+$/ }).waitFor();
});

it("a heading has the focus from the moment it is there", async () => {
  const { page } = await signedIn("/requests");
  await page.getByRole("heading", { name: "Requests", exact: true }).waitFor();
  // An observer is told right after the change, before the browser paints and before any key.
  await page.evaluate(() => {
    const focusedWith: string[] = [];
    const brings = (node: Node) => node instanceof Element && node.querySelector("h1, h2") !== null;
    new MutationObserver((changes) => {
      if (changes.some((change) => [...change.addedNodes].some(brings))) {
        focusedWith.push(document.activeElement!.textContent!);
      }
    }).observe(document.getElementById("content")!, { childList: true, subtree: true });
    Object.assign(window, { focusedWith });
  });
  await page.getByRole("link", { name: "New request" }).click();
  await page.getByRole("heading", { name: "New request" }).waitFor();
  await page.getByLabel("Subject", { exact: true }).fill(await someSubject());
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Preview" }).waitFor();
  expect(await page.evaluate("window.focusedWith")).toEqual(["New request", "Preview"]);
});

it("a question keeps the focus, Escape closes it, and the focus goes back", async () => {
  const { id } = await submit({ forget: "subject", id: await someSubject() });
  const { page } = await signedIn(`/requests/${id}`);
  await page.getByRole("button", { name: "Refuse" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor();
  expect(await page.evaluate("document.querySelector('dialog').contains(document.activeElement)")).toBe(true);
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(await focused(page)).toBe("Refuse");
});

it.each(["Approve", "Refuse", "Extend"])("%s: the button goes, and the focus stays in the page", async (button) => {
  const { id, number } = await submit({ forget: "subject", id: await someSubject() });
  const { page } = await signedIn(`/requests/${id}`);
  await page.getByRole("button", { name: button }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: button }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("button", { name: button }).waitFor({ state: "detached" });
  expect(await focused(page)).toBe(`Request ${number}`);
});

it("a button that empties the filters or tries again does not take the focus with it", async () => {
  const { page } = await signedIn("/requests");
  await page.getByLabel("Search").fill("nobody-of-this-name");
  await page.getByRole("button", { name: "Show all requests" }).focus();
  await page.keyboard.press("Enter");
  await page.locator("tbody tr").first().waitFor();
  expect(await focused(page)).toBe("Requests");
  await page.route("**/v1/ledger?*", (route) => route.fulfill({ status: 503, body: "" }));
  await page.getByRole("link", { name: "Ledger" }).click();
  await page.getByRole("button", { name: "Try again" }).focus();
  await page.unroute("**/v1/ledger?*");
  await page.keyboard.press("Enter");
  await page.getByText("the chain is good").waitFor();
  expect(await focused(page)).toBe("Ledger");
  expect(forgive("503")).toBeGreaterThan(0);
});

it("the skip link leads past the navigation and does not change the page", async () => {
  const { page } = await signedIn("/ledger");
  await page.getByText("the chain is good").waitFor();
  await page.reload();
  await page.getByText("the chain is good").waitFor();
  await page.keyboard.press("Tab");
  expect(await focused(page)).toBe("Skip to the content");
  await page.keyboard.press("Enter");
  expect(await page.evaluate("document.activeElement.id")).toBe("content");
  expect(page.url()).toMatch(/#\/ledger$/);
});
