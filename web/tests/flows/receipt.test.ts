// From a request that is done to a stranger who checks its receipt.
import { readFileSync } from "node:fs";
import { beforeAll, expect, inject, it } from "vitest";
import { checkDocument } from "../../src/proof/document";
import { api, setPolicy, someSubject, submit, untilFinal } from "../service/api";
import { newPage, signedIn, useBrowser } from "../service/browser";
import { flip } from "../unit/fixtures";

useBrowser();
let done: { id: string; entry: number };
let key: string;

beforeAll(async () => {
  await setPolicy({ verify: false });
  const final = await untilFinal((await submit({ forget: "subject", id: await someSubject() })).id);
  done = { id: final.id, entry: final.entry! };
  key = (await api().GET("/v1/key")).data!.file;
});

async function download(): Promise<string> {
  const { page } = await signedIn(`/requests/${done.id}`);
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download the receipt" }).click(),
  ]);
  expect(file.suggestedFilename()).toBe(`receipt-${done.entry}.json`);
  return readFileSync(await file.path(), "utf8");
}

async function drop(content: string, publicKey: string) {
  const watched = await newPage();
  const { page } = watched;
  await page.goto(`${inject("url")}/#/check`);
  await page.getByRole("heading", { name: "Check a receipt" }).waitFor();
  await page.waitForLoadState("networkidle");
  const loaded = watched.requests.length;
  const file = { name: "receipt.json", mimeType: "application/json", buffer: Buffer.from(content) };
  await page.getByLabel("Receipt or published model").setInputFiles(file);
  await page.getByLabel("Public key", { exact: false }).first().fill(publicKey);
  const verdict = page.locator("[data-verdict]");
  await verdict.waitFor();
  return { page, verdict, sent: () => watched.requests.slice(loaded) };
}

it("the receipt that is downloaded is, byte for byte, the one that was signed", async () => {
  const file = await download();
  const served = await fetch(`${inject("url")}/v1/receipts/${done.entry}`, {
    headers: { Authorization: `Bearer ${inject("operator")}` },
  });
  expect(file).toBe(await served.text());
  expect((await checkDocument(file, key.trim().split(" ")[1]!)).verdict).toBe("signed");
});

it("anybody sees that it is right, and nothing is sent anywhere", async () => {
  const { page, verdict, sent } = await drop(await download(), key);
  await page.getByText("The signature is right").waitFor();
  expect(await verdict.getAttribute("data-verdict")).toBe("signed");
  expect(sent()).toEqual([]);
});

it("one changed digit, another key or no key are told", async () => {
  const file = await download();
  const changed = await drop(flip(file, file.indexOf('"data_after"') + 20), key);
  await changed.page.getByText("Do not rely on this file.").waitFor();
  const other = await drop(file, flip(key, key.length - 8));
  await other.page.getByText("The file names another key than the one that you gave.").waitFor();
  const none = await drop(file, "");
  await none.page.getByText("Anybody can make a key and sign with it.").waitFor();
  expect([...changed.sent(), ...other.sent(), ...none.sent()]).toEqual([]);
});

it("the page that checks needs no token and asks the service for the key only when told to", async () => {
  const { page, sent } = await drop(await download(), "");
  await page.getByText("Drop a key file, or ask this service").click();
  await page.getByRole("button", { name: "Use the key of this service" }).click();
  await page.getByText("The signature is right").waitFor();
  expect(sent()).toEqual([`${inject("url")}/v1/key`]);
});
