import { type State, STATES } from "../lib/words";

const TONES: Record<State, string> = {
  received: "warn",
  verified: "info",
  queued: "info",
  done: "good",
  "already-absent": "plain",
  refused: "plain",
  failed: "bad",
  cancelled: "plain",
};

export function StateBadge({ state }: { state: State }) {
  return <span class={`badge badge-${TONES[state]}`}>{STATES[state]}</span>;
}
