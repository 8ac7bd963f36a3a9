// The ledger, checked entry by entry (docs/workspace-format.md, invariants 3, 4 and 6).  Only bytes count here: what
// the service says about an entry beside its body is compared with the body.
import { digest } from "./digest";
import { type Exact, number, readExact, text } from "./json";
import { isSignedBy, type Verifier } from "./signature";

export interface RawEntry {
  sequence: number;
  kind: string;
  time: string;
  body: string;
  hash: string;
  signature: string;
}

export interface CheckedEntry {
  sequence: number;
  hash: string;
  body: Exact;
  fault: string | null;
}

const NOTHING_BEFORE = "0".repeat(64);
const CHANGES_DATA = new Set(["forgotten", "replayed", "added", "corrected"]);

export async function checkEntry(
  entry: RawEntry,
  before: CheckedEntry | null,
  signer: string,
  by?: Verifier,
): Promise<CheckedEntry> {
  let body: Exact;
  try {
    body = readExact(entry.body, 0);
  } catch (error) {
    return { sequence: entry.sequence, hash: entry.hash, body: {}, fault: (error as Error).message };
  }
  const fault =
    hashFault(entry) ??
    (await signatureFault(entry, signer, by)) ??
    beside(entry, body) ??
    linkFault(body, entry, before) ??
    contentFault(body, before);
  return { sequence: entry.sequence, hash: entry.hash, body, fault };
}

function hashFault(entry: RawEntry): string | null {
  const computed = digest(["unscatter ledger 1", entry.body]);
  return computed === entry.hash ? null : "Its hash is not that of its content.";
}

async function signatureFault(entry: RawEntry, signer: string, by?: Verifier): Promise<string | null> {
  const message = "unscatter ledger entry 1\n" + entry.hash;
  return (await isSignedBy(signer, message, entry.signature, by)) ? null : "Its signature does not fit the key.";
}

function beside(entry: RawEntry, body: Exact): string | null {
  const same =
    number(body.sequence) === entry.sequence && text(body.kind) === entry.kind && text(body.time) === entry.time;
  return same ? null : "The service describes it otherwise than it was signed.";
}

function linkFault(body: Exact, entry: RawEntry, before: CheckedEntry | null): string | null {
  if (entry.sequence !== (before ? before.sequence + 1 : 0)) return "An entry is missing before it, or doubled.";
  if (text(body.previous) !== (before ? before.hash : NOTHING_BEFORE)) return "It does not follow the entry before it.";
  const created = text(body.kind) === "created";
  if (created !== (before === null)) return "A ledger begins with its creation, and only there.";
  if (before && text(body.workspace) !== text(before.body.workspace)) return "It is of another workspace.";
  return null;
}

function contentFault(body: Exact, before: CheckedEntry | null): string | null {
  if (!before) return null;
  return dataFault(body, before.body) ?? countFault(body, before.body);
}

function dataFault(body: Exact, old: Exact): string | null {
  if (version(body) < version(old)) return "Its version is older than that of the entry before.";
  if (text(body.data_before) !== text(old.data_after))
    return "It does not begin with the data that was left before it.";
  const changed = text(body.data_after) !== text(body.data_before);
  return changed && !CHANGES_DATA.has(text(body.kind)) ? "It changes data, which its kind never does." : null;
}

function countFault(body: Exact, old: Exact): string | null {
  const added = "graphs_added" in body ? number(body.graphs_added) : 0;
  if (number(body.graphs) !== number(old.graphs) - number(body.graphs_removed) + added) {
    return "Its count of graphs does not follow from the entry before.";
  }
  const published = number(old.published) + (text(body.kind) === "released" ? 1 : 0);
  const mayRise = text(body.kind) === "replayed";
  const follows = mayRise ? number(body.published) >= published : number(body.published) === published;
  return follows ? null : "Its count of published models does not follow from the entry before.";
}

function version(body: Exact): number {
  return "version" in body ? number(body.version) : 1;
}
