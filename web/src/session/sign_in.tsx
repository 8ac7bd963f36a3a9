import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { type Problem, problemFrom } from "../api/problem";
import { Field } from "../parts/field";
import { Notice, ProblemNotice } from "../parts/notice";
import { PageTitle } from "../parts/page_title";
import { useSession } from "./session";

export function SignIn() {
  const { signIn, ended } = useSession();
  const [token, setToken] = useState("");
  const [problem, setProblem] = useState<Problem | null>(null);
  const [waiting, setWaiting] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    setWaiting(true);
    setProblem(null);
    try {
      await signIn(token.trim());
    } catch (error) {
      setProblem(problemFrom(error));
      setWaiting(false);
    }
  };
  return (
    <div class="narrow">
      <PageTitle title="Sign in" />
      {ended && !problem && (
        <Notice tone="info" title="Your session has ended" alert>
          <p>Please sign in again.</p>
        </Notice>
      )}
      {problem && <ProblemNotice problem={problem} />}
      <form class="stack" onSubmit={submit}>
        <Field
          label="Token"
          type="password"
          value={token}
          onInput={setToken}
          required
          autocomplete="current-password"
          mono
          hint="The operator of the service gives it to you. This page does not keep it."
        />
        <div class="actions">
          <button class="button button-main" disabled={waiting}>
            {waiting ? "Signing in …" : "Sign in"}
          </button>
        </div>
      </form>
      <p class="muted">
        You have a receipt and want to know whether it is genuine? That needs no token:{" "}
        <Link href="/check">check a receipt</Link>.
      </p>
    </div>
  );
}
