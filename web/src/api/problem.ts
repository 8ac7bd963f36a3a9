// Errors as people read them: problem documents (RFC 9457), or a sentence where there is none.
export interface Problem {
  title: string;
  detail: string;
  status: number;
  instance?: string;
  retryAfter?: number;
}

export class ProblemError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail || problem.title);
  }
}

export function problemOf(body: unknown, response: Response): Problem {
  const given = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  const word = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);
  const retry = Number(response.headers.get("Retry-After"));
  return {
    title: word(given.title) ?? "The service refused",
    detail: word(given.detail) ?? `It answered ${response.status} without a reason.`,
    status: response.status,
    instance: word(given.instance),
    retryAfter: retry > 0 ? retry : undefined,
  };
}

export function problemFrom(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  return { title: "Something went wrong on this page", detail: String((error as Error)?.message ?? error), status: 0 };
}
