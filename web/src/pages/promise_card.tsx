import type { Schemas } from "../api/client";
import { grouped, sentence } from "../lib/words";
import { Card } from "../parts/card";
import { Digest } from "../parts/digest";
import { Facts } from "../parts/facts";

export function PromiseCard({ status }: { status: Schemas["Status"] }) {
  const { certificate } = status;
  return (
    <Card
      title="Promise"
      wide
      aside={
        certificate.satisfied ? (
          <span class="badge badge-good">kept</span>
        ) : (
          <span class="badge badge-bad">not kept</span>
        )
      }
    >
      <p class="lead">{status.promise}</p>
      <Facts
        facts={[
          ["Protects", sentence(status.protects)],
          ["Certificate", sentence(status.certificate_words)],
          ["Data", `${status.data}: ${grouped(status.graphs)} of ${grouped(status.graphs_at_creation)} graphs left`],
          [
            "Ledger",
            <>
              {grouped(status.entries)} entries, last <Digest value={status.hash} what="the hash of the last entry" />
            </>,
          ],
        ]}
      />
      <details open>
        <summary>What the promise rests on</summary>
        <ul>
          {certificate.assumptions.map((words) => (
            <li key={words}>{words}</li>
          ))}
        </ul>
      </details>
    </Card>
  );
}
