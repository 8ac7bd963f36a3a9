// The walk over the pages of a ledger, with a service that lies.
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { LedgerCheck } from "../../src/ledger/check_ledger";
import type { Seen } from "../../src/ledger/trust";
import type { RawEntry } from "../../src/proof/chain";
import { flip, ledger } from "./fixtures";

interface Lie {
  entries?: (entries: RawEntry[]) => RawEntry[];
  total?: number;
  signer?: string;
  next?: (after: number) => number | null;
}

const honest = ledger();
const head = honest.entries.at(-1)!;

// Two entries per page.
function serve(lie: Lie): void {
  const entries = lie.entries ? lie.entries(honest.entries) : honest.entries;
  vi.stubGlobal("fetch", async (request: Request) => {
    const after = Number(new URL(request.url).searchParams.get("after"));
    const page = entries.slice(after + 1, after + 3);
    const next = after + 3 < entries.length ? after + 2 : null;
    const answer = {
      entries: page,
      total: lie.total ?? entries.length,
      next: lie.next ? lie.next(after) : next,
      signer: lie.signer ?? honest.signer,
    };
    return new Response(JSON.stringify(answer), { headers: { "Content-Type": "application/json" } });
  });
}

async function walk(lie: Lie, seen: Seen | null = null): Promise<LedgerCheck> {
  serve(lie);
  const { checkLedger } = await import("../../src/ledger/check_ledger");
  return checkLedger(
    seen,
    () => {},
    () => false,
  );
}

beforeEach(() => {
  vi.resetModules();
  vi.stubGlobal("location", { origin: "http://service.test" });
});
afterEach(() => vi.unstubAllGlobals());

it("an honest ledger has no fault, on whatever pages it comes", async () => {
  const found = await walk({}, { signer: honest.signer, sequence: head.sequence, hash: head.hash });
  expect(found.faults).toEqual([]);
  expect(found.entries).toHaveLength(honest.entries.length);
});

it.each<[string, Lie, Seen | null, RegExp]>([
  [
    "a changed entry",
    { entries: (e) => e.map((x, i) => (i === 3 ? { ...x, hash: flip(x.hash, 9) } : x)) },
    null,
    /Entry 3/,
  ],
  ["an entry that is left out", { entries: (e) => e.filter((_, i) => i !== 3) }, null, /Entry 4/],
  ["an end that is cut off", { entries: (e) => e.slice(0, 4), total: 6 }, null, /fewer entries/],
  ["another key than before", {}, { signer: "0".repeat(64), sequence: 0, hash: "0".repeat(64) }, /another key/],
  [
    "an older copy",
    { entries: (e) => e.slice(0, 4) },
    { signer: honest.signer, sequence: 5, hash: head.hash },
    /older copy/,
  ],
  ["another history", {}, { signer: honest.signer, sequence: 2, hash: "0".repeat(64) }, /rewritten/],
])("%s is noticed", async (_, lie, seen, words) => {
  expect((await walk(lie, seen)).faults.join(" ")).toMatch(words);
});

it("a service that repeats a page does not keep the page busy for ever", async () => {
  await expect(walk({ next: (after) => after })).rejects.toThrow(/repeats/);
});
