// The fields of a receipt or a published model that people ask for.  All of them are signed.
import type { DocumentCheck } from "../proof/document";
import { isObject, number, text } from "../proof/json";
import { counted } from "../lib/words";
import type { Fact } from "../parts/facts";
import { Time } from "../parts/time";

const KIND_WORDS: Record<string, string> = {
  forgotten: "Requests were honoured",
  replayed: "Requests were honoured again in a restored copy",
  released: "A model was published",
  added: "Graphs were added",
  corrected: "Data was corrected",
};

const COUNTS = [
  ["subjects", "subject", "subjects"],
  ["graphs", "graph", "graphs"],
  ["nodes", "node", "nodes"],
  ["edges", "edge", "edges"],
  ["features", "node’s features", "nodes’ features"],
] as const;

export function factsOf({ kind, fields }: DocumentCheck): Fact[] {
  const found: Fact[] = [];
  if (kind === "model") found.push(["What it is", `Published model ${number(fields.release_number)}`]);
  else found.push(["What it states", stated(fields)]);
  found.push(
    ["Time", <Time iso={text(fields.time)} />],
    ["Promise", `(epsilon, delta) = (${text(fields.epsilon)}, ${text(fields.delta)})`],
    ["Protects", text(fields.protection) === "everyone" ? "every subject" : "what was removed"],
    ["Workspace", <code>{text(fields.workspace)}</code>],
    [
      "Ledger entry",
      <>
        {text(fields.sequence)} <code class="wrap">{text(fields.entry)}</code>
      </>,
    ],
    ["Signed by", <code class="wrap">{text(fields.signer)}</code>],
  );
  return found;
}

function stated(fields: DocumentCheck["fields"]): string {
  const what = KIND_WORDS[text(fields.kind)] ?? "Requests were honoured";
  const counts = isObject(fields.requests) ? fields.requests : {};
  const parts = COUNTS.filter(([name]) => number(counts[name]) > 0).map(([name, one, many]) =>
    counted(number(counts[name]), one, many),
  );
  return parts.length > 0 ? `${what}: ${parts.join(", ")}` : what;
}
