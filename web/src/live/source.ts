// An EventSource that comes back.  Browsers repeat a lost connection by themselves, but give up after an answer such as
// 503; this one tries again then, too.
export interface SourceHandlers {
  opened: () => void;
  lost: () => void;
  events: Record<string, (data: string) => void>;
}

const RETRY_MS = 5000;

export function openSource(url: string, handlers: SourceHandlers): () => void {
  let source: EventSource;
  let retry = 0;
  const open = () => {
    source = new EventSource(url);
    source.onopen = handlers.opened;
    source.onerror = () => {
      handlers.lost();
      if (source.readyState === EventSource.CLOSED) retry = window.setTimeout(open, RETRY_MS);
    };
    for (const [name, take] of Object.entries(handlers.events)) {
      source.addEventListener(name, (event) => take((event as MessageEvent<string>).data));
    }
  };
  open();
  return () => {
    window.clearTimeout(retry);
    source.close();
  };
}
