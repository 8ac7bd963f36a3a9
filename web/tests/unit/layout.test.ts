import { expect, it } from "vitest";
import { HEIGHT, layout, WIDTH } from "../../src/graph/layout";

const numbers = Array.from({ length: 30 }, (_, i) => i * 3);
const edges = numbers.slice(1).map((number, i) => ({ from: number, to: numbers[Math.floor(i / 2)]! }));

it("the same graph gets the same picture, in whatever order it comes", () => {
  const once = layout(numbers, edges);
  const again = layout([...numbers].reverse(), [...edges].reverse());
  expect([...again].sort()).toEqual([...once].sort());
});

it("every node has a place of its own inside of the picture", () => {
  const places = [...layout(numbers, edges).values()];
  expect(places).toHaveLength(numbers.length);
  expect(new Set(places.map(({ x, y }) => `${x} ${y}`)).size).toBe(numbers.length);
  for (const { x, y } of places) {
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x).toBeLessThanOrEqual(WIDTH);
    expect(y).toBeGreaterThanOrEqual(0);
    expect(y).toBeLessThanOrEqual(HEIGHT);
  }
});

it.each([
  ["no node", [], []],
  ["one node", [7], []],
  ["a loop", [7], [{ from: 7, to: 7 }]],
  ["an edge to a node that is not there", [7], [{ from: 7, to: 8 }]],
])("%s is drawn without numbers that are none", (_, some, ties) => {
  for (const { x, y } of layout(some, ties).values()) expect(Number.isFinite(x) && Number.isFinite(y)).toBe(true);
});
