// A text field with its label, a hint and what is wrong with it.
import { useId } from "preact/hooks";

interface FieldProps {
  label: string;
  value: string;
  onInput: (value: string) => void;
  hint?: string;
  error?: string | null;
  type?: string;
  required?: boolean;
  maxLength?: number;
  rows?: number;
  autocomplete?: string;
  suggestions?: string[];
  mono?: boolean;
}

export function Field(props: FieldProps) {
  const id = useId();
  const described = [props.hint && `${id}-hint`, props.error && `${id}-error`].filter(Boolean).join(" ");
  const common = {
    id,
    value: props.value,
    required: props.required,
    maxLength: props.maxLength,
    class: props.mono ? "mono" : undefined,
    "aria-describedby": described || undefined,
    "aria-invalid": props.error ? true : undefined,
    onInput: (event: Event) => props.onInput((event.currentTarget as HTMLInputElement).value),
  };
  return (
    <div class="field">
      <label for={id}>
        {props.label}
        {!props.required && <span class="muted small"> (optional)</span>}
      </label>
      {props.rows ? (
        <textarea {...common} rows={props.rows} spellcheck={false} />
      ) : (
        <input
          {...common}
          type={props.type ?? "text"}
          autocomplete={props.autocomplete ?? "off"}
          spellcheck={false}
          list={props.suggestions ? `${id}-list` : undefined}
        />
      )}
      {props.suggestions && (
        <datalist id={`${id}-list`}>
          {props.suggestions.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
      {props.hint && (
        <p class="hint" id={`${id}-hint`}>
          {props.hint}
        </p>
      )}
      {props.error && (
        <p class="field-error" id={`${id}-error`}>
          {props.error}
        </p>
      )}
    </div>
  );
}
