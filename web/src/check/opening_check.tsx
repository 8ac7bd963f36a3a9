// With request and salt, a person can see that the receipt is about their own request.
import { useMemo, useState } from "preact/hooks";
import type { DocumentCheck } from "../proof/document";
import { commitmentOf, readOpening } from "../proof/opening";
import { Card } from "../parts/card";
import { Field } from "../parts/field";
import { Notice } from "../parts/notice";

export function OpeningCheck({ found }: { found: DocumentCheck }) {
  const [line, setLine] = useState("");
  const result = useMemo(() => judge(line, found), [line, found]);
  return (
    <Card title="4. Is it about my request?">
      <div class="stack">
        <p>
          A receipt names nobody. It holds a commitment. With the opening that you were given, your browser can compute
          the commitment and compare.
        </p>
        <Field
          label="Opening"
          value={line}
          onInput={setLine}
          rows={4}
          mono
          hint='One line: {"commitment":…,"request":…,"salt":…}. Keep it secret: it says who asked.'
        />
        <div aria-live="polite">{result && <Notice tone={result.good ? "good" : "bad"} title={result.title} />}</div>
      </div>
    </Card>
  );
}

function judge(line: string, { fields }: DocumentCheck): { good: boolean; title: string } | null {
  if (line.trim() === "") return null;
  try {
    const commitment = commitmentOf(readOpening(line));
    const held = Array.isArray(fields.commitments) && fields.commitments.includes(commitment);
    return { good: held, title: held ? "The receipt is about this request" : "The receipt is not about this request" };
  } catch (error) {
    return { good: false, title: (error as Error).message };
  }
}
