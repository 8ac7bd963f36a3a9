// Who is signed in.  The token itself is never kept: the service gives a cookie that scripts cannot read.
import { type ComponentChildren, createContext } from "preact";
import { useCallback, useContext, useEffect, useMemo, useState } from "preact/hooks";
import { client, type Schemas, setCsrf, take, whenSessionEnds } from "../api/client";
import { type Problem, problemFrom } from "../api/problem";
import { remembered } from "../lib/remembered";

export type Scope = Schemas["Session"]["scopes"][number];
type Phase = "asking" | "out" | "in";

interface SessionValue {
  phase: Phase;
  session: Schemas["Session"] | null;
  ended: boolean;
  problem: Problem | null;
  retry: () => void;
  may: (scope: Scope) => boolean;
  signIn: (token: string) => Promise<void>;
  signOut: () => Promise<void>;
}

const SessionContext = createContext<SessionValue | null>(null);
// Says only that there was a session, so that the first visit asks for nothing.
const hint = remembered("unscatter.signed-in");

export function SessionProvider({ children, ask }: { children: ComponentChildren; ask: boolean }) {
  const [session, setSession] = useState<Schemas["Session"] | null>(null);
  const [phase, setPhase] = useState<Phase>(hint.get() ? "asking" : "out");
  const [ended, setEnded] = useState(false);
  // Of asking who is signed in.  An answer that did not come says nothing about the session.
  const [problem, setProblem] = useState<Problem | null>(null);
  const [tries, setTries] = useState(0);

  const enter = useCallback((next: Schemas["Session"]) => {
    setCsrf(next.csrf);
    hint.set("yes");
    setSession(next);
    setEnded(false);
    setPhase("in");
  }, []);
  const leave = useCallback((byItself: boolean) => {
    setCsrf("");
    hint.set(null);
    setSession(null);
    setEnded(byItself);
    setPhase("out");
  }, []);

  useEffect(() => whenSessionEnds(() => leave(true)), [leave]);
  useEffect(() => {
    if (phase !== "asking" || !ask) return;
    take(client.GET("/v1/session")).then(enter, (error) => setProblem(problemFrom(error)));
  }, [phase, ask, tries, enter]);

  const value = useMemo<SessionValue>(
    () => ({
      phase,
      session,
      ended,
      problem,
      retry: () => {
        setProblem(null);
        setTries(tries + 1);
      },
      may: (scope) => session?.scopes.includes(scope) ?? false,
      signIn: async (token) => {
        whenSessionEnds(() => {});
        try {
          enter(await take(client.POST("/v1/session", { body: { token } })));
        } finally {
          whenSessionEnds(() => leave(true));
        }
      },
      signOut: async () => {
        await take(client.DELETE("/v1/session")).catch(() => undefined);
        leave(false);
      },
    }),
    [phase, session, ended, problem, tries, enter, leave],
  );
  return <SessionContext.Provider value={value}>{children}</SessionContext.Provider>;
}

export function useSession(): SessionValue {
  const value = useContext(SessionContext);
  if (!value) throw new Error("outside of SessionProvider");
  return value;
}
