import { fromNow, localDate, localTime } from "../lib/time";

// In the reader's zone, with the exact time as the title.
export function Time({ iso, form = "time" }: { iso: string; form?: "time" | "date" | "relative" }) {
  const words = form === "relative" ? fromNow(iso) : form === "date" ? localDate(iso) : localTime(iso);
  return (
    <time dateTime={iso} title={iso}>
      {words}
    </time>
  );
}
