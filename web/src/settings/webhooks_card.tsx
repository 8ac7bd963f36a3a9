import { client, type Schemas, take } from "../api/client";
import { useAnswer } from "../lib/use_answer";
import { counted } from "../lib/words";
import { Card } from "../parts/card";
import { Loaded } from "../parts/loading";
import { useSession } from "../session/session";
import { eventsWords } from "./policy_words";

export function WebhooksCard() {
  const { may } = useSession();
  return (
    <Card title="Webhooks" wide>
      {may("operate") ? <List /> : <p>It takes a token with the scope “operate” to see who is told of changes.</p>}
    </Card>
  );
}

function List() {
  const list = useAnswer(() => take(client.GET("/v1/webhooks")), []);
  return (
    <Loaded answer={list} what="webhooks">
      {(now) => (
        <>
          {now.webhooks.length === 0 ? <p>Nobody is told of changes.</p> : <Table webhooks={now.webhooks} />}
          <p class="muted">
            {counted(now.waiting, "delivery waits", "deliveries wait")}, {counted(now.failed, "was", "were")} given up.
            An event may come twice. It then has the same number.
          </p>
        </>
      )}
    </Loaded>
  );
}

function Table({ webhooks }: { webhooks: Schemas["Webhook"][] }) {
  return (
    <table class="table">
      <caption class="sr-only">Who is told of changes</caption>
      <thead>
        <tr>
          <th scope="col">Address</th>
          <th scope="col">Hears of</th>
          <th scope="col">State</th>
        </tr>
      </thead>
      <tbody>
        {webhooks.map((webhook) => (
          <tr key={webhook.id}>
            <th scope="row" class="wrap">
              {webhook.url}
            </th>
            <td>{eventsWords(webhook)}</td>
            <td>{webhook.active ? "on" : "off"}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
