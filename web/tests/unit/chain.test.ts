import { describe, expect, it } from "vitest";
import { checkEntry, type CheckedEntry, type RawEntry } from "../../src/proof/chain";
import { digest } from "../../src/proof/digest";
import { browserVerifier, libraryVerifier, type Verifier } from "../../src/proof/signature";
import { flip, ledger } from "./fixtures";

async function faults(entries: RawEntry[], signer: string, by?: Verifier): Promise<(string | null)[]> {
  let before: CheckedEntry | null = null;
  const found: (string | null)[] = [];
  for (const entry of entries) {
    before = await checkEntry(entry, before, signer, by);
    found.push(before.fault);
  }
  return found;
}

describe.each([
  ["browser", browserVerifier],
  ["library", libraryVerifier],
] as const)("Ed25519 of the %s", (_, by) => {
  it("finds no fault in the program's ledger", async () => {
    const { entries, signer } = ledger();
    expect(entries.length).toBeGreaterThanOrEqual(6);
    expect((await faults(entries, signer, by)).every((fault) => fault === null)).toBe(true);
  });

  it.each(["body", "hash", "signature"] as const)("finds every changed digit of a %s", async (field) => {
    const { entries, signer } = ledger();
    const honest = await checkEntry(entries[0]!, null, signer, by);
    const entry = entries[1]!;
    for (let at = 0; at < entry[field].length; at += field === "body" ? 7 : 1) {
      const changed = { ...entry, [field]: flip(entry[field], at) };
      expect((await checkEntry(changed, honest, signer, by)).fault, `${field} at ${at}`).not.toBeNull();
    }
  });
});

// A forger without the key can recompute hashes, but no signature.
it("a rewritten body with its own hash has no signature", async () => {
  const { entries, signer } = ledger();
  const body = entries[0]!.body.replace('"graphs":40', '"graphs":41');
  const forged = { ...entries[0]!, body, hash: digest(["unscatter ledger 1", body]) };
  expect(body).not.toBe(entries[0]!.body);
  expect((await checkEntry(forged, null, signer)).fault).toMatch(/signature/);
});

it.each([
  ["the order of two entries", (e: RawEntry[]) => [e[0]!, e[2]!, e[1]!, ...e.slice(3)]],
  ["a missing entry", (e: RawEntry[]) => [e[0]!, ...e.slice(2)]],
  ["a missing beginning", (e: RawEntry[]) => e.slice(1)],
  ["a doubled entry", (e: RawEntry[]) => [e[0]!, e[0]!, ...e.slice(1)]],
  ["another number beside the body", (e: RawEntry[]) => [{ ...e[0]!, sequence: 1 }, ...e.slice(1)]],
  ["another kind beside the body", (e: RawEntry[]) => [e[0]!, { ...e[1]!, kind: "released" }, ...e.slice(2)]],
  ["another time beside the body", (e: RawEntry[]) => [e[0]!, { ...e[1]!, time: e[0]!.time.replace("2", "3") }]],
])("notices %s", async (_, change) => {
  const { entries, signer } = ledger();
  expect((await faults(change(entries), signer)).some((fault) => fault !== null)).toBe(true);
});

it("another key signs none of it", async () => {
  const { entries, signer } = ledger();
  expect((await faults(entries, flip(signer, 3))).every((fault) => fault !== null)).toBe(true);
});
