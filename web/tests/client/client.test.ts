// A client that is made from nothing but the OpenAPI document of the running service.
import openapiTypescript, { astToString } from "openapi-typescript";
import { readFileSync } from "node:fs";
import { expect, inject, it } from "vitest";
import { api, setPolicy, someSubject, submit, untilFinal, type Schemas } from "../service/api";

it("the document that is served gives the types that these tests are compiled with", async () => {
  const served = await (await fetch(inject("url") + "/v1/openapi.json")).text();
  const types = astToString(await openapiTypescript(served));
  const committed = readFileSync(new URL("../../src/api/schema.d.ts", import.meta.url), "utf8");
  expect(committed).toContain(types.trim());
});

it("a request goes in and its receipt comes out", async () => {
  await setPolicy({ verify: true });
  const subject = await someSubject();
  const asked = await submit({ forget: "subject", id: subject });
  expect(asked.state).toBe("received");
  expect(asked.request).toEqual({ forget: "subject", id: subject });

  const path = { id: asked.id };
  const { data: approved } = await api().POST("/v1/requests/{id}/verify", {
    params: { path },
    body: { note: "identity-shown" },
  });
  expect(["queued", "done"]).toContain(approved!.state);
  const done = await untilFinal(asked.id);
  expect(done).toMatchObject({ state: "done", request: null });

  const { data: receipt } = await api().GET("/v1/receipts/{sequence}", { params: { path: { sequence: done.entry! } } });
  expect(receipt!.commitments[done.commitment_index!]).toBe(done.commitment);
  const text = JSON.stringify(receipt);
  expect(text).not.toContain(subject);
  const { data: held } = await api().GET("/v1/subjects/{id}", { params: { path: { id: subject } } });
  expect(held?.held ?? false).toBe(false);
});

it("the same key and body give the same answer, and another body is refused", async () => {
  const header = { "Idempotency-Key": `client-test-${Date.now()}` };
  const body = { forget: "subject" as const, id: await someSubject() };
  const first = await api().POST("/v1/requests", { body, params: { header } });
  const again = await api().POST("/v1/requests", { body, params: { header } });
  expect(again.data).toEqual(first.data);
  const other = await api().POST("/v1/requests", { body: { ...body, id: "another" }, params: { header } });
  expect(other.response.status).toBe(422);
  expect(other.error).toMatchObject({ status: 422, title: expect.any(String), detail: expect.any(String) });
});

it("pages of the ledger join without a gap", async () => {
  const total = (await api().GET("/v1/ledger")).data!.total;
  const seen: number[] = [];
  for (let after: number | null = -1; after !== null;) {
    const { data }: { data?: Schemas["LedgerPage"] } = await api().GET("/v1/ledger", {
      params: { query: { after, limit: 2 } },
    });
    seen.push(...data!.entries.map((entry) => entry.sequence));
    after = data!.next;
  }
  expect(seen).toEqual(Array.from({ length: total }, (_, i) => i));
});

it("preview, status, statistics, policy and prediction answer as the document says", async () => {
  const body = { requests: [{ forget: "subject" as const, id: await someSubject() }], picture: true };
  const { data: preview } = await api().POST("/v1/preview", { body });
  expect(preview!.pictures.length + preview!.pictures_left_out).toBe(preview!.edits.graphs_edited);
  expect(preview!.exposure.best_guess).toBeGreaterThanOrEqual(0.5);
  expect((await api().GET("/v1/status")).data!.certificate.satisfied).toBe(true);
  expect((await api().GET("/v1/statistics", { params: { query: { days: 7 } } })).data!.days.length).toBeGreaterThan(0);
  await api().POST("/v1/releases", { body: {} });
  const graphs = [
    {
      nodes: 3,
      edges: [
        [0, 1],
        [1, 2],
      ],
    },
  ];
  const predicted = await api().POST("/v1/predict", { body: { graphs } });
  expect(predicted.data!.classes).toContain(predicted.data!.predictions[0]!.predicted);
});

it("a token without the scope is refused by a problem document", async () => {
  const refused = await api(inject("reader")).POST("/v1/releases", { body: {} });
  expect(refused.response.status).toBe(403);
  expect(refused.response.headers.get("Content-Type")).toMatch(/^application\/problem\+json/);
});
