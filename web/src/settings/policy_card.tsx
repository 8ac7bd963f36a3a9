import { client, take } from "../api/client";
import { useAnswer } from "../lib/use_answer";
import { Card } from "../parts/card";
import { Facts } from "../parts/facts";
import { Loaded } from "../parts/loading";
import { policyWords } from "./policy_words";

export function PolicyCard() {
  const policy = useAnswer(() => take(client.GET("/v1/policy")), []);
  return (
    <Card title="Policy" wide>
      <Loaded answer={policy} what="the policy">
        {(now) => <Facts facts={policyWords(now)} />}
      </Loaded>
      <p class="small muted">
        A change applies to requests that come later. Due dates that were given stay. Operators change the policy by{" "}
        <code>PUT /v1/policy</code>.
      </p>
    </Card>
  );
}
