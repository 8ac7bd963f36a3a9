// The public page: is a receipt genuine?  Everything is computed here.  Nothing that is dropped is sent anywhere.
import { useEffect, useState } from "preact/hooks";
import { Card } from "../parts/card";
import { Field } from "../parts/field";
import { PageTitle } from "../parts/page_title";
import { checkDocument, type DocumentCheck, readPublicKey } from "../proof/document";
import { DropFile } from "./drop_file";
import { KeyField } from "./key_field";
import { OpeningCheck } from "./opening_check";
import { Verdict } from "./verdict";

export function CheckPage() {
  const [file, setFile] = useState("");
  const [name, setName] = useState("");
  const [key, setKey] = useState("");
  const [found, setFound] = useState<DocumentCheck | null>(null);
  const trusted = key.trim() === "" ? "" : readPublicKey(key);

  useEffect(() => {
    let stale = false;
    if (file === "" || trusted === null) setFound(null);
    else void checkDocument(file, trusted).then((next) => !stale && setFound(next));
    return () => void (stale = true);
  }, [file, trusted]);

  const take = (content: string, from: string) => {
    setName(from);
    setFile(content);
  };
  return (
    <div class="middle">
      <PageTitle title="Check a receipt" />
      <p class="lead">
        Drop the receipt that you were given. Your browser checks its signature. Nothing that you drop here leaves this
        page.
      </p>
      <div class="stack">
        <Card title="1. The receipt">
          <DropFile label="Receipt or published model" shown={name} onText={take} />
          <details class="paste">
            <summary>Paste the text instead</summary>
            <Field
              label="Text of the receipt"
              value={file}
              onInput={(value) => take(value, "")}
              rows={6}
              mono
              required
              hint="Exactly as in the file, with the newline at the end."
            />
          </details>
        </Card>
        <Card title="2. The key">
          <KeyField value={key} wrong={trusted === null} onChange={setKey} />
        </Card>
        <div aria-live="polite">{found && <Verdict found={found} />}</div>
        {found && found.verdict !== "wrong" && found.kind === "receipt" && <OpeningCheck found={found} />}
      </div>
    </div>
  );
}
