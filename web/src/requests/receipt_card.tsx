// The receipt of a request that is done.  It is checked here before it is offered.
import type { Schemas } from "../api/client";
import { checkDocument } from "../proof/document";
import { useAnswer } from "../lib/use_answer";
import { Card } from "../parts/card";
import { Digest } from "../parts/digest";
import { Facts } from "../parts/facts";
import { Loaded } from "../parts/loading";
import { Notice } from "../parts/notice";
import { text } from "../proof/json";
import { downloadText } from "../lib/download";
import { fetchReceipt } from "./fetch_receipt";

export function ReceiptCard({ request, entry }: { request: Schemas["Request"]; entry: number }) {
  const answer = useAnswer(async () => {
    const file = await fetchReceipt(entry);
    return { file, found: await checkDocument(file, "") };
  }, [entry]);
  return (
    <Card title="Receipt">
      <Loaded answer={answer} what="the receipt">
        {({ file, found }) => {
          const named =
            Array.isArray(found.fields.commitments) && found.fields.commitments.includes(request.commitment);
          const good = found.verdict !== "wrong" && named;
          return (
            <div class="stack">
              {good ? (
                <Notice tone="good" title="The signature is right">
                  <p>Computed in this browser. The receipt holds the commitment of this request.</p>
                </Notice>
              ) : (
                <Notice tone="bad" title="This receipt is not right" alert>
                  <p>
                    {named
                      ? found.checks.find((one) => !one.passed)?.detail
                      : "It does not hold the commitment of this request."}
                  </p>
                </Notice>
              )}
              <Facts
                facts={[
                  ["Ledger entry", entry],
                  ["Signed by", <Digest value={text(found.fields.signer)} what="the public key" />],
                ]}
              />
              <div class="actions">
                <button
                  type="button"
                  class="button button-main"
                  onClick={() => downloadText(`receipt-${entry}.json`, file)}
                >
                  Download the receipt
                </button>
              </div>
            </div>
          );
        }}
      </Loaded>
    </Card>
  );
}
