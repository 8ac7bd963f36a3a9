import { counted } from "../lib/words";
import { Digest } from "../parts/digest";
import { Facts } from "../parts/facts";
import { Notice } from "../parts/notice";
import { focusHeading } from "../parts/page_title";
import type { LedgerCheck } from "./check_ledger";
import type { Seen } from "./trust";

interface VerdictProps {
  found: LedgerCheck;
  seen: Seen | null;
  onForget: () => void;
}

export function LedgerVerdict({ found, seen, onForget }: VerdictProps) {
  const head = found.entries.at(-1);
  const forget = () => {
    focusHeading();
    onForget();
  };
  return (
    <section class="card stack" aria-label="What was checked">
      <Judgement found={found} seen={seen} onForget={forget} />
      <Facts
        facts={[
          ["Signed by", <code class="wrap">{found.signer}</code>],
          [
            "Last entry",
            head ? (
              <>
                {head.sequence} <Digest value={head.hash} what="the hash of the last entry" />
              </>
            ) : (
              "–"
            ),
          ],
        ]}
      />
      <details>
        <summary>What this check shows, and what it does not</summary>
        <p>
          Your browser computed the BLAKE2b hash of every entry, checked every Ed25519 signature, and followed the chain
          from the first entry. Nobody without the signing key can change, add or take out an entry unnoticed.
        </p>
        <p>
          It does not show that the operator tells the truth, or that the key is the right one. Compare the key with one
          that you got in some other way. Your browser remembers the key and the last entry, and notices next time if
          either is replaced.
        </p>
      </details>
    </section>
  );
}

function Judgement({ found, seen, onForget }: VerdictProps) {
  if (found.faults.length > 0) {
    return (
      <Notice tone="bad" title="The ledger is not good" alert>
        <ul>
          {found.faults.map((fault) => (
            <li key={fault}>{fault}</li>
          ))}
        </ul>
        {seen && (
          <p>
            <button type="button" class="button" onClick={onForget}>
              Forget what this browser has seen
            </button>
          </p>
        )}
      </Notice>
    );
  }
  if (!found.finished) {
    return (
      <p class="loading" role="status">
        Checking … {found.entries.length} of {found.total}{" "}
        <progress max={found.total} value={found.entries.length} aria-label="Checked entries" />
      </p>
    );
  }
  return (
    <Notice
      tone="good"
      title={`${counted(found.entries.length, "entry", "entries")} checked in this browser: the chain is good`}
    >
      <p>
        {seen
          ? `The key is the one seen before, and entry ${seen.sequence} is still what it was.`
          : "This browser sees this ledger for the first time. Compare the key with one from another source."}
      </p>
    </Notice>
  );
}
