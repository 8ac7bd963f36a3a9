#!/usr/bin/env python3
"""Edge lists as CSV, to the JSONL that unscatter reads (docs/data-formats.md).

    examples/edge_list_to_jsonl.py FOLDER OUT.jsonl                write OUT.jsonl from the tables in FOLDER
    examples/edge_list_to_jsonl.py --export IN.jsonl FOLDER        the other way round, to have tables to try this on

The tables, each with a header line:

    graphs.csv    graph,label                    one line per graph; the label is its class, empty if it is not known
    nodes.csv     graph,node,A,B,...             one line per node; all other columns are numbers about it
    edges.csv     graph,from,to[,weight]         one line per edge

Graphs and nodes have the ids of your tables.  A person who is a node in several graphs has the same id there, so that
one request forgets this person everywhere.  --undirected says that edges have no direction.  Only Python itself is
needed.
"""
import argparse
import csv
import json
import math
import sys
from pathlib import Path


def fail(sentence):
    sys.exit(f"edge_list_to_jsonl: {sentence}")


def rows(path, columns):
    """The lines of a table, with their numbers.  Its header must have these columns."""
    with open(path, newline="", encoding="utf-8-sig") as file:
        table = csv.DictReader(file)
        missing = [column for column in columns if column not in (table.fieldnames or [])]
        if missing:
            fail(f"{path} has no column {missing[0]}; its header is {','.join(table.fieldnames or [])}")
        for row in table:
            if None in row or None in row.values():
                fail(f"{path}, line {table.line_num}: its number of cells is not that of the header")
            yield table.line_num, row


def number(text, path, line, column):
    try:
        value = float(text)
    except ValueError:
        fail(f"{path}, line {line}: '{text}' in column {column} is not a number")
    if not math.isfinite(value):
        fail(f"{path}, line {line}: '{text}' in column {column} is not a finite number")
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def read_tables(folder, directed):
    graphs = {}
    path = folder / "graphs.csv"
    for line, row in rows(path, ["graph", "label"]):
        if row["graph"] in graphs:
            fail(f"{path}, line {line}: graph '{row['graph']}' occurs twice")
        graphs[row["graph"]] = {"label": row["label"], "nodes": {}, "features": [], "edges": [], "weights": []}
    path = folder / "nodes.csv"
    for line, row in rows(path, ["graph", "node"]):
        graph = graphs.get(row["graph"]) or fail(f"{path}, line {line}: graph '{row['graph']}' is not in graphs.csv")
        if row["node"] in graph["nodes"]:
            fail(f"{path}, line {line}: node '{row['node']}' occurs twice in graph '{row['graph']}'")
        graph["nodes"][row["node"]] = len(graph["nodes"])
        graph["features"].append([number(text, path, line, column) for column, text in row.items()
                                  if column not in ("graph", "node")])
    path = folder / "edges.csv"
    for line, row in rows(path, ["graph", "from", "to"]):
        graph = graphs.get(row["graph"]) or fail(f"{path}, line {line}: graph '{row['graph']}' is not in graphs.csv")
        for end in ("from", "to"):
            if row[end] not in graph["nodes"]:
                fail(f"{path}, line {line}: node '{row[end]}' of graph '{row['graph']}' is not in nodes.csv")
        graph["edges"].append([graph["nodes"][row["from"]], graph["nodes"][row["to"]]])
        if "weight" in row:
            graph["weights"].append(number(row["weight"], path, line, "weight"))
    for name, graph in graphs.items():
        document = {"id": name}
        if graph["label"]:
            document["label"] = graph["label"]
        document.update(nodes=list(graph["nodes"]), edges=graph["edges"])
        if directed:
            document["directed"] = True
        if any(graph["features"]):
            document["features"] = graph["features"]
        if graph["weights"]:
            document["weights"] = graph["weights"]
        yield document


def to_jsonl(folder, out, directed):
    count = 0
    with open(out, "w", encoding="utf-8") as file:
        for document in read_tables(Path(folder), directed):
            file.write(json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n")
            count += 1
    print(f"{out}: {count} graphs")


def export(source, folder):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with open(source, encoding="utf-8") as file:
        documents = [json.loads(line) for line in file if line.strip()]
    width = max(len(rows[0]) for rows in (document.get("features", [[]]) for document in documents))
    columns = [f"attribute_{i + 1}" for i in range(width)]
    weighted = any("weights" in document for document in documents)
    names = {"graphs.csv": ["graph", "label"], "nodes.csv": ["graph", "node", *columns],
             "edges.csv": ["graph", "from", "to"] + ["weight"] * weighted}
    files = {name: open(folder / name, "w", newline="", encoding="utf-8") for name in names}
    tables = {name: csv.writer(file) for name, file in files.items()}
    for name, header in names.items():
        tables[name].writerow(header)
    for i, document in enumerate(documents):
        graph = document.get("id", f"graph-{i}")
        nodes = document["nodes"] if isinstance(document["nodes"], list) else list(range(document["nodes"]))
        features = document.get("features", [[]] * len(nodes))
        tables["graphs.csv"].writerow([graph, document.get("label", "")])
        for node, row in zip(nodes, features):
            tables["nodes.csv"].writerow([graph, node, *(row or [0] * width)])
        for at, (start, end) in enumerate(document["edges"]):
            weight = [document["weights"][at]] if "weights" in document else [1] * weighted
            tables["edges.csv"].writerow([graph, nodes[start], nodes[end], *weight])
    for file in files.values():
        file.close()
    print(f"{folder}: graphs.csv, nodes.csv, edges.csv of {len(documents)} graphs")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("--export", action="store_true", help="from JSONL to tables")
    parser.add_argument("--undirected", action="store_true", help="edges have no direction")
    options = parser.parse_args()
    try:
        if options.export:
            export(options.source, options.target)
        else:
            to_jsonl(options.source, options.target, not options.undirected)
    except OSError as error:
        fail(f"{error.filename}: {error.strerror}")


if __name__ == "__main__":
    main()
