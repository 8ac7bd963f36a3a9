import type { Schemas } from "../api/client";

type Day = Schemas["Statistics"]["days"][number];

const DAY_MS = 86_400_000;

// The last `count` days, today included.  The service leaves out days on which nothing happened.
export function fillDays(
  days: Day[],
  count: number,
  now: number = Date.now(),
): Pick<Day, "day" | "received" | "done" | "late">[] {
  const known = new Map(days.map((day) => [day.day, day]));
  return Array.from({ length: count }, (_, index) => {
    const day = new Date(now - (count - 1 - index) * DAY_MS).toISOString().slice(0, 10);
    return known.get(day) ?? { day, received: 0, done: 0, late: 0 };
  });
}
