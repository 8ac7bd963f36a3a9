import type { ComponentChildren } from "preact";
import type { Problem } from "../api/problem";
import { focusHeading } from "./page_title";

type Tone = "info" | "good" | "warn" | "bad";

// `alert` speaks at once; otherwise it is read when the reader comes to it.
export function Notice({
  tone,
  title,
  children,
  alert,
}: {
  tone: Tone;
  title?: string;
  children?: ComponentChildren;
  alert?: boolean;
}) {
  return (
    <div class={`notice notice-${tone}`} role={alert ? "alert" : undefined}>
      {title && <p class="notice-title">{title}</p>}
      {children}
    </div>
  );
}

export function ProblemNotice({ problem, retry }: { problem: Problem; retry?: () => void }) {
  const again = () => {
    focusHeading();
    retry?.();
  };
  return (
    <Notice tone="bad" title={problem.title} alert>
      <p>{problem.detail}</p>
      {problem.retryAfter && <p>Try again in {problem.retryAfter} s.</p>}
      {problem.instance && (
        <p class="small muted">
          In the log: <code>{problem.instance}</code>
        </p>
      )}
      {retry && (
        <p>
          <button type="button" class="button" onClick={again}>
            Try again
          </button>
        </p>
      )}
    </Notice>
  );
}
