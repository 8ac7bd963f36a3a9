import { Link } from "wouter-preact";
import type { Schemas } from "../api/client";
import { askedWords, KINDS } from "../lib/words";
import { Due } from "../parts/due";
import { StateBadge } from "../parts/state_badge";
import { Time } from "../parts/time";

export function RequestTable({ requests, busy }: { requests: Schemas["Request"][]; busy: boolean }) {
  return (
    <table class="table requests" aria-busy={busy}>
      <caption class="sr-only">Requests, the newest first</caption>
      <thead>
        <tr>
          <th scope="col" class="wide-only number">
            No.
          </th>
          <th scope="col">Request</th>
          <th scope="col">State</th>
          <th scope="col">Due</th>
          <th scope="col" class="wide-only">
            Received
          </th>
          <th scope="col" class="wide-only number">
            Entry
          </th>
        </tr>
      </thead>
      <tbody>
        {requests.map((request) => (
          <Row key={request.id} request={request} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ request }: { request: Schemas["Request"] }) {
  return (
    <tr>
      <td class="wide-only number muted">{request.number}</td>
      <th scope="row">
        <Link href={`/requests/${request.id}`} class="row-link">
          {KINDS[request.kind]}{" "}
          {request.request ? (
            <span class="asked">{askedWords(request.request)}</span>
          ) : (
            <span class="muted">name erased</span>
          )}
        </Link>
        <code class="small muted block">{request.id.slice(0, 8)}</code>
      </th>
      <td>
        <StateBadge state={request.state} />
      </td>
      <td>
        <Due request={request} />
      </td>
      <td class="wide-only">
        <Time iso={request.received} />
      </td>
      <td class="wide-only number">{request.entry ?? <span class="muted">–</span>}</td>
    </tr>
  );
}
