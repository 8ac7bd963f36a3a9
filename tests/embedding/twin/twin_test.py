#!/usr/bin/python3
"""Embeds random graphs with the program and with twin.py, and compares every coordinate.

    twin_test.py PROGRAM DOCUMENT

DOCUMENT is docs/embeddings.md.  The texts of named recipes are read from it, so the page, the program and the twin must
agree.  Every part that the page names is compared, alone, with built-in and with other constants.
"""

import json
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import twin

# A histogram is under a root, which makes much of the last digits of a cell that is nearly empty.
TOLERANCE = 1e-6


def random_record(draw, nodes, density, directed=False, weights=False, labels=False, attributes=0, holes=False):
    edges = [[i, j] for i in range(nodes) for j in range(nodes)
             if i != j and (directed or i < j) and draw.random() < density]
    # Groups in which everybody knows everybody.
    if not directed and nodes > 8:
        for start in (0, 3):
            edges += [[i, j] for i in range(start, start + 4) for j in range(i + 1, start + 4) if [i, j] not in edges]
    record = {"label": draw.choice(["a", "b"]), "nodes": nodes, "edges": edges, "directed": directed}
    if weights:
        record["edges"] = [[u, v, draw.choice([-3.5, 0.25, 1, 12, 1e7])] for u, v in edges]
    if labels:
        record["node_labels"] = [draw.choice([-7, -1, 0, 1, 2, 5, 2**40]) for _ in range(nodes)]
    if attributes:
        scale = 10.0 ** draw.choice([-3, 0, 4])
        record["features"] = [[draw.gauss(0, scale) for _ in range(attributes)] for _ in range(nodes)]
    if holes and nodes > 6:
        record["states"] = ["present"] * nodes
        record["states"][2], record["states"][5] = "tombstone", "featureless"
        record["edges"] = [edge for edge in record["edges"] if 2 not in edge[:2]]
        if attributes:
            record["features"][2] = record["features"][5] = [0] * attributes
        if labels:
            record["node_labels"][2] = record["node_labels"][5] = 0
    return record


def random_records(seed, **what):
    draw = random.Random(seed)
    records = [random_record(draw, nodes, density, holes=(k % 2 == 1), **what)
               for k, (nodes, density) in enumerate([(1, 0), (2, 1), (7, 0.4), (12, 0.15), (15, 0.2), (18, 0.5),
                                                     (9, 1), (14, 0), (23, 0.08), (11, 0.3)])]
    return records


def random_images(seed, attributes):
    draw = random.Random(seed)
    records = []
    for nodes in (30, 41, 36):
        p = [[draw.uniform(-0.02, 1.02), draw.random()] for _ in range(nodes)]
        near = [sorted(range(nodes), key=lambda j, i=i: (p[i][0] - p[j][0])**2 + (p[i][1] - p[j][1])**2)[1:7]
                for i in range(nodes)]
        record = {"label": draw.choice(["a", "b"]), "nodes": nodes, "directed": True, "positions": p,
                  "edges": [[i, j] for i in range(nodes) for j in near[i]],
                  "features": [[draw.uniform(-0.05, 1.05) for _ in range(attributes)] for _ in range(nodes)]}
        if nodes == 41:
            record["states"] = ["present"] * nodes
            record["states"][7] = "featureless"
            record["features"][7], record["positions"][7] = [0] * attributes, [0, 0]
        records.append(record)
    return records


DATA = {
    "bare": random_records(1),
    "labels": random_records(2, labels=True),
    "labels and attributes": random_records(3, labels=True, attributes=2),
    "attributes": random_records(4, attributes=3),
    "directions": random_records(5, directed=True),
    "everything": random_records(6, directed=True, weights=True, labels=True, attributes=1),
    "weights": random_records(7, weights=True),
    "grey": random_images(8, 1),
    "colours": random_images(9, 3),
}
ANY = ["size", "shapes", "shapes:4", "clustering", "clustering:5:3", "closure", "closure:7:4", "kinds", "kinds:4096",
       "all-kinds", "all-kinds:97", "returns", "returns:50", "cliques", "cliques:9:5", "overlaps", "overlaps:5:3",
       "jaccard", "jaccard:7", "edge-kinds", "edge-kinds:5:3", "edge-kinds:4:0", "profile", "profile:8",
       "walk-waves", "walk-waves:0", "walk-waves:6",
       "spectrum", "spectrum:12",
       "scattering", "scattering:6:5:3", "scattering:1:2:0",
       "network", "network:5:2:77", "network:3:0",
       "directions", "directions:5", "weights", "label-counts", "label-counts:32", "label-shapes", "label-shapes:5:4",
       "colours", "colours:0", "colours:1:256", "colours:3:2048:5", "paths", "paths:3:64",
       "size*3 + kinds:64 > fourier:96:2:7", "shapes:3 + size*0.25 > scale:0.3:65", "size > scale:0.5"]
