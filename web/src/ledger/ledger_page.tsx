// The ledger.  The page believes nothing that it has not computed: hashes, signatures and links are checked here.
import { useEffect, useState } from "preact/hooks";
import { type Problem, problemFrom } from "../api/problem";
import { useLive } from "../live/live";
import { useAnnounce } from "../parts/announcer";
import { Loading } from "../parts/loading";
import { ProblemNotice } from "../parts/notice";
import { PageTitle } from "../parts/page_title";
import { Pager } from "../parts/pager";
import { checkLedger, type LedgerCheck } from "./check_ledger";
import { LedgerTable } from "./ledger_table";
import { LedgerVerdict } from "./ledger_verdict";
import { remember, seenBefore } from "./trust";

const PER_PAGE = 25;

export function LedgerPage() {
  const { status: news } = useLive();
  const announce = useAnnounce();
  const [seen, setSeen] = useState(seenBefore);
  const [found, setFound] = useState<LedgerCheck | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [page, setPage] = useState(0);
  const [tries, setTries] = useState(0);

  useEffect(() => {
    let stopped = false;
    setProblem(null);
    checkLedger(
      seen,
      (now) => !stopped && setFound((old) => (old?.finished ? old : now)),
      () => stopped,
    ).then(
      (now) => {
        if (stopped) return;
        setFound(now);
        if (now.faults.length === 0) announce("The ledger is good.");
        const last = now.entries.at(-1);
        if (now.faults.length === 0 && last) remember({ signer: now.signer, sequence: last.sequence, hash: last.hash });
      },
      (error) => !stopped && setProblem(problemFrom(error)),
    );
    return () => void (stopped = true);
  }, [news, tries, seen]);

  const forget = () => {
    remember(null);
    setSeen(null);
    setFound(null);
  };
  return (
    <>
      <PageTitle title="Ledger" />
      {problem && <ProblemNotice problem={problem} retry={() => setTries(tries + 1)} />}
      {found ? (
        <LedgerVerdict found={found} seen={seen} onForget={forget} />
      ) : (
        !problem && <Loading what="the ledger" />
      )}
      {found && <Entries found={found} page={page} onPage={setPage} />}
    </>
  );
}

function Entries({ found, page, onPage }: { found: LedgerCheck; page: number; onPage: (page: number) => void }) {
  const newestFirst = [...found.entries].reverse();
  const shown = newestFirst.slice(page * PER_PAGE, (page + 1) * PER_PAGE);
  return (
    <>
      <LedgerTable entries={shown} />
      <Pager
        page={page + 1}
        next={(page + 1) * PER_PAGE < newestFirst.length}
        onPrevious={() => onPage(page - 1)}
        onNext={() => onPage(page + 1)}
      />
    </>
  );
}
