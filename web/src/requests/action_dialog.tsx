import { useRef, useState } from "preact/hooks";
import type { Schemas } from "../api/client";
import { type Problem, problemFrom } from "../api/problem";
import { type Action, type Note, NOTES, sentence, STATES } from "../lib/words";
import { useAnnounce } from "../parts/announcer";
import { Dialog } from "../parts/dialog";
import { ProblemNotice } from "../parts/notice";
import { focusHeading } from "../parts/page_title";
import { ACTIONS, perform } from "./actions";

interface DialogProps {
  action: Action;
  request: Schemas["Request"];
  onClose: () => void;
  onDone: () => void;
}

export function ActionDialog({ action, request, onClose, onDone }: DialogProps) {
  const words = ACTIONS[action];
  const announce = useAnnounce();
  const [note, setNote] = useState<Note | undefined>(words.notes[0]);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  // Then the button that had the focus is about to go.
  const done = useRef(false);
  const leave = () => {
    if (done.current) focusHeading();
    return done.current;
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    try {
      const changed = await perform(action, request.id, note);
      announce(
        action === "extend" ? "The due date was moved." : `Request ${changed.number}: ${STATES[changed.state]}.`,
      );
      done.current = true;
      onDone();
      onClose();
    } catch (error) {
      setProblem(problemFrom(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title={words.title} onClose={onClose} leave={leave}>
      <form class="stack" onSubmit={submit}>
        <p>{words.explain}</p>
        {words.notes.length > 0 && <Reasons notes={words.notes} chosen={note} onChoose={setNote} />}
        {problem && <ProblemNotice problem={problem} />}
        <div class="actions actions-end">
          <button type="button" class="button" onClick={onClose}>
            Back
          </button>
          <button class={`button ${words.grave ? "button-grave" : "button-main"}`} disabled={busy}>
            {words.button}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function Reasons({
  notes,
  chosen,
  onChoose,
}: {
  notes: Note[];
  chosen: Note | undefined;
  onChoose: (note: Note) => void;
}) {
  return (
    <fieldset class="reasons">
      <legend>Reason, kept in the history</legend>
      {notes.map((note) => (
        <label key={note}>
          <input type="radio" name="note" checked={note === chosen} onChange={() => onChoose(note)} />
          <span>{sentence(NOTES[note]) || "No reason"}</span>
        </label>
      ))}
    </fieldset>
  );
}
