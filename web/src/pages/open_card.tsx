import { Link } from "wouter-preact";
import type { Schemas } from "../api/client";
import { counted, grouped } from "../lib/words";
import { Card } from "../parts/card";
import { Time } from "../parts/time";

export function OpenCard({ status }: { status: Schemas["Status"] }) {
  const { open, overdue, next } = status.requests;
  return (
    <Card
      title="Requests"
      aside={
        <Link href="/requests" class="small">
          All requests
        </Link>
      }
    >
      <p class="figure">
        <strong>{grouped(open)}</strong> open
      </p>
      {overdue > 0 ? (
        <p class="tone-bad strong">{counted(overdue, "request is", "requests are")} overdue.</p>
      ) : (
        <p class="muted">None is overdue.</p>
      )}
      <p>
        {next ? (
          <>
            {Date.parse(next) < Date.now() ? "The oldest was due on" : "Next due date:"}{" "}
            <strong>
              <Time iso={next} form="date" />
            </strong>
            , <Time iso={next} form="relative" />.
          </>
        ) : (
          "Nothing waits for a due date."
        )}
      </p>
    </Card>
  );
}
