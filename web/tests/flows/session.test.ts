import { expect, inject, it } from "vitest";
import { forgive, newPage, signedIn, useBrowser } from "../service/browser";

useBrowser();

it("a wrong token is refused in words, and the right one opens the page", async () => {
  const { page } = await newPage();
  await page.goto(inject("url"));
  await page.getByLabel("Token").fill("unscatter_0000000000000000_" + "0".repeat(64));
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").waitFor();
  // Chromium tells the console of every refusal.
  expect(forgive("401")).toBe(1);
  await page.getByLabel("Token").fill(inject("operator"));
  await page.getByLabel("Token").press("Enter");
  await page.getByRole("heading", { name: "Overview" }).waitFor();
});

it("the session outlives a reload, and no script can read the cookie or the token", async () => {
  const { page } = await signedIn("/ledger");
  await page.reload();
  await page.getByRole("heading", { name: "Ledger" }).waitFor();
  expect(await page.evaluate("document.cookie")).toBe("");
  const stored = await page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }])");
  expect(stored).not.toContain(inject("operator").split("_")[2]);
  const [cookie] = await page.context().cookies();
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict" });
});

it("signing out ends it for good", async () => {
  const { page } = await signedIn("/");
  const cookies = await page.context().cookies();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  // The old cookie, put back, opens nothing.
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  expect((await fetch(inject("url") + "/v1/status", { headers: { Cookie: cookie } })).status).toBe(401);
});

it("a session that ends elsewhere leads back to the same place", async () => {
  const { page } = await signedIn("/requests");
  await page.getByRole("heading", { name: "Requests", exact: true }).waitFor();
  await page.context().clearCookies();
  await page.getByRole("link", { name: "Ledger" }).click();
  await page.getByText("Your session has ended").waitFor();
  await page.getByLabel("Token").fill(inject("operator"));
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Ledger" }).waitFor();
  expect(forgive("401")).toBeGreaterThan(0);
});

it("without the CSRF token the cookie alone changes nothing", async () => {
  const { page } = await signedIn("/");
  const status = await page.evaluate(async () => {
    const headers = { "Content-Type": "application/json" };
    return (await fetch("/v1/releases", { method: "POST", body: "{}", headers })).status;
  });
  expect(status).toBe(403);
  expect(forgive("403")).toBe(1);
});
