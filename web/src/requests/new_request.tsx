// A request in two steps: say what, look at what it changes, send it.
import { useRef, useState } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { client, type Schemas, take } from "../api/client";
import { type Problem, problemFrom } from "../api/problem";
import { useAnnounce } from "../parts/announcer";
import { ProblemNotice } from "../parts/notice";
import { PageTitle } from "../parts/page_title";
import { useSession } from "../session/session";
import { type Draft, EMPTY_DRAFT, type Errors, readDraft } from "./draft";
import { freshKey } from "./idempotency";
import { PreviewPanel } from "./preview_panel";
import { RequestForm } from "./request_form";

export function NewRequest() {
  const { may } = useSession();
  const announce = useAnnounce();
  const [, go] = useLocation();
  const [draft, setDraft] = useState<Draft>(EMPTY_DRAFT);
  const [errors, setErrors] = useState<Errors>({});
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState<"preview" | "send" | null>(null);
  const [preview, setPreview] = useState<Schemas["Preview"] | null>(null);
  // One key per content: a second click, or a try after a lost answer, does not make a second request.
  const key = useRef(freshKey());

  const change = (next: Draft) => {
    setDraft(next);
    setErrors({});
    setPreview(null);
    setProblem(null);
    key.current = freshKey();
  };
  const attempt = async (step: "preview" | "send", act: (removal: Schemas["Removal"]) => Promise<void>) => {
    const read = readDraft(draft);
    if ("errors" in read) return setErrors(read.errors);
    setBusy(step);
    setProblem(null);
    try {
      await act(read.removal);
    } catch (error) {
      setProblem(problemFrom(error));
    }
    setBusy(null);
  };
  const look = () =>
    attempt("preview", async (removal) => {
      setPreview(await take(client.POST("/v1/preview", { body: { requests: [removal], picture: true } })));
      announce("The preview is ready.");
    });
  const send = () =>
    attempt("send", async (removal) => {
      const header = { "Idempotency-Key": key.current };
      const sent = await take(client.POST("/v1/requests", { body: removal, params: { header } }));
      announce(`Request ${sent.number} was received.`);
      go(`/requests/${sent.id}`);
    });

  return (
    <>
      <PageTitle title="New request" />
      <RequestForm
        draft={draft}
        errors={errors}
        onChange={change}
        onPreview={look}
        onSend={send}
        busy={busy}
        mayPreview={may("operate")}
        maySend={may("submit")}
        previewed={preview !== null}
      />
      {problem && <ProblemNotice problem={problem} />}
      {preview && <PreviewPanel preview={preview} />}
      {preview && may("submit") && (
        <div class="actions actions-end">
          <button type="button" class="button button-main" disabled={busy !== null} onClick={send}>
            {busy === "send" ? "Sending …" : "Send this request"}
          </button>
        </div>
      )}
    </>
  );
}
