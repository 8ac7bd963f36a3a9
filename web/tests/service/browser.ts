// Debian's Chromium by Playwright.  Every page is watched: errors on the console, and requests to other places.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, inject } from "vitest";

export interface Watched {
  page: Page;
  errors: string[];
  requests: string[];
}

// UNSCATTER_SLOW_BROWSER=6 makes the browser six times slower, and its frames late.  It shows tests and pages that rely
// on speed.
const SLOWER = Number(process.env.UNSCATTER_SLOW_BROWSER ?? 1);

let browser: Browser;
let open: Watched[] = [];

// Installs the hooks of a file that uses the browser.
export function useBrowser(): void {
  beforeAll(async () => {
    // Chromium refuses its sandbox to root, who runs tests in containers.
    const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
    browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args });
  });
  afterAll(() => browser.close());
  afterEach(async () => {
    const watched = open;
    open = [];
    for (const { page } of watched) await page.context().close();
    const origin = inject("url");
    for (const { errors, requests } of watched) {
      expect(errors).toEqual([]);
      expect(requests.filter((url) => !url.startsWith(origin + "/") && !/^(blob|data):/.test(url))).toEqual([]);
    }
  });
}

export async function newPage(options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: "en-GB", ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  if (SLOWER > 1) await slowDown(page);
  const watched: Watched = { page, errors: [], requests: [] };
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") watched.errors.push(message.text());
  });
  page.on("pageerror", (error) => watched.errors.push(error.message));
  page.on("request", (request) => watched.requests.push(request.url()));
  open.push(watched);
  return watched;
}

async function slowDown(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
  await page.addInitScript(() => {
    const onTime = window.requestAnimationFrame.bind(window);
    window.requestAnimationFrame = (draw) => onTime(() => setTimeout(() => draw(performance.now()), 400));
  });
}

// A page of somebody who is signed in.  `place` stands behind the #.
export async function signedIn(
  place: string,
  options: BrowserContextOptions & { token?: string } = {},
): Promise<Watched> {
  const { token = inject("operator"), ...rest } = options;
  const watched = await newPage(rest);
  const { page } = watched;
  await page.goto(`${inject("url")}/#${place}`);
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("navigation", { name: "Pages", exact: true }).waitFor();
  return watched;
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// What axe-core finds wrong, one line per rule.
export async function axeFaults(page: Page): Promise<string[]> {
  await page.evaluate(axeSource);
  const result = await page.evaluate("axe.run()");
  const { violations } = result as { violations: { id: string; nodes: { target: string[] }[] }[] };
  return violations.map((fault) => `${fault.id}: ${fault.nodes.map((node) => node.target.join(" ")).join(", ")}`);
}

// Takes errors that a test has caused on purpose off the lists, and counts them.
export function forgive(words: string): number {
  let count = 0;
  for (const { errors } of open) {
    const left = errors.filter((error) => !error.includes(words));
    count += errors.length - left.length;
    errors.splice(0, errors.length, ...left);
  }
  return count;
}
