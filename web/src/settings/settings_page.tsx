// What the operator has decided.  To look at: the service takes changes by its interface.
import { PageTitle } from "../parts/page_title";
import { PolicyCard } from "./policy_card";
import { WebhooksCard } from "./webhooks_card";

export function SettingsPage() {
  return (
    <>
      <PageTitle title="Settings" />
      <div class="stack">
        <PolicyCard />
        <WebhooksCard />
      </div>
    </>
  );
}
