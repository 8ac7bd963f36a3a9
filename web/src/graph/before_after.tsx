// A touched graph before and after the removal.  Nodes keep their places, so that only what goes makes a difference.
import { useMemo } from "preact/hooks";
import type { Schemas } from "../api/client";
import { counted } from "../lib/words";
import { Drawing } from "./drawing";
import { layout } from "./layout";

export function BeforeAfter({ picture }: { picture: Schemas["Picture"] }) {
  const places = useMemo(
    () =>
      layout(
        picture.nodes.map((node) => node.number),
        picture.edges,
      ),
    [picture],
  );
  const left = remaining(picture);
  const before = sizeWords(picture.nodes.length, picture.edges.length);
  const after = picture.removed ? "the whole graph is gone" : sizeWords(left.nodes, left.edges);
  return (
    <div class="before-after">
      <p class="picture-name">
        <strong>{picture.id ?? `#${picture.graph}`}</strong> <span class="muted">class {picture.class}</span>
      </p>
      <div class="picture-pair">
        <figure>
          <Drawing picture={picture} places={places} after={false} label={`Before: ${before}. ${goesWords(picture)}`} />
          <figcaption>
            <strong>Before</strong> {before}
          </figcaption>
        </figure>
        <figure>
          {picture.removed ? (
            <div class="drawing drawing-empty">Nothing is left of this graph.</div>
          ) : (
            <Drawing picture={picture} places={places} after label={`After: ${after}.`} />
          )}
          <figcaption>
            <strong>After</strong> {after}
          </figcaption>
        </figure>
      </div>
    </div>
  );
}

export function Legend() {
  return (
    <ul class="legend small" aria-label="What the picture shows">
      <li>
        <span class="key key-stays" /> stays
      </li>
      <li>
        <span class="key key-goes">×</span> goes
      </li>
      <li>
        <span class="key key-bare" /> stays without features
      </li>
    </ul>
  );
}

function remaining(picture: Schemas["Picture"]) {
  return {
    nodes: picture.nodes.filter((node) => !node.gone).length,
    edges: picture.edges.filter((edge) => !edge.gone).length,
  };
}

function sizeWords(nodes: number, edges: number): string {
  return `${counted(nodes, "node", "nodes")}, ${counted(edges, "edge", "edges")}`;
}

function goesWords(picture: Schemas["Picture"]): string {
  if (picture.removed) return "The whole graph goes.";
  const gone = picture.nodes.filter((node) => node.gone).map((node) => node.id ?? `#${node.number}`);
  const bare = picture.nodes.filter((node) => node.features_gone).map((node) => node.id ?? `#${node.number}`);
  const edges = picture.edges.filter((edge) => edge.gone).length;
  const parts = [
    gone.length > 0 ? `nodes ${gone.join(", ")}` : "",
    bare.length > 0 ? `features of ${bare.join(", ")}` : "",
    edges > 0 ? counted(edges, "edge", "edges") : "",
  ].filter(Boolean);
  return parts.length > 0 ? `What goes: ${parts.join("; ")}.` : "";
}
