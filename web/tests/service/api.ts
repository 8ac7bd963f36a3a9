// The service by its generated client, for what a test needs before it looks at the page.
import createClient from "openapi-fetch";
import { expect, inject } from "vitest";
import type { components, paths } from "../../src/api/schema";

export type Schemas = components["schemas"];

export function api(token: string = inject("operator")) {
  return createClient<paths>({ baseUrl: inject("url"), headers: { Authorization: `Bearer ${token}` } });
}

// An open request.  It waits for an operator, or is queued at once, as the policy says.
export async function submit(body: Schemas["Removal"]): Promise<Schemas["Request"]> {
  const { data, error } = await api().POST("/v1/requests", { body });
  expect(error).toBeUndefined();
  return data!;
}

export async function setPolicy(change: Partial<Schemas["Policy"]>): Promise<void> {
  const { data } = await api().GET("/v1/policy");
  const { error } = await api().PUT("/v1/policy", { body: { ...data!, ...change } });
  expect(error).toBeUndefined();
}

// A subject that is still there, another one every time.
let given = 0;
export async function someSubject(): Promise<string> {
  const { data } = await api().GET("/v1/subjects", { params: { query: { limit: 200 } } });
  const { id } = data!.list[given++ % data!.list.length]!;
  if (typeof id !== "string") throw new Error("made data have ids that are text");
  return id;
}

export async function untilFinal(id: string): Promise<Schemas["Request"]> {
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline) {
    const { data } = await api().GET("/v1/requests/{id}", { params: { path: { id } } });
    if (data!.finished) return data!;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("the request is not final after a minute");
}
