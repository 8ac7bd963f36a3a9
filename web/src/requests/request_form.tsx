import { Field } from "../parts/field";
import { type Kind, KINDS } from "../lib/words";
import { type Draft, type Errors, type FieldName, FIELDS } from "./draft";

interface FormProps {
  draft: Draft;
  errors: Errors;
  onChange: (next: Draft) => void;
  onPreview: () => void;
  onSend: () => void;
  busy: "preview" | "send" | null;
  mayPreview: boolean;
  maySend: boolean;
  previewed: boolean;
}

const KIND_MEANS: Record<Kind, string> = {
  subject: "Every node with this id, in every graph",
  node: "One node of one graph, with its edges",
  features: "What is known about one node; its edges stay",
  edge: "One edge of one graph",
  graph: "One whole graph",
};

const LABELS: Record<FieldName, string> = {
  id: "Subject",
  graph: "Graph",
  node: "Node",
  from: "From node",
  to: "To node",
};

const KEY_HINT = "A number counts from 0 in the data. Any other text is an id; id:17 is the id “17”.";

export function RequestForm(props: FormProps) {
  const { draft, errors, onChange } = props;
  const submit = (event: Event) => {
    event.preventDefault();
    if (props.mayPreview) props.onPreview();
    else props.onSend();
  };
  return (
    <form class="card stack" onSubmit={submit} noValidate>
      <fieldset class="choices">
        <legend>What is to be forgotten?</legend>
        {(Object.keys(KINDS) as Kind[]).map((kind) => (
          <label key={kind} class="choice">
            <input
              type="radio"
              name="kind"
              checked={draft.kind === kind}
              onChange={() => onChange({ ...draft, kind })}
            />
            <span>
              <strong>{KINDS[kind]}</strong>
              <span class="muted small">{KIND_MEANS[kind]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <div class="field-row">
        {FIELDS[draft.kind].map((name) => (
          <Field
            key={name}
            label={LABELS[name]}
            value={draft[name]}
            required
            error={errors[name]}
            onInput={(value) => onChange({ ...draft, [name]: value })}
            hint={name === "id" ? "The id exactly as the data has it." : name === "graph" ? KEY_HINT : undefined}
          />
        ))}
      </div>
      <div class="actions">
        {props.mayPreview ? (
          <button class={`button${props.previewed ? "" : " button-main"}`} disabled={props.busy !== null}>
            {props.busy === "preview" ? "Computing …" : "Preview"}
          </button>
        ) : (
          <button class="button button-main" disabled={props.busy !== null || !props.maySend}>
            Send
          </button>
        )}
        <span class="muted small">
          {props.mayPreview ? "A preview changes nothing." : "Your token may send requests, but not preview them."}
        </span>
      </div>
    </form>
  );
}
