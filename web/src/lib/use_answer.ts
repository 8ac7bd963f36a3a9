// Loads something, and again when `again` changes.  What was there stays visible while it loads anew.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type Problem, problemFrom } from "../api/problem";

export interface Answer<T> {
  data: T | null;
  problem: Problem | null;
  loading: boolean;
  reload: () => void;
}

export function useAnswer<T>(load: () => Promise<T>, again: readonly unknown[]): Answer<T> {
  const [state, setState] = useState<{ data: T | null; problem: Problem | null; loading: boolean }>({
    data: null,
    problem: null,
    loading: true,
  });
  const [tries, setTries] = useState(0);
  const latest = useRef(0);
  useEffect(() => {
    const mine = ++latest.current;
    setState((old) => ({ ...old, loading: true }));
    load().then(
      (data) => mine === latest.current && setState({ data, problem: null, loading: false }),
      (error) =>
        mine === latest.current && setState((old) => ({ ...old, problem: problemFrom(error), loading: false })),
    );
  }, [...again, tries]);
  useEffect(() => () => void ++latest.current, []);
  const reload = useCallback(() => setTries((count) => count + 1), []);
  return { ...state, reload };
}
