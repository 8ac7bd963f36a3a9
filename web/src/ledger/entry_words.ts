// What an entry did, in words that are made here from the signed body.
import { type Exact, isObject, number, text } from "../proof/json";
import { counted } from "../lib/words";

export const ENTRY_KINDS: Record<string, string> = {
  created: "Created",
  forgotten: "Forgotten",
  released: "Released",
  upgraded: "Upgraded",
  replayed: "Replayed",
  renewed: "Renewed",
  added: "Added",
  corrected: "Corrected",
};

export function entryWords(body: Exact): string {
  const left = `${counted(number(body.graphs), "graph", "graphs")} left`;
  switch (text(body.kind)) {
    case "created":
      return `A workspace with ${counted(number(body.graphs), "graph", "graphs")}`;
    case "forgotten":
    case "replayed":
      return `${requestWords(body)}; ${changeWords(body)}; ${left}`;
    case "released":
      return `Published model ${number(body.published)}`;
    case "renewed":
      return "Another count of published models";
    case "upgraded":
      return "A newer format";
    case "added":
      return `${counted(number(body.graphs_added), "graph", "graphs")} came; ${left}`;
    case "corrected":
      return `${changeWords(body)} by corrections`;
    default:
      return "";
  }
}

const REQUESTS = [
  ["subjects", "subject", "subjects"],
  ["graphs", "graph", "graphs"],
  ["nodes", "node", "nodes"],
  ["edges", "edge", "edges"],
  ["features", "node’s features", "nodes’ features"],
] as const;

function requestWords(body: Exact): string {
  const counts = isObject(body.requests) ? body.requests : {};
  return (
    REQUESTS.filter(([name]) => number(counts[name]) > 0)
      .map(([name, one, many]) => counted(number(counts[name]), one, many))
      .join(", ") || "nothing"
  );
}

function changeWords(body: Exact): string {
  const edited = counted(number(body.graphs_edited), "graph edited", "graphs edited");
  const removed = number(body.graphs_removed);
  return removed > 0 ? `${edited}, ${removed} removed` : edited;
}
