// The key that the reader trusts.
import { useState } from "preact/hooks";
import { client, take } from "../api/client";
import { type Problem, problemFrom } from "../api/problem";
import { Field } from "../parts/field";
import { ProblemNotice } from "../parts/notice";
import { DropFile } from "./drop_file";

export function KeyField({
  value,
  wrong,
  onChange,
}: {
  value: string;
  wrong: boolean;
  onChange: (key: string) => void;
}) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const [asked, setAsked] = useState(false);
  const askService = async () => {
    setProblem(null);
    try {
      onChange((await take(client.GET("/v1/key"))).file);
      setAsked(true);
    } catch (error) {
      setProblem(problemFrom(error));
    }
  };
  return (
    <div class="stack">
      <p>
        The operator publishes a public key. Take it from a place that you trust, such as their web site or a letter.
      </p>
      <Field
        label="Public key"
        value={value}
        mono
        onInput={(next) => {
          setAsked(false);
          onChange(next);
        }}
        error={wrong ? "A public key has 64 hexadecimal digits." : null}
        hint="64 digits, or the line of a public key file."
      />
      <details class="paste">
        <summary>Drop a key file, or ask this service</summary>
        <div class="stack">
          <DropFile label="Public key file" shown="" onText={(content) => onChange(content.trim())} />
          <div class="actions">
            <button type="button" class="button" onClick={askService}>
              Use the key of this service
            </button>
            <span class="muted small">This asks the service for its key, and tells it nothing.</span>
          </div>
        </div>
      </details>
      {asked && (
        <p class="small">This key came from the service that made this page. Compare it with another source.</p>
      )}
      {problem && <ProblemNotice problem={problem} />}
    </div>
  );
}
