import type { Schemas } from "../api/client";
import { NOTES, STATES } from "../lib/words";
import { Time } from "../parts/time";

// Every change, the newest last, and the due date while it lies ahead.
export function Timeline({ request }: { request: Schemas["Request"] }) {
  return (
    <ol class="timeline">
      {request.history.map((item, index) => (
        <li key={index} class={`step step-${item.to}`}>
          <p>
            <strong>{eventWords(item)}</strong>
            {NOTES[item.note] && <span>: {NOTES[item.note]}</span>}
          </p>
          <p class="small muted">
            <Time iso={item.time} /> · {item.by === "queue" ? "by itself" : `by ${item.by}`}
          </p>
        </li>
      ))}
      {request.days_left !== null && (
        <li class="step step-ahead">
          <p>{request.overdue ? "Was due" : "Due"}</p>
          <p class="small muted">
            <Time iso={request.due} /> · <Time iso={request.due} form="relative" />
          </p>
        </li>
      )}
    </ol>
  );
}

// An extension has the same state before and after.
function eventWords(item: Schemas["HistoryItem"]): string {
  return item.from === item.to ? "Due date moved" : STATES[item.to];
}
