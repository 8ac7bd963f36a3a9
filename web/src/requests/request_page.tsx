// One request: where it stands, what may be done with it, what happened, and its receipt.
import { Link } from "wouter-preact";
import { client, type Schemas, take } from "../api/client";
import { useAnswer } from "../lib/use_answer";
import { askedWords, KINDS, STATE_MEANS } from "../lib/words";
import { useLive } from "../live/live";
import { Card } from "../parts/card";
import { Digest } from "../parts/digest";
import { Due } from "../parts/due";
import { type Fact, Facts } from "../parts/facts";
import { Loaded } from "../parts/loading";
import { PageTitle } from "../parts/page_title";
import { StateBadge } from "../parts/state_badge";
import { Time } from "../parts/time";
import { ReceiptCard } from "./receipt_card";
import { RequestActions } from "./request_actions";
import { Timeline } from "./timeline";

export function RequestPage({ id }: { id: string }) {
  const { requests: news } = useLive();
  const answer = useAnswer(() => take(client.GET("/v1/requests/{id}", { params: { path: { id } } })), [id, news]);
  const title = answer.data ? `Request ${answer.data.number}` : "Request";
  return (
    <>
      <p class="back">
        <Link href="/requests">← All requests</Link>
      </p>
      <PageTitle title={title}>
        {answer.data && <RequestActions request={answer.data} onChanged={answer.reload} />}
      </PageTitle>
      <Loaded answer={answer} what="the request">
        {(request) => <Details request={request} />}
      </Loaded>
    </>
  );
}

function Details({ request }: { request: Schemas["Request"] }) {
  return (
    <div class="grid grid-two">
      <div class="stack">
        <Card title="Where it stands">
          <Facts facts={facts(request)} />
        </Card>
        {request.entry !== null && <ReceiptCard request={request} entry={request.entry} />}
      </div>
      <Card title="What happened">
        <Timeline request={request} />
      </Card>
    </div>
  );
}

function facts(request: Schemas["Request"]): Fact[] {
  const found: Fact[] = [
    [
      "State",
      <>
        <StateBadge state={request.state} />
        <span class="block small muted">{STATE_MEANS[request.state]}</span>
      </>,
    ],
    [
      "What is asked",
      request.request ? (
        <>
          {KINDS[request.kind]} <strong class="asked">{askedWords(request.request)}</strong>
        </>
      ) : (
        <>
          {KINDS[request.kind]} <span class="muted">name erased</span>
        </>
      ),
    ],
  ];
  if (request.days_left !== null) found.push(["Due", <Due request={request} />]);
  if (request.extended) {
    found.push([
      "Extension",
      <>
        moved once, from <Time iso={request.first_due} form="date" /> to <Time iso={request.due} form="date" />
      </>,
    ]);
  }
  found.push(["Received", <Time iso={request.received} />]);
  if (request.finished) found.push(["Finished", <Time iso={request.finished} />]);
  if (request.commitment) found.push(["Commitment", <Digest value={request.commitment} what="the commitment" />]);
  found.push(["Id", <Digest value={request.id} what="the id" />]);
  return found;
}
