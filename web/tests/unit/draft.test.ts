import { expect, it } from "vitest";
import { readKey } from "../../src/lib/keys";
import { type Draft, EMPTY_DRAFT, readDraft } from "../../src/requests/draft";

it.each([
  ["17", 17],
  ["0", 0],
  ["case-17", "case-17"],
  ["id:17", "17"],
  ["1.0", "1.0"],
  ["-1", "-1"],
  [" 3 ", 3],
])("%j means %j", (written, key) => expect(readKey(written)).toEqual({ key }));

it.each(["", "  ", "id:", "007", "99999999999999999999"])("%j is refused", (written) =>
  expect(readKey(written)).toHaveProperty("error"),
);

it.each([
  [
    { kind: "subject", id: "17" },
    { forget: "subject", id: "17" },
  ],
  [
    { kind: "node", graph: "17", node: "user-3" },
    { forget: "node", graph: 17, node: "user-3" },
  ],
  [
    { kind: "features", graph: "id:17", node: "3" },
    { forget: "features", graph: "17", node: 3 },
  ],
  [
    { kind: "edge", graph: "g", from: "3", to: "5" },
    { forget: "edge", graph: "g", from: 3, to: 5 },
  ],
  [
    { kind: "graph", graph: "g", node: "left over" },
    { forget: "graph", graph: "g" },
  ],
] as [Partial<Draft>, object][])("%j asks for %j", (draft, removal) =>
  expect(readDraft({ ...EMPTY_DRAFT, ...draft })).toEqual({ removal }),
);

it("every missing field is named", () => {
  expect(readDraft({ ...EMPTY_DRAFT, kind: "edge", from: "3" })).toEqual({
    errors: { graph: expect.any(String), to: expect.any(String) },
  });
  expect(readDraft(EMPTY_DRAFT)).toHaveProperty("errors.id");
});