WITH_ATTRIBUTES = ["attributes", "attributes:1", "attribute-counts", "attribute-ends", "attribute-levels",
                   "attribute-sums", "label-sums", "label-sums:1:3"]
OF_IMAGES = ["pixels", "pixels:4", "slopes", "slopes:0.05:4", "bends", "bends:0.1:4:0.4", "wavelets",
             "wavelets:0.1:3", "texture", "texture:0.07:0.1:2", "palette", "palette:3:0.6",
             "pixels:4*2 + size > drawn:64:2:3"]


def texts_in(document):
    """Named recipes of the page: {name: text}; of `general` a list of (condition, text)."""
    block = re.search(r"The built-in texts are these\..*?\n\n(.*?)\n\n", document, re.S).group(1)
    texts, general, name = {}, [], None
    for line in block.splitlines():
        label, rest = line[4:30].strip(), line[30:].strip()
        if label:
            name = label
        if name == "general":
            text, _, condition = rest.partition("with ")
            general.append((condition.strip(), text.strip()))
        else:
            texts[name] = (texts.get(name, "") + " " + rest).strip()
    return texts, general


def general_text(general, form):
    has = {"": True, "directions": form.directed, "weights": form.weights, "labels": form.labels,
           "attributes": form.attributes > 0}
    return " ".join(text for condition, text in general if has[condition])


def auto_name(form):
    if form.positions and form.attributes:
        return "image"
    if form.directed or form.weights or (form.attributes and not form.labels):
        return "general"
    return "molecule" if form.labels else "social"


def text_of(name, form, texts, general):
    if name == "auto":
        name = auto_name(form)
    if name == "general":
        return general_text(general, form)
    if name == "molecule" and form.attributes:
        name += " with attributes"
    if name in ("image", "drawing"):
        name += ", three channels" if form.attributes >= 3 else ", one channel"
    return texts[name]


def embed(program, folder, records, text):
    data, out = folder / "graphs.jsonl", folder / "rows.npy"
    data.write_text("".join(json.dumps(record) + "\n" for record in records))
    command = [program, "embed", "--data", str(data), "--embedding", text, "--out", str(out), "--force", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{text}: {done.stderr}")
    return np.load(out)


def compare(program, folder, kind, records, text, meant):
    graphs = [twin.Graph(record) for record in records]
    form = twin.Form(graphs)
    rows = embed(program, folder, records, text)
    recipe = twin.Recipe(meant)
    problems = []
    for k, graph in enumerate(graphs):
        expected = recipe.row(graph, form)
        if expected.shape != rows[k].shape:
            return [f"{kind}, {text}: {rows[k].shape} coordinates, by the page {expected.shape}"]
        distance = np.abs(expected - rows[k])
        if not distance.max() < TOLERANCE:
            problems.append(f"{kind}, {text}: graph {k}, coordinate {distance.argmax()} is "
                            f"{rows[k][distance.argmax()]}, by the page {expected[distance.argmax()]}")
        if not np.linalg.norm(rows[k]) <= 1 + 1e-12:
            problems.append(f"{kind}, {text}: graph {k} has norm {np.linalg.norm(rows[k])}")
    return problems[:1]


def main():
    program, document = sys.argv[1], Path(sys.argv[2]).read_text()
    texts, general = texts_in(document)
    problems, compared, seen = [], 0, set()
    with tempfile.TemporaryDirectory() as folder:
        for kind, records in DATA.items():
            form = twin.Form([twin.Graph(record) for record in records])
            image = form.positions
            asked = [(text, text) for text in (OF_IMAGES if image else ANY)]
            if form.attributes and not image:
                asked += [(text, text) for text in WITH_ATTRIBUTES]
            names = ("auto", "image", "drawing") if image else ("auto", "social", "general") if not form.labels else (
                "auto", "molecule", "social", "general")
            asked += [(name, text_of(name, form, texts, general)) for name in names]
            for text, meant in asked:
                problems += compare(program, Path(folder), kind, records, text, meant)
                compared += 1
                seen |= {name for name, _, _ in twin.Recipe(meant).parts}
        # Planted faults: a constant of a part, a weight and a scale that the program does not have.
        for text, wrong in (("shapes:4", "shapes:5"), ("size*2 + kinds", "size*2.1 + kinds"),
                            ("size > scale:0.5", "size > scale:0.50001")):
            if not compare(program, Path(folder), "bare", DATA["bare"], text, wrong):
                problems.append(f"'{wrong}' was taken for '{text}'")
    named = set(re.findall(r"^\* `([a-z-]+)[:`]", document, re.M))
    problems += [f"the page names the part '{name}', which was not compared" for name in sorted(named - seen)]
    if len(named) < 34:
        problems.append(f"only {len(named)} parts were found on the page")
    for problem in problems:
        print(problem)
    print(f"{compared} comparisons, {len(seen)} parts, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
