// Fetches the whole ledger, page by page, and checks every entry in this browser.
import { client, type Schemas, take } from "../api/client";
import { checkEntry, type CheckedEntry } from "../proof/chain";
import type { Seen } from "./trust";

const PER_PAGE = 200;

export interface LedgerCheck {
  entries: CheckedEntry[];
  total: number;
  signer: string;
  faults: string[];
  finished: boolean;
}

type Page = Schemas["LedgerPage"];

export async function checkLedger(
  seen: Seen | null,
  onProgress: (now: LedgerCheck) => void,
  stopped: () => boolean,
): Promise<LedgerCheck> {
  const found: LedgerCheck = { entries: [], total: 0, signer: seen?.signer ?? "", faults: [], finished: false };
  for (let after: number | null = -1; after !== null && !stopped();) {
    const page: Page = await take(client.GET("/v1/ledger", { params: { query: { after, limit: PER_PAGE } } }));
    if (found.signer === "") found.signer = page.signer;
    found.total = page.total;
    if (page.signer !== found.signer) found.faults.push("The service now names another key than the one seen before.");
    await checkPage(page, found);
    onProgress({ ...found, entries: [...found.entries] });
    if (page.next !== null && page.next <= after) throw new Error("The service repeats a page of the ledger.");
    after = found.faults.length > 0 ? null : page.next;
  }
  found.faults.push(...endFaults(found, seen));
  found.finished = true;
  return found;
}

// The first fault ends it: what follows a broken link cannot be judged.
async function checkPage(page: Page, found: LedgerCheck): Promise<void> {
  for (const entry of page.entries) {
    const checked: CheckedEntry = await checkEntry(entry, found.entries.at(-1) ?? null, found.signer);
    found.entries.push(checked);
    if (checked.fault !== null) {
      found.faults.push(`Entry ${checked.sequence}: ${checked.fault}`);
      return;
    }
  }
}

function endFaults(found: LedgerCheck, seen: Seen | null): string[] {
  if (found.faults.length > 0) return [];
  const faults: string[] = [];
  if (found.entries.length < found.total) faults.push("The service gave fewer entries than it counts.");
  if (seen && found.entries[seen.sequence]?.hash !== seen.hash) {
    faults.push(
      `This browser has seen another entry ${seen.sequence}. The ledger was rewritten, or an older copy was put back.`,
    );
  }
  return faults;
}
