// One polite live region for the whole page.
import { type ComponentChildren, createContext } from "preact";
import { useCallback, useContext, useState } from "preact/hooks";

const AnnounceContext = createContext<(words: string) => void>(() => {});

export function Announcer({ children }: { children: ComponentChildren }) {
  const [words, setWords] = useState("");
  const announce = useCallback((next: string) => {
    setWords("");
    window.setTimeout(() => setWords(next), 50); // the same words again are news again
  }, []);
  return (
    <AnnounceContext.Provider value={announce}>
      {children}
      <div class="sr-only" role="status" aria-live="polite">
        {words}
      </div>
    </AnnounceContext.Provider>
  );
}

export function useAnnounce(): (words: string) => void {
  return useContext(AnnounceContext);
}
