// The house words (docs/glossary.md) for what the service sends.
import type { Schemas } from "../api/client";

export type State = Schemas["State"];
export type Kind = Schemas["Request"]["kind"];
export type Note = Schemas["Note"];
export type Action = Schemas["Request"]["actions"][number];

export const STATES: Record<State, string> = {
  received: "Received",
  verified: "Approved",
  queued: "Queued",
  failed: "Failed",
  done: "Done",
  "already-absent": "Already absent",
  refused: "Refused",
  cancelled: "Cancelled",
};

export const STATE_MEANS: Record<State, string> = {
  received: "It waits until an operator has checked who asks.",
  verified: "An operator has checked who asks.",
  queued: "It will be done with the next update.",
  failed: "The update could not be computed. Nothing was changed. It can be queued again.",
  done: "It is done. The name is erased; the ledger keeps a commitment instead.",
  "already-absent": "Nothing that fits it was left. The name is erased.",
  refused: "It was refused. The name is erased.",
  cancelled: "It was cancelled. The name is erased.",
};

export const NOTES: Record<Note, string> = {
  none: "",
  "by-policy": "by the policy",
  "identity-shown": "the person has shown who they are",
  "identity-not-shown": "the person has not shown who they are",
  "must-be-kept": "the law demands that the data is kept",
  excessive: "the request is excessive",
  withdrawn: "the person has withdrawn it",
  mistake: "it was a mistake",
  complex: "the request is complex",
  "many-requests": "there are many requests",
  honoured: "it was honoured",
  "not-there": "nothing fits it",
  "not-possible": "it is not possible",
  "not-converged": "the update did not converge",
  "tried-again": "it is tried again",
};

export const KINDS: Record<Kind, string> = {
  subject: "Subject",
  graph: "Graph",
  node: "Node",
  edge: "Edge",
  features: "Features of a node",
};

export function isOpen(state: State): boolean {
  return state === "received" || state === "verified" || state === "queued" || state === "failed";
}

// A number of the data set's own order, or an external id.
export function keyWords(key: Schemas["Key"] | undefined): string {
  if (key === undefined) return "";
  if (typeof key === "number") return `#${key}`;
  return typeof key === "string" ? key : `bytes ${key.bytes}`;
}

// What is asked, on one line: "case-00017, node account-3".
export function askedWords(request: Schemas["Removal"]): string {
  switch (request.forget) {
    case "subject":
      return keyWords(request.id);
    case "graph":
      return keyWords(request.graph);
    case "edge":
      return `${keyWords(request.graph)}, ${keyWords(request.from)} – ${keyWords(request.to)}`;
    default:
      return `${keyWords(request.graph)}, node ${keyWords(request.node)}`;
  }
}

export function grouped(count: number): string {
  return count.toLocaleString("en");
}

export function counted(count: number, one: string, many: string): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

// Days until the due date, as a person says it.
export function daysWords(days: number): string {
  if (days < 0) return `${counted(-days, "day", "days")} overdue`;
  return days === 0 ? "today" : `${counted(days, "day", "days")} left`;
}

// With a capital letter, as the service's words begin with a small one.
export function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
