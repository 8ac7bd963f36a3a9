// Server-sent events.  They name requests by id only; pages load again what they show.
import { type ComponentChildren, createContext } from "preact";
import { useContext, useEffect, useMemo, useState } from "preact/hooks";
import { openSource } from "./source";

export type Connection = "connecting" | "live" | "lost";

interface Seen {
  requests: number; // counts events about requests
  status: number; // counts events about the workspace
  last: { id: string; state: string } | null;
}

const NOTHING: Seen = { requests: 0, status: 0, last: null };
const LiveContext = createContext<Seen & { connection: Connection }>({ connection: "connecting", ...NOTHING });
// Many events may come together; pages load once for all of them.
const QUIET_MS = 250;

export function LiveProvider({ active, children }: { active: boolean; children: ComponentChildren }) {
  const [connection, setConnection] = useState<Connection>("connecting");
  const [seen, setSeen] = useState(NOTHING);
  useEffect(() => (active ? listen(setConnection, setSeen) : undefined), [active]);
  const value = useMemo(() => ({ connection, ...seen }), [connection, seen]);
  return <LiveContext.Provider value={value}>{children}</LiveContext.Provider>;
}

export function useLive() {
  return useContext(LiveContext);
}

function listen(setConnection: (now: Connection) => void, setSeen: (change: (old: Seen) => Seen) => void): () => void {
  let missed = false;
  let waiting: Seen = NOTHING;
  let timer = 0;
  const pass = () => {
    const { requests, status, last } = waiting;
    waiting = NOTHING;
    timer = 0;
    setSeen((old) => ({ requests: old.requests + requests, status: old.status + status, last: last ?? old.last }));
  };
  const note = (change: Partial<Seen>) => {
    waiting = { ...waiting, ...change };
    timer ||= window.setTimeout(pass, QUIET_MS);
  };
  const close = openSource("/v1/events", {
    opened: () => {
      setConnection("live");
      if (missed) note({ requests: 1, status: 1 });
      missed = false;
    },
    lost: () => {
      missed = true;
      setConnection("lost");
    },
    events: {
      request: (data) => note({ requests: 1, status: 1, last: JSON.parse(data) }),
      status: () => note({ status: 1 }),
    },
  });
  return () => {
    window.clearTimeout(timer);
    close();
  };
}
