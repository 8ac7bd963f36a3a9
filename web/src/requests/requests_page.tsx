import { useEffect, useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { client, take } from "../api/client";
import { useAnswer } from "../lib/use_answer";
import { useDelayed } from "../lib/use_delayed";
import { useLive } from "../live/live";
import { Loaded } from "../parts/loading";
import { focusHeading, PageTitle } from "../parts/page_title";
import { Pager } from "../parts/pager";
import { useSession } from "../session/session";
import { FilterBar, type Filters, NO_FILTERS } from "./filters";
import { RequestTable } from "./request_table";

const PER_PAGE = 25;
// Kept while the page is open, so that "back" shows the same list.  Never in the address: a search may name somebody.
let kept: Filters = NO_FILTERS;

export function RequestsPage() {
  const { may } = useSession();
  const { requests: news } = useLive();
  const [filters, setFilters] = useState(kept);
  const [cursors, setCursors] = useState<string[]>([]);
  const search = useDelayed(filters.search.trim(), 250);
  const cursor = cursors.at(-1);
  const change = (next: Filters) => {
    setFilters(next);
    setCursors([]);
  };
  useEffect(() => void (kept = filters), [filters]);

  const answer = useAnswer(
    () =>
      take(
        client.GET("/v1/requests", {
          params: {
            query: {
              limit: PER_PAGE,
              cursor,
              search: search || undefined,
              state: filters.state || undefined,
              overdue: filters.overdue || undefined,
            },
          },
        }),
      ),
    [search, filters.state, filters.overdue, cursor, news],
  );
  const filtered = filters.search !== "" || filters.state !== "" || filters.overdue;

  return (
    <>
      <PageTitle title="Requests">
        {may("submit") && (
          <Link href="/requests/new" class="button button-main">
            New request
          </Link>
        )}
      </PageTitle>
      <FilterBar filters={filters} onChange={change} />
      <Loaded answer={answer} what="requests">
        {({ requests, next }) =>
          requests.length === 0 && cursors.length === 0 ? (
            <Empty filtered={filtered} onClear={() => change(NO_FILTERS)} />
          ) : (
            <>
              <RequestTable requests={requests} busy={answer.loading} />
              <Pager
                page={cursors.length + 1}
                next={next !== null}
                onPrevious={() => setCursors(cursors.slice(0, -1))}
                onNext={() => next !== null && setCursors([...cursors, next])}
              />
            </>
          )
        }
      </Loaded>
    </>
  );
}

function Empty({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  const clear = () => {
    focusHeading();
    onClear();
  };
  if (!filtered) return <p class="empty">Nobody has asked to be forgotten yet.</p>;
  return (
    <div class="empty">
      <p>No request fits.</p>
      <button type="button" class="button" onClick={clear}>
        Show all requests
      </button>
    </div>
  );
}
