// A long row of digits.  It shows its beginning; all of it is in the title and can be copied.
import { useAnnounce } from "./announcer";

export function Digest({ value, what }: { value: string; what: string }) {
  const announce = useAnnounce();
  const copy = () =>
    navigator.clipboard?.writeText(value).then(
      () => announce(`${what} copied`),
      () => undefined,
    );
  return (
    <span class="digest">
      <code title={value}>{value.slice(0, 12)}…</code>
      <button type="button" class="button-quiet small" onClick={copy} aria-label={`Copy ${what}`}>
        Copy
      </button>
    </span>
  );
}
