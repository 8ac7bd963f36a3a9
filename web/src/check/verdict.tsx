import type { DocumentCheck } from "../proof/document";
import { Card } from "../parts/card";
import { Facts } from "../parts/facts";
import { Notice } from "../parts/notice";
import { factsOf } from "./document_facts";

const WORDS = {
  signed: { tone: "good", title: "The signature is right" },
  "unknown-key": { tone: "warn", title: "The signature fits the key that the file names" },
  wrong: { tone: "bad", title: "The signature is not right" },
} as const;

export function Verdict({ found }: { found: DocumentCheck }) {
  const { tone, title } = WORDS[found.verdict];
  return (
    <Card title="3. What was found">
      <div class="stack" data-verdict={found.verdict}>
        <Notice tone={tone} title={title}>
          {found.verdict === "signed" && <p>The holder of your key has signed every byte of this file.</p>}
          {found.verdict === "unknown-key" && (
            <p>Anybody can make a key and sign with it. Give the operator’s key above, or compare the key below.</p>
          )}
          {found.verdict === "wrong" && <p>Do not rely on this file.</p>}
        </Notice>
        <ul class="checks">
          {found.checks.map((one) => (
            <li key={one.name} class={one.passed ? "check-good" : "check-bad"}>
              <strong>
                {one.name}: {one.passed ? "yes" : "no"}.
              </strong>{" "}
              {one.detail}
            </li>
          ))}
        </ul>
        {found.verdict !== "wrong" && <Facts facts={factsOf(found)} />}
        {found.verdict !== "wrong" && <Limits />}
      </div>
    </Card>
  );
}

function Limits() {
  return (
    <details>
      <summary>What a right signature does not prove</summary>
      <ul>
        <li>It says who states something, and not that it is true.</li>
        <li>It does not say that no copy is left elsewhere, or in models that were published before.</li>
        <li>The time is that of the machine that signed.</li>
        <li>A key that was stolen signs as well as before.</li>
      </ul>
    </details>
  );
}
