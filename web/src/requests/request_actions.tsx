import { useState } from "preact/hooks";
import type { Schemas } from "../api/client";
import type { Action } from "../lib/words";
import { useSession } from "../session/session";
import { ActionDialog } from "./action_dialog";
import { ACTIONS, ORDER } from "./actions";

// Only what the service says is possible now, and only for tokens that may operate.
export function RequestActions({ request, onChanged }: { request: Schemas["Request"]; onChanged: () => void }) {
  const { may } = useSession();
  const [asked, setAsked] = useState<Action | null>(null);
  if (!may("operate")) return null;
  const possible = ORDER.filter((action) => request.actions.includes(action));
  return (
    <>
      {possible.map((action) => (
        <button
          key={action}
          type="button"
          class={`button${action === "verify" ? " button-main" : ""}`}
          onClick={() => setAsked(action)}
        >
          {ACTIONS[action].button}
        </button>
      ))}
      {asked && <ActionDialog action={asked} request={request} onClose={() => setAsked(null)} onDone={onChanged} />}
    </>
  );
}
