// What an operator can do with a request, and the reasons that the service knows.  They are a fixed list, because what
// people write names people.
import { client, type Schemas, take } from "../api/client";
import type { Action, Note } from "../lib/words";

interface ActionWords {
  button: string;
  title: string;
  explain: string;
  notes: Note[];
  grave: boolean;
}

export const ACTIONS: Record<Action, ActionWords> = {
  verify: {
    button: "Approve",
    title: "Approve this request?",
    grave: false,
    notes: ["identity-shown", "none"],
    explain: "It is queued and done with the next update. What is removed cannot be brought back.",
  },
  refuse: {
    button: "Refuse",
    title: "Refuse this request?",
    grave: true,
    notes: ["identity-not-shown", "must-be-kept", "excessive"],
    explain: "Nothing is removed. The name is erased from the request, so it cannot be taken up again.",
  },
  cancel: {
    button: "Cancel request",
    title: "Cancel this request?",
    grave: true,
    notes: ["withdrawn", "mistake", "none"],
    explain: "Nothing is removed. The name is erased from the request, so it cannot be taken up again.",
  },
  extend: {
    button: "Extend",
    title: "Move the due date?",
    grave: false,
    notes: ["complex", "many-requests"],
    explain: "This is possible once. The person who asked has to be told of the extension and of the reason.",
  },
  retry: {
    button: "Try again",
    title: "Queue this request again?",
    grave: false,
    notes: [],
    explain: "The update is computed again.",
  },
};

export const ORDER: Action[] = ["verify", "retry", "extend", "refuse", "cancel"];

export function perform(action: Action, id: string, note: Note | undefined): Promise<Schemas["Request"]> {
  const params = { path: { id } };
  switch (action) {
    case "verify":
      return take(client.POST("/v1/requests/{id}/verify", { params, body: { note: note as "none" } }));
    case "refuse":
      return take(client.POST("/v1/requests/{id}/refuse", { params, body: { note: note as "excessive" } }));
    case "cancel":
      return take(client.POST("/v1/requests/{id}/cancel", { params, body: { note: note as "none" } }));
    case "extend":
      return take(client.POST("/v1/requests/{id}/extend", { params, body: { note: note as "complex" } }));
    case "retry":
      return take(client.POST("/v1/requests/{id}/retry", { params, body: {} }));
  }
}
