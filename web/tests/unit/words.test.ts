import { expect, it } from "vitest";
import { entryWords } from "../../src/ledger/entry_words";
import { duration, fromNow } from "../../src/lib/time";
import { fillDays } from "../../src/pages/fill_days";
import { askedWords, daysWords } from "../../src/lib/words";
import { quantileBound } from "../../src/plots/quantile";
import { readExact } from "../../src/proof/json";
import { eventsWords, policyWords } from "../../src/settings/policy_words";
import { ledger } from "./fixtures";

it.each([
  [0.0001, "below 1 ms"],
  [0.0123, "12 ms"],
  [1, "1 s"],
  [59, "59 s"],
  [75, "1 min 15 s"],
  [3600, "1 h"],
  [200_000, "2 d 7 h"],
])("%d seconds are %s", (seconds, words) => expect(duration(seconds)).toBe(words));

it.each([
  ["2026-01-02T00:00:30Z", "in less than a minute"],
  ["2026-01-01T23:59:30Z", "just now"],
  ["2026-01-05T00:00:00Z", "in 3 days"],
  ["2026-01-01T22:00:00Z", "2 hours ago"],
  ["nonsense", ""],
])("%s is %s", (iso, words) => expect(fromNow(iso, Date.parse("2026-01-02T00:00:00Z"))).toBe(words));

it.each([
  [-1, "1 day overdue"],
  [0, "today"],
  [1, "1 day left"],
  [30, "30 days left"],
])("%d days are %s", (days, words) => expect(daysWords(days)).toBe(words));

it("ids and numbers are told apart", () => {
  expect(askedWords({ forget: "edge", graph: 17, from: 3, to: "user-5" })).toBe("#17, #3 – user-5");
  expect(askedWords({ forget: "subject", id: { bytes: "ff00" } })).toBe("bytes ff00");
});

it("a quantile errs on the side of longer times", () => {
  expect(quantileBound([1, 5, 60], [10, 0, 0, 0], 0.5)).toBe(1);
  expect(quantileBound([1, 5, 60], [5, 4, 1, 0], 0.5)).toBe(1);
  expect(quantileBound([1, 5, 60], [5, 4, 1, 0], 0.51)).toBe(5);
  expect(quantileBound([1, 5, 60], [5, 4, 1, 0], 0.99)).toBe(60);
  expect(quantileBound([1, 5, 60], [0, 0, 0, 1], 0.5)).toBeNull();
});

it("entries are described from what was signed", () => {
  const words = ledger().entries.map((entry) => entryWords(readExact(entry.body, 0)));
  expect(words[0]).toBe("A workspace with 40 graphs");
  expect(words[1]).toMatch(/^1 subject; \d+ graphs edited; 40 graphs left$/);
  expect(words[2]).toBe("Published model 1");
  expect(words[3]).toMatch(/^1 node’s features; 1 graph edited; 40 graphs left$/);
  expect(words[4]).toBe("1 graph; 0 graphs edited, 1 removed; 39 graphs left");
});

it("days on which nothing happened are there, too", () => {
  const known = { day: "2026-02-28", received: 2, done: 1, late: 0 } as Parameters<typeof fillDays>[0][number];
  const days = fillDays([known], 3, Date.parse("2026-03-01T23:00:00Z"));
  expect(days.map(({ day, received }) => [day, received])).toEqual([
    ["2026-02-27", 0],
    ["2026-02-28", 2],
    ["2026-03-01", 0],
  ]);
});

it("a policy is told in sentences", () => {
  const usual = {
    days: 30,
    extension_days: 30,
    most_days: 60,
    verify: false,
    most_open: 100000,
    key_hours: 24,
    keep_days: null,
    events: false,
  };
  const words = Object.fromEntries(policyWords(usual));
  expect(words["Due date"]).toBe("A request has to be done within 30 days.");
  expect(words["Open requests"]).toBe("100,000 at most. More are not taken.");
  expect(words["Events"]).toContain("off");
  const strict = Object.fromEntries(
    policyWords({ ...usual, days: 1, extension_days: 0, verify: true, keep_days: 1, events: true }),
  );
  expect(strict["Who asks"]).toContain("An operator checks");
  expect(strict["Due date"]).toBe("A request has to be done within 1 day.");
  expect(strict["Extension"]).toBe("A due date cannot be extended.");
  expect(strict["Finished requests"]).toContain("after 1 day.");
  const webhook = { id: "1", url: "https://a.example/", events: [], active: true };
  expect(eventsWords(webhook)).toBe("every change");
  expect(eventsWords({ ...webhook, events: ["done", "already-absent"] })).toBe("done, already absent");
});
