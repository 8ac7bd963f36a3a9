import type { CheckedEntry } from "../proof/chain";
import { text } from "../proof/json";
import { Digest } from "../parts/digest";
import { Time } from "../parts/time";
import { ENTRY_KINDS, entryWords } from "./entry_words";

export function LedgerTable({ entries }: { entries: CheckedEntry[] }) {
  return (
    <table class="table">
      <caption class="sr-only">Entries of the ledger, the newest first</caption>
      <thead>
        <tr>
          <th scope="col" class="number">
            Entry
          </th>
          <th scope="col">What was done</th>
          <th scope="col" class="wide-only">
            Time
          </th>
          <th scope="col" class="wide-only">
            Hash
          </th>
          <th scope="col">Check</th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <Row key={entry.sequence} entry={entry} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ entry }: { entry: CheckedEntry }) {
  const kind = text(entry.body.kind);
  return (
    <tr class={entry.fault ? "row-bad" : undefined}>
      <th scope="row" class="number">
        {entry.sequence}
      </th>
      <td>
        <strong>{ENTRY_KINDS[kind] ?? kind}</strong>
        <span class="block muted">{entryWords(entry.body)}</span>
      </td>
      <td class="wide-only">
        <Time iso={text(entry.body.time)} />
      </td>
      <td class="wide-only">
        <Digest value={entry.hash} what={`the hash of entry ${entry.sequence}`} />
      </td>
      <td>{entry.fault ? <span class="badge badge-bad">wrong</span> : <span class="badge badge-good">good</span>}</td>
    </tr>
  );
}
