// One graph as SVG.  What goes is drawn dashed and with a cross, so that it does not depend on colours.
import type { Schemas } from "../api/client";
import { HEIGHT, type Point, WIDTH } from "./layout";

interface DrawingProps {
  picture: Schemas["Picture"];
  places: Map<number, Point>;
  after: boolean; // without what goes
  label: string;
}

export function Drawing({ picture, places, after, label }: DrawingProps) {
  const radius = picture.nodes.length > 120 ? 2.5 : picture.nodes.length > 50 ? 3.5 : 5;
  const shownNodes = picture.nodes.filter((node) => !(after && node.gone));
  const shownEdges = picture.edges.filter((edge) => !(after && edge.gone));
  return (
    <svg class="drawing" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      <g>
        {shownEdges.map((edge) => (
          <Edge
            key={`${edge.from}-${edge.to}`}
            edge={edge}
            places={places}
            directed={picture.directed}
            radius={radius}
          />
        ))}
      </g>
      <g>
        {shownNodes.map((node) => (
          <Node key={node.number} node={node} at={places.get(node.number)!} radius={radius} after={after} />
        ))}
      </g>
    </svg>
  );
}

function Edge({
  edge,
  places,
  directed,
  radius,
}: {
  edge: Schemas["PictureEdge"];
  places: Map<number, Point>;
  directed: boolean;
  radius: number;
}) {
  const from = places.get(edge.from);
  const to = places.get(edge.to);
  if (!from || !to) return null;
  const line = <line class={edge.gone ? "edge edge-gone" : "edge"} x1={from.x} y1={from.y} x2={to.x} y2={to.y} />;
  if (!directed) return line;
  return (
    <>
      {line}
      <path class={edge.gone ? "tip tip-gone" : "tip"} d={tip(from, to, radius)} />
    </>
  );
}

// A small arrow head that ends at the rim of the node.
function tip(from: Point, to: Point, radius: number): string {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [dx, dy] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const at = (along: number, aside: number) => {
    const x = to.x - dx * (radius + along) - dy * aside;
    const y = to.y - dy * (radius + along) + dx * aside;
    return `${x.toFixed(1)} ${y.toFixed(1)}`;
  };
  return `M${at(0, 0)}L${at(5, 2.2)}L${at(5, -2.2)}Z`;
}

function Node({
  node,
  at,
  radius,
  after,
}: {
  node: Schemas["PictureNode"];
  at: Point;
  radius: number;
  after: boolean;
}) {
  const name = node.id ?? `#${node.number}`;
  const kind = node.gone ? "node node-gone" : node.features_gone ? "node node-bare" : "node";
  const r = node.gone || node.features_gone ? radius + 1.5 : radius;
  const arm = r * 0.6;
  return (
    <g class={kind}>
      <title>{name + fate(node, after)}</title>
      <circle cx={at.x} cy={at.y} r={r} />
      {node.gone && (
        <path d={`M${at.x - arm} ${at.y - arm}l${2 * arm} ${2 * arm}m0 ${-2 * arm}l${-2 * arm} ${2 * arm}`} />
      )}
    </g>
  );
}

function fate(node: Schemas["PictureNode"], after: boolean): string {
  if (node.gone) return ", goes";
  if (!node.features_gone) return "";
  return after ? ", without features" : ", features go";
}
