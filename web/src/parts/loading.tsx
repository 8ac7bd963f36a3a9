import type { ComponentChildren } from "preact";
import type { Answer } from "../lib/use_answer";
import { ProblemNotice } from "./notice";

export function Loading({ what }: { what: string }) {
  return (
    <p class="loading" role="status">
      Loading {what} …
    </p>
  );
}

// The problem, the waiting or the content of an answer.  Old content stays under a problem.
export function Loaded<T>({
  answer,
  what,
  children,
}: {
  answer: Answer<T>;
  what: string;
  children: (data: T) => ComponentChildren;
}) {
  return (
    <>
      {answer.problem && <ProblemNotice problem={answer.problem} retry={answer.reload} />}
      {answer.data !== null ? children(answer.data) : !answer.problem && <Loading what={what} />}
    </>
  );
}
