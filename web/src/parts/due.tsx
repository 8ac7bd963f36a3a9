import type { Schemas } from "../api/client";
import { daysWords } from "../lib/words";
import { Time } from "./time";

const SOON_DAYS = 7;

// The due date of an open request, with the days that are left.
export function Due({ request }: { request: Pick<Schemas["Request"], "due" | "days_left" | "overdue"> }) {
  if (request.days_left === null) return <span class="muted">–</span>;
  const tone = request.overdue ? "bad" : request.days_left <= SOON_DAYS ? "warn" : "plain";
  const words = request.overdue && request.days_left === 0 ? "overdue" : daysWords(request.days_left);
  return (
    <span class="due">
      <span class={`tone-${tone} strong`}>{words}</span>{" "}
      <span class="muted small">
        <Time iso={request.due} form="date" />
      </span>
    </span>
  );
}
