// A place to drop a file on, or to choose one with the keyboard.
import { useId, useState } from "preact/hooks";

const MOST_BYTES = 64 * 1024 * 1024;

interface DropProps {
  label: string;
  shown: string;
  onText: (content: string, name: string) => void;
}

export function DropFile({ label, shown, onText }: DropProps) {
  const id = useId();
  const [over, setOver] = useState(false);
  const [error, setError] = useState("");
  const read = async (file: File | undefined) => {
    if (!file) return;
    if (file.size > MOST_BYTES) return setError(`${file.name} is too large for a receipt.`);
    setError("");
    onText(await readUtf8(file), file.name);
  };
  return (
    <div
      class={`drop${over ? " drop-over" : ""}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void read(event.dataTransfer?.files[0]);
      }}
    >
      <label for={id}>{label}</label>
      <input id={id} type="file" onChange={(event) => void read(event.currentTarget.files?.[0])} />
      <p class="muted small">{shown ? `Read: ${shown}` : "Drop a file here, or choose one."}</p>
      {error && (
        <p class="field-error" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

// File.text() would replace wrong bytes and drop a byte order mark silently.  Here both stay visible to the check.
async function readUtf8(file: File): Promise<string> {
  const bytes = await file.arrayBuffer();
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return "\uFFFD";
  }
}
