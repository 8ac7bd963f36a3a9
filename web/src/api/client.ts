// Typed by docs/openapi.json.  The cookie goes along by itself; unsafe requests carry the session's CSRF token.
import createClient, { type Middleware } from "openapi-fetch";
import type { components, paths } from "./schema";
import { problemOf, ProblemError } from "./problem";

export type Schemas = components["schemas"];

let csrf = "";
let onSessionEnd = () => {};

export function setCsrf(token: string): void {
  csrf = token;
}

// Called when the service no longer knows the cookie.
export function whenSessionEnds(action: () => void): void {
  onSessionEnd = action;
}

const guard: Middleware = {
  onRequest({ request }) {
    if (request.method !== "GET" && csrf) request.headers.set("X-CSRF-Token", csrf);
    return request;
  },
};

export const client = createClient<paths>({ baseUrl: location.origin, credentials: "same-origin" });
client.use(guard);

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

// The data of an answer.  Everything else is thrown as a ProblemError.
export async function take<T>(call: Promise<Answer<T>>): Promise<T> {
  let answer: Answer<T>;
  try {
    answer = await call;
  } catch {
    throw new ProblemError({ title: "No answer", detail: "The service cannot be reached.", status: 0 });
  }
  const { response } = answer;
  if (response.ok) return answer.data as T;
  if (response.status === 401) onSessionEnd();
  throw new ProblemError(problemOf(answer.error, response));
}
