// The operator's settings as sentences.
import type { Schemas } from "../api/client";
import { counted, grouped } from "../lib/words";

const days = (count: number) => counted(count, "day", "days");
const hours = (count: number) => counted(count, "hour", "hours");

// What each setting means, in the order in which a request meets them.
export function policyWords(policy: Schemas["Policy"]): [name: string, words: string][] {
  return [
    [
      "Who asks",
      policy.verify
        ? "An operator checks who asks before a request is queued."
        : "Requests are queued at once. Nobody checks who asks.",
    ],
    ["Due date", `A request has to be done within ${days(policy.days)}.`],
    [
      "Extension",
      policy.extension_days === 0
        ? "A due date cannot be extended."
        : `A due date can be extended once, by ${days(policy.extension_days)}, with a reason.`,
    ],
    ["Longest time", `${days(policy.most_days)} at most, with the extension.`],
    ["Open requests", `${grouped(policy.most_open)} at most. More are not taken.`],
    ["Repeated requests", `Sent again with the same key within ${hours(policy.key_hours)}, a request is the same one.`],
    [
      "Finished requests",
      policy.keep_days === null
        ? "They are kept. Their names are erased."
        : `They are dropped after ${days(policy.keep_days)}. The ledger stays.`,
    ],
    ["Events", policy.events ? "Changes are told to webhooks." : "Nobody is told of changes: events are off."],
  ];
}

// Which changes a webhook hears of.
export function eventsWords(webhook: Schemas["Webhook"]): string {
  if (webhook.events.length === 0) return "every change";
  return webhook.events.map((name) => name.replace("-", " ")).join(", ");
}
