// What this browser has seen before: the key, and how far the ledger was good.  A ledger that was rewritten or put back
// since then does not lead to the same entry any more.
import { isHex } from "../proof/digest";
import { remembered } from "../lib/remembered";

export interface Seen {
  signer: string;
  sequence: number;
  hash: string;
}

const kept = remembered("unscatter.ledger-seen");

export function seenBefore(): Seen | null {
  try {
    const seen = JSON.parse(kept.get() ?? "null") as Seen | null;
    return seen && isHex(seen.signer, 64) && isHex(seen.hash, 64) && Number.isInteger(seen.sequence) ? seen : null;
  } catch {
    return null;
  }
}

export function remember(seen: Seen | null): void {
  kept.set(seen === null ? null : JSON.stringify(seen));
}
