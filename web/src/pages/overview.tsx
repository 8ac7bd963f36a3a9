import { client, take } from "../api/client";
import { useAnswer } from "../lib/use_answer";
import { useLive } from "../live/live";
import { Loaded } from "../parts/loading";
import { Notice } from "../parts/notice";
import { PageTitle } from "../parts/page_title";
import { LatencyCard } from "./latency_card";
import { ModelsCard } from "./models_card";
import { OpenCard } from "./open_card";
import { PromiseCard } from "./promise_card";
import { RemovalsCard } from "./removals_card";

const DAYS = 30;

export function Overview() {
  const { status: news } = useLive();
  const status = useAnswer(() => take(client.GET("/v1/status")), [news]);
  const statistics = useAnswer(() => take(client.GET("/v1/statistics", { params: { query: { days: DAYS } } })), [news]);
  return (
    <>
      <PageTitle title="Overview" />
      <Loaded answer={status} what="the state of the workspace">
        {(now) => (
          <>
            {now.read_only && (
              <Notice tone="bad" title="The service takes no changes" alert>
                <p>{now.problem}</p>
              </Notice>
            )}
            <div class="grid">
              <div class="stack">
                <OpenCard status={now} />
                <ModelsCard status={now} onPublished={status.reload} />
              </div>
              <PromiseCard status={now} />
            </div>
          </>
        )}
      </Loaded>
      <Loaded answer={statistics} what="figures">
        {(figures) => (
          <div class="grid">
            <RemovalsCard figures={figures} count={DAYS} />
            <LatencyCard figures={figures} />
          </div>
        )}
      </Loaded>
    </>
  );
}
