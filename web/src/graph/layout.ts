// Where nodes go.  The same graph always gets the same picture: nodes and edges are put in order first, and the
// simulation starts on a fixed spiral with a fixed sequence of "random" numbers.
import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY } from "d3-force";

export interface Point {
  x: number;
  y: number;
}

interface Pair {
  from: number;
  to: number;
}

export const WIDTH = 360;
export const HEIGHT = 260;
const MARGIN = 14;
const STEPS = 240;
// Nodes without an edge would drift away and make everything else small.
const LONELY_PULL = 0.16;

type Placed = { number: number; x: number; y: number };

// By the number of the node.
export function layout(numbers: number[], edges: Pair[]): Map<number, Point> {
  const nodes = [...numbers].sort((a, b) => a - b).map((number): Placed => ({ number, x: NaN, y: NaN }));
  const known = new Set(numbers);
  const links = edges
    .filter(({ from, to }) => from !== to && known.has(from) && known.has(to))
    .sort((a, b) => a.from - b.from || a.to - b.to)
    .map(({ from, to }) => ({ source: from, target: to }));
  const tied = new Set(links.flatMap(({ source, target }) => [source, target]));
  forceSimulation(nodes)
    .force("repulsion", forceManyBody().strength(-60))
    .force(
      "edges",
      forceLink<Placed, (typeof links)[0]>([...links])
        .id((node) => node.number)
        .distance(28),
    )
    .force("apart", forceCollide(7))
    .force(
      "across",
      forceX<Placed>().strength((node) => (tied.has(node.number) ? 0.06 : LONELY_PULL)),
    )
    .force(
      "down",
      forceY<Placed>().strength((node) => (tied.has(node.number) ? 0.08 : LONELY_PULL)),
    )
    .stop()
    .tick(STEPS);
  return fit(nodes);
}

// Into the picture, with the same scale in both directions.
function fit(nodes: Placed[]): Map<number, Point> {
  const [left, right] = range(nodes.map((node) => node.x));
  const [top, bottom] = range(nodes.map((node) => node.y));
  const scale = Math.min(
    (WIDTH - 2 * MARGIN) / Math.max(right - left, 1),
    (HEIGHT - 2 * MARGIN) / Math.max(bottom - top, 1),
    2.5,
  );
  const place = (value: number, low: number, high: number, size: number) =>
    Math.round(10 * (size / 2 + (value - (low + high) / 2) * scale)) / 10;
  return new Map(
    nodes.map((node) => [node.number, { x: place(node.x, left, right, WIDTH), y: place(node.y, top, bottom, HEIGHT) }]),
  );
}

function range(values: number[]): [number, number] {
  return values.length === 0 ? [0, 0] : [Math.min(...values), Math.max(...values)];
}
