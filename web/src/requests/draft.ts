// A request while it is written.
import type { Schemas } from "../api/client";
import { readKey } from "../lib/keys";
import type { Kind } from "../lib/words";

export type FieldName = "id" | "graph" | "node" | "from" | "to";
export type Draft = { kind: Kind } & Record<FieldName, string>;

export const EMPTY_DRAFT: Draft = { kind: "subject", id: "", graph: "", node: "", from: "", to: "" };

export const FIELDS: Record<Kind, FieldName[]> = {
  subject: ["id"],
  node: ["graph", "node"],
  features: ["graph", "node"],
  edge: ["graph", "from", "to"],
  graph: ["graph"],
};

export type Errors = Partial<Record<FieldName, string>>;

// The removal that is meant, or what is wrong with each field.
export function readDraft(draft: Draft): { removal: Schemas["Removal"] } | { errors: Errors } {
  const errors: Errors = {};
  const fields: Record<string, unknown> = {};
  for (const name of FIELDS[draft.kind]) {
    // A subject is always named by an external id, also where it is made of digits.
    const read = name === "id" ? readSubject(draft.id) : readKey(draft[name]);
    if ("error" in read) errors[name] = read.error;
    else fields[name] = read.key;
  }
  if (Object.keys(errors).length > 0) return { errors };
  return { removal: { forget: draft.kind, ...fields } as Schemas["Removal"] };
}

function readSubject(id: string): { key: string } | { error: string } {
  return id === "" ? { error: "Say whom." } : { key: id };
}
