// What a removal would change, what it tells those who kept old models, and what it costs.
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Schemas } from "../api/client";
import { BeforeAfter, Legend } from "../graph/before_after";
import { duration } from "../lib/time";
import { counted, sentence } from "../lib/words";
import { Facts } from "../parts/facts";

const SHOWN_AT_ONCE = 2;

export function PreviewPanel({ preview }: { preview: Schemas["Preview"] }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => heading.current?.focus(), [preview]);
  return (
    <section class="card stack" aria-label="Preview">
      <div class="card-head">
        <h2 ref={heading} tabIndex={-1}>
          Preview
        </h2>
        <span class="badge badge-info">nothing is changed yet</span>
      </div>
      <Facts
        facts={[
          ["What changes", sentence(preview.words)],
          ["Exposure", <Exposure exposure={preview.exposure} />],
          [
            "Cost",
            <>
              {sentence(preview.cost_words)}
              <span class="small muted block">Computing it took {duration(preview.seconds)}.</span>
            </>,
          ],
          ["Certificate", sentence(preview.certificate_words)],
        ]}
      />
      {preview.pictures.length > 0 && <Pictures preview={preview} />}
    </section>
  );
}

// 0.5 is blind guessing, so the scale begins there.
function Exposure({ exposure }: { exposure: Schemas["Exposure"] }) {
  const guess = exposure.best_guess;
  const shown = guess > 0.995 ? "more than 0.99" : guess.toFixed(2);
  return (
    <>
      <span class="exposure">
        <meter
          min={0.5}
          max={1}
          low={0.6}
          high={0.8}
          optimum={0.5}
          value={guess}
          aria-label="Best guess of an observer"
          aria-valuetext={shown}
        />
        <strong>{shown}</strong>
        <span class="small muted">best guess; 0.5 is blind</span>
      </span>
      <span class="block">{sentence(exposure.words)}</span>
      <span class="small muted block">This number is private. Show it to nobody outside.</span>
    </>
  );
}

function Pictures({ preview }: { preview: Schemas["Preview"] }) {
  const left = preview.pictures_left_out;
  const more = preview.pictures.slice(SHOWN_AT_ONCE);
  return (
    <div class="stack">
      <div class="card-head">
        <h3>Touched graphs</h3>
        <Legend />
      </div>
      {preview.pictures.slice(0, SHOWN_AT_ONCE).map((picture) => (
        <BeforeAfter key={picture.graph} picture={picture} />
      ))}
      {more.length > 0 && (
        <details>
          <summary>{counted(more.length, "more touched graph", "more touched graphs")}</summary>
          <div class="stack">
            {more.map((picture) => (
              <BeforeAfter key={picture.graph} picture={picture} />
            ))}
          </div>
        </details>
      )}
      {left > 0 && <p class="muted">{counted(left, "touched graph is", "touched graphs are")} not shown.</p>}
    </div>
  );
}
