// What the program wrote (tests/fixtures/make.py).
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { RawEntry } from "../../src/proof/chain";
import { readPublicKey } from "../../src/proof/document";

export function fixture(name: string): string {
  return readFileSync(fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url)), "utf8");
}

export const operatorKey = readPublicKey(fixture("operator.pub"))!;

export function ledger(): { entries: RawEntry[]; signer: string } {
  return JSON.parse(fixture("ledger.json"));
}

// The text with one character replaced by another of its kind.
export function flip(content: string, at: number): string {
  const old = content[at]!;
  return (
    content.slice(0, at) + (old === "0" ? "1" : old === "a" ? "b" : /\d/.test(old) ? "0" : "a") + content.slice(at + 1)
  );
}
