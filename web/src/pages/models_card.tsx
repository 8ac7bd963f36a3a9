import { useState } from "preact/hooks";
import type { Schemas } from "../api/client";
import { grouped } from "../lib/words";
import { Card } from "../parts/card";
import { useSession } from "../session/session";
import { PublishDialog } from "./publish_dialog";

export function ModelsCard({ status, onPublished }: { status: Schemas["Status"]; onPublished: () => void }) {
  const { may } = useSession();
  const [asked, setAsked] = useState(false);
  const left = status.models_left;
  return (
    <Card title="Published models">
      {left === null ? (
        <p class="figure">
          <strong>{status.published}</strong> published, not counted
        </p>
      ) : (
        <>
          <p class="figure">
            <strong>{grouped(left)}</strong> left of {grouped(status.releases)}
          </p>
          <meter
            class="wide"
            min={0}
            max={status.releases}
            low={status.releases / 10}
            optimum={status.releases}
            value={left}
            aria-label="Models left"
            aria-valuetext={`${left} of ${status.releases}`}
          />
        </>
      )}
      <p class="muted">{published(status)}</p>
      {may("operate") && !status.read_only && left !== 0 && (
        <button type="button" class="button" onClick={() => setAsked(true)}>
          Publish a model
        </button>
      )}
      {asked && <PublishDialog status={status} onClose={() => setAsked(false)} onDone={onPublished} />}
    </Card>
  );
}

function published(status: Schemas["Status"]): string {
  if (status.published === 0) return "No model was published yet.";
  return status.model_is_current
    ? "Nothing was removed since the last one was published."
    : "Something was removed since the last one was published.";
}
