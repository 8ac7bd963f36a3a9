// axe-core on every page, light and dark, wide and on a phone; no page is wider than the window.
import { beforeAll, describe, expect, inject, it } from "vitest";
import type { Page } from "playwright-core";
import { api, setPolicy, someSubject, submit, untilFinal } from "../service/api";
import { axeFaults, newPage, signedIn, useBrowser } from "../service/browser";
import { fixture } from "../unit/fixtures";

useBrowser();
let open = "";
let done = "";
let subject = "";

beforeAll(async () => {
  await setPolicy({ verify: false });
  done = (await untilFinal((await submit({ forget: "subject", id: await someSubject() })).id)).id;
  await setPolicy({ verify: true });
  await api().POST("/v1/webhooks", { body: { url: "https://tickets.example/hook", events: ["done"], active: false } });
  subject = await someSubject();
  open = (await submit({ forget: "subject", id: subject })).id;
});

const PAGES: [name: string, place: () => string, look: (page: Page) => Promise<void>][] = [
  ["overview", () => "/", (page) => page.locator("canvas").first().waitFor()],
  ["requests", () => "/requests", (page) => page.locator("tbody tr").first().waitFor()],
  ["open request", () => `/requests/${open}`, (page) => page.locator(".timeline").waitFor()],
  ["done request", () => `/requests/${done}`, (page) => page.getByText("The signature is right").waitFor()],
  ["ledger", () => "/ledger", (page) => page.getByText("the chain is good").waitFor()],
  ["settings", () => "/settings", (page) => page.getByText("https://tickets.example/hook").waitFor()],
  ["new request", () => "/requests/new", preview],
  ["a question", () => `/requests/${open}`, (page) => page.getByRole("button", { name: "Refuse" }).click()],
];

async function preview(page: Page): Promise<void> {
  await page.getByLabel("Subject", { exact: true }).last().fill(subject);
  await page.getByRole("button", { name: "Preview" }).click();
  await page
    .getByRole("img", { name: /^Before/ })
    .first()
    .waitFor();
}

async function expectGood(page: Page): Promise<void> {
  expect(await axeFaults(page)).toEqual([]);
  const { wide, room } = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth,
    room: document.documentElement.clientWidth,
  }));
  expect(wide).toBeLessThanOrEqual(room);
}

describe.each(["light", "dark"] as const)("%s", (colorScheme) => {
  it.each([1280, 375])("every page at %d pixels", async (width) => {
    const viewport = { width, height: 800 };
    const { page } = await signedIn("/", { colorScheme, viewport });
    for (const [, place, look] of PAGES) {
      await page.goto(`${inject("url")}/#${place()}`);
      await page.reload();
      await look(page);
      await expectGood(page);
    }
  });

  it.each([1280, 375])("sign in and the public page at %d pixels", async (width) => {
    const { page } = await newPage({ colorScheme, viewport: { width, height: 800 } });
    await page.goto(inject("url"));
    await page.getByLabel("Token").waitFor();
    await expectGood(page);
    await page.goto(`${inject("url")}/#/check`);
    const buffer = Buffer.from(fixture("receipt-subject.json"));
    const file = { name: "receipt.json", mimeType: "application/json", buffer };
    await page.getByLabel("Receipt or published model").setInputFiles(file);
    await page.locator("[data-verdict]").waitFor();
    await expectGood(page);
  });
});
