import { useState } from "preact/hooks";
import { client, type Schemas, take } from "../api/client";
import { type Problem, problemFrom } from "../api/problem";
import { useAnnounce } from "../parts/announcer";
import { Dialog } from "../parts/dialog";
import { ProblemNotice } from "../parts/notice";

interface DialogProps {
  status: Schemas["Status"];
  onClose: () => void;
  onDone: () => void;
}

export function PublishDialog({ status, onClose, onDone }: DialogProps) {
  const announce = useAnnounce();
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const publish = async () => {
    setBusy(true);
    try {
      const answer = await take(client.POST("/v1/releases", { body: {} }));
      announce(answer.new ? `Model ${answer.release_number} was published.` : "It is the same model as before.");
      onDone();
      onClose();
    } catch (error) {
      setProblem(problemFrom(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title="Publish a model?" onClose={onClose}>
      <div class="stack">
        <p>
          {status.model_is_current
            ? "Nothing was removed since the last one, so the same model is handed out. It does not count again."
            : "Fresh noise is drawn, and the model counts. Models that are out cannot be called back."}
        </p>
        {problem && <ProblemNotice problem={problem} />}
        <div class="actions actions-end">
          <button type="button" class="button" onClick={onClose}>
            Back
          </button>
          <button type="button" class="button button-main" disabled={busy} onClick={publish}>
            Publish
          </button>
        </div>
      </div>
    </Dialog>
  );
}
