"""The parts and recipes of docs/embeddings.md a second time, in NumPy, from that page alone.

Plain and slow: dense matrices, one node after the other.  Nothing here was copied from the library, and nothing here
reads its sources.  A graph is one object of a JSONL file (docs/data-formats.md).
"""

import functools
import math
import re
from itertools import product as every

import numpy as np

MASK = (1 << 64) - 1
P = 0x165667B19E3779F9
NO_LABEL = 2**63 - 1


def mix(a):
    a = (a * 0x9E3779B97F4A7C15) & MASK
    a ^= a >> 29
    a = (a * 0xC2B2AE3D27D4EB4F) & MASK
    return a ^ (a >> 32)


def hash_from(h, *numbers):
    for c in numbers:
        h = mix((h * P + mix(c & MASK)) & MASK)
    return h


def hash_of(*numbers):
    return hash_from(0, *numbers)


def log1(x):
    return np.log(1 + np.asarray(x, float))


def soft(x, low, high, b):
    place = (min(max(float(x), low), high) - low) / (high - low) * (b - 1)
    return np.maximum(0, 1 - np.abs(place - np.arange(b)))


def joint(*axes):
    cells = np.ones(1)
    for axis in axes:
        cells = np.outer(cells, axis).ravel()
    return cells


def root(h):
    return np.sqrt(h / h.sum()) if h.sum() > 0 else np.zeros(len(h))


def counts(h, c):
    v = log1(h)
    return v / math.sqrt(v @ v + c)


def wave(q, ts):
    return np.array([f(t * x) for x in q for t in ts for f in (math.cos, math.sin)])


def buckets(hashes, count):
    h = np.zeros(count)
    for number in hashes:
        h[number % count] += 1
    return h


def signed_log(x):
    return math.copysign(math.log(1 + abs(x)), x)


def wide(a):
    """The 101 channels of the wide scale."""
    channels = np.zeros(101)
    y = min(math.log(1 + 1e6 * abs(a)), 42)
    p = 42 - y if a < 0 else 42 + y
    channels[:85] = 0.5 * np.maximum(0, 1 - np.abs(p - np.arange(85)))
    for r in range(4):
        v = 4 * (4**r * p - math.floor(4**r * p))
        k = math.floor(v)
        channels[85 + 4 * r + k % 4] += (1 - (v - k)) / 8
        channels[85 + 4 * r + (k + 1) % 4] += (v - k) / 8
    return channels


class Graph:
    """One graph without its tombstones."""

    def __init__(self, record):
        count = record["nodes"] if isinstance(record["nodes"], int) else len(record["nodes"])
        states = record.get("states", ["present"] * count)
        alive = [i for i in range(count) if states[i] != "tombstone"]
        place = {node: k for k, node in enumerate(alive)}
        self.n = len(alive)
        self.featured = [states[i] == "present" for i in alive]
        self.directed = record.get("directed", False)
        # W[i, j] is the weight of i -> j, and E[i, j] says that there is such an edge.
        self.W = np.zeros((self.n, self.n))
        self.E = np.zeros((self.n, self.n), bool)
        self.weighted = any(len(edge) == 3 for edge in record["edges"])
        for u, v, *weight in record["edges"]:
            if u in place and v in place:
                for a, b in ((u, v),) if self.directed else ((u, v), (v, u)):
                    self.E[place[a], place[b]] = True
                    self.W[place[a], place[b]] = weight[0] if weight else 1
        A = (self.E | self.E.T).astype(float)
        self.A = A
        self.degree = A.sum(1)
        self.edges = A.sum() / 2
        self.triangles = np.diag(A @ A @ A) / 2
        self.labelled = "node_labels" in record
        self.labels = [record["node_labels"][i] if self.labelled and self.featured[k] else NO_LABEL
                       for k, i in enumerate(alive)]
        self.attributes = np.array([record["features"][i] for i in alive], float) if "features" in record else None
        self.positions = np.array([record["positions"][i] for i in alive], float) if "positions" in record else None
        self.neighbours = [np.flatnonzero(A[i]) for i in range(self.n)]
        self.near = np.array([self.degree[j].mean() if len(j) else 0 for j in self.neighbours])
        self.far = np.array([log1(self.near)[j].mean() if len(j) else 0 for j in self.neighbours])
        self.closed = self.triangles / np.maximum(self.degree * (self.degree - 1) / 2, 1)

    def cores(self):
        core = np.zeros(self.n, int)
        for k in range(1, self.n):
            left = np.ones(self.n, bool)
            while True:
                weak = left & (self.A[:, left].sum(1) < k)
                if not weak.any():
                    break
                left &= ~weak
            core[left] = k
        return core

    def distances(self, A=None):
        A = self.A if A is None else A
        found = np.where(np.eye(self.n) > 0, 0.0, np.inf)
        reached = np.eye(self.n) > 0
        for step in range(1, self.n + 1):
            new = (reached @ A > 0) & ~reached
            found[new] = step
            reached |= new
        return found

    def cycle(self, i, j, longest):
        A = self.A.copy()
        A[i, j] = A[j, i] = 0
        length = self.distances(A)[i, j] + 1
        return int(length) if length <= longest else 0


class Form:
    """What the graphs of a data set have."""

    def __init__(self, graphs):
        self.directed = any(g.directed for g in graphs)
        self.weights = any(g.weighted for g in graphs)
        self.labels = any(g.labelled for g in graphs)
        self.positions = any(g.positions is not None for g in graphs)
        self.attributes = max((g.attributes.shape[1] for g in graphs if g.attributes is not None), default=0)


# Parts of the structure.

def size(g, _):
    q = log1([g.n, g.edges, 2 * g.edges / g.n])
    return np.array([f(t * x) for t in (0.25, 0.5, 1, 2) for x in q for f in (math.cos, math.sin)]) / math.sqrt(12)


def shapes(g, _, B=9):
    return root(sum(joint(soft(a, 0, 8.4, B), soft(b, 0, 8.4, B), soft(c, 0, 8.4, B))
                    for a, b, c in zip(log1(g.degree), log1(g.near), g.far)))


def clustering(g, _, B=9, C=6):
    return root(sum(joint(soft(a, 0, 8.4, B), soft(b, 0, 8.4, B), soft(c, 0, 1, C))
                    for a, b, c in zip(log1(g.degree), log1(g.near), g.closed)))


def closure(g, _, B=25, C=11):
    return root(sum(joint(soft(a, 0, 8.4, B), soft(c, 0, 1, C)) for a, c in zip(log1(g.degree), g.closed)))


def node_kinds(g):
    return zip(g.degree.astype(int).tolist(), g.triangles.round().astype(int).tolist(), g.cores().tolist())


def kinds(g, _, K=1024):
    return root(buckets((hash_of(*kind) for kind in node_kinds(g)), K))


def all_kinds(g, _, K=1024):
    found = [hash_from(0, *kind) for kind in node_kinds(g)]
    if g.directed:
        both = g.E & g.E.T
        found += [hash_from(1, int(g.E[:, i].sum()), int(g.E[i].sum()), int(both[i].sum())) for i in range(g.n)]
    if g.labelled:
        c = [hash_from(1, label) if there else mix(2) for label, there in zip(g.labels, g.featured)]
        for r in (2, 3):
            c = [hash_from(c[i], sum(hash_from(r, c[j]) for j in g.neighbours[i]) & MASK) for i in range(g.n)]
            found += [hash_from(r, colour) for colour in c]
    return counts(buckets(found, K), 60)


def returns(g, _, B=25):
    scale = np.array([1 / math.sqrt(d) if d > 0 else 0 for d in g.degree])
    S = scale[:, None] * g.A * scale
    parts = []
    for s in (2, 3, 4, 5, 6, 8):
        back = np.diag(np.linalg.matrix_power(S, s))
        parts.append(root(sum(soft(-math.log(max(p, 1e-9)), 0, 8, B) for p in back)))
    return np.concatenate(parts) / math.sqrt(6)


def cliques(g, _, A=16, B=8):
    simple = [len(j) >= 2 and g.A[np.ix_(j, j)].sum() == len(j) * (len(j) - 1) for j in g.neighbours]
    found = set()
    for i in range(g.n):
        if simple[i]:
            found.add(frozenset([i, *g.neighbours[i].tolist()]))
    places = [(len(c), sum(simple[i] for i in c)) for c in found] or [(0, 0)]
    return counts(sum(joint(soft(log1(a), 0, 5, A), soft(log1(b), 0, 5, B)) for a, b in places), 1)


def overlaps(g, _, B=9, C=6):
    h = np.zeros(B * B * C)
    for i, j in zip(*np.nonzero(np.triu(g.A))):
        d, other = sorted((g.degree[i], g.degree[j]))
        common = g.A[i] @ g.A[j]
        h += joint(soft(log1(d), 0, 8.4, B), soft(log1(other), 0, 8.4, B), soft(common / max(d - 1, 1), 0, 1, C))
    return root(h)


def jaccard(g, _, B=20):
    h = np.zeros(B)
    for i, j in zip(*np.nonzero(np.triu(g.A))):
        common = g.A[i] @ g.A[j]
        h += soft(common / max(g.degree[i] + g.degree[j] - common - 2, 1), 0, 1, B)
    return root(h)


def edge_kinds(g, _, B=16, L=8):
    C = np.zeros((g.n, B + L))
    for i in range(g.n):
        C[i, :B] = soft(log1(g.degree[i]), 0, 6.2, B)
        if L > 0 and g.labelled and g.featured[i]:
            C[i, B + g.labels[i] % L] = 1
    return root((C.T @ g.A @ C).ravel())


def profile(g, _, B=17):
    h = np.zeros((6, B))
    for i, j in enumerate(g.neighbours):
        around = g.degree[j] if len(j) else np.zeros(1)
        for q, x in enumerate((g.degree[i], around.min(), around.max(), around.mean(), around.std())):
            h[q] += soft(log1(x), 0, 8.4, B)
        h[5] += soft(signed_log(g.degree[i] - around.mean()), -8.4, 8.4, B)
    return np.concatenate([root(line) for line in h]) / math.sqrt(6)


def walk_waves(g, _, R=3):
    P = g.A / np.maximum(g.degree, 1)[:, None] + np.diag(g.degree == 0)
    angles = [t * x for x in (log1(g.degree), g.closed) for t in (0.5, 1, 2, 4)]
    waves = [f(angle) for angle in angles for f in (np.cos, np.sin)]
    there = np.array([g.labelled and featured for featured in g.featured])
    for k in range(4):
        angle = np.array([2 * math.pi * (hash_of(label, k) / 2.0**64) for label in g.labels])
        waves += [there * np.cos(angle), there * np.sin(angle)]
    seen, columns = np.array(waves).T, []
    for _step in range(R + 1):
        columns.append(seen.mean(0))
        seen = P @ seen
    return np.concatenate(columns) / math.sqrt(12 * (R + 1))


def bells(values, low, high, B):
    centres, width = np.linspace(low, high, B), 0.8 * (high - low) / (B - 1)
    return root(np.exp(-((np.clip(values, low, high)[:, None] - centres) / width)**2 / 2).sum(0))


def spectrum(g, _, B=41):
    scale = np.array([1 / math.sqrt(d) if d > 0 else 0 for d in g.degree])
    laplacian = np.eye(g.n) - scale[:, None] * g.A * scale
    e = np.linalg.eigvalsh(g.A)
    return np.concatenate([bells(np.sign(e) * log1(np.abs(e)), -4, 6, B),
                           bells(np.linalg.eigvalsh(laplacian), 0, 2, B)]) / math.sqrt(2)


def scattering(g, _, J=4, B=8, L=4):
    P = g.A / np.maximum(g.degree, 1)[:, None] + np.diag(g.degree == 0)
    T = (np.eye(g.n) + P) / 2
    powers = [np.linalg.matrix_power(T, 2**j) for j in range(J)]
    W = [np.eye(g.n) - T] + [powers[j - 1] - powers[j] for j in range(1, J)]
    signals = []
    labels = [[g.labelled and g.featured[i] and g.labels[i] % L == b for i in range(g.n)] for b in range(L)]
    for f in [np.minimum(log1(g.degree), 8.4) / 8.4, g.closed, *np.array(labels, float).reshape(L, g.n)]:
        signals.append(f)
        for j in range(J):
            band = np.abs(W[j] @ f)
            signals += [band] + [np.abs(W[k] @ band) for k in range(j + 1, J)]
    columns = []
    for k, s in enumerate(signals):
        if not g.labelled and k >= 2 * len(signals) // (2 + L):
            columns.append(np.zeros(3 + B))
            continue
        columns.append([(s**q).mean()**(1 / q) / math.sqrt(3) for q in (1, 2, 4)])
        columns.append(root(sum(soft(log1(20 * x), 0, math.log(21), B) for x in s)))
    return np.concatenate(columns) / math.sqrt(2 * len(signals))


def network_weight(*numbers):
    return 2 * (hash_of(*numbers) / 2.0**64) - 1


@functools.lru_cache(None)
def network_weights(seed, r, D, inputs):
    return np.array([[network_weight(seed, r, k, c) for k in range(D)] for c in range(inputs)])


def network(g, _, D=32, L=3, seed=1):
    def sigma(x):
        return x / np.sqrt(1 + x**2)

    h = np.stack([np.ones(g.n), log1(g.degree), g.closed], 1) @ network_weights(seed, 0, D, 3)
    for i in range(g.n):
        if g.labelled and g.featured[i]:
            h[i] += [network_weight(seed, g.labels[i], k) for k in range(D)]
    h = sigma(h)
    columns = [h.mean(0), h.max(0)]
    for r in range(1, L + 1):
        a = np.zeros((g.n, 4 * D))
        a[:, :D] = h
        for i, j in enumerate(g.neighbours):
            if len(j):
                total = h[j].sum(0)
                a[i, D:] = np.concatenate([h[j].mean(0), h[j].max(0), np.sign(total) * log1(np.abs(total))])
        h = sigma(math.sqrt(3 / D) * (a @ network_weights(seed, r, D, 4 * D)))
        columns += [h.mean(0), h.max(0)]
    return np.concatenate(columns) / math.sqrt(2 * D * (L + 1))


def directions(g, _, B=8):
    if not g.directed:
        return np.zeros(2 * B * B)
    into, out = g.E.sum(0), g.E.sum(1)
    nodes = sum(joint(soft(log1(into[i]), 0, 8.4, B), soft(log1(out[i]), 0, 8.4, B)) for i in range(g.n))
    edges = np.zeros(B * B)
    for i, j in zip(*np.nonzero(g.E)):
        edges += joint(soft(log1(out[i]), 0, 8.4, B), soft(log1(into[j]), 0, 8.4, B))
    return np.concatenate([root(nodes), root(edges)]) / math.sqrt(2)


def weights(g, _):
    if not g.weighted:
        return np.zeros(303)
    h = np.zeros((3, 101))
    for i, j in zip(*np.nonzero(g.E)):
        h[0] += wide(g.W[i, j])
    for i in range(g.n):
        h[1] += wide(g.W[:, i].sum())
        if g.directed:
            h[2] += wide(g.W[i].sum())
    return root(h.ravel())


# Parts of labels.

def labelled_nodes(g):
    return [i for i in range(g.n) if g.labelled and g.featured[i]]


def label_counts(g, _, B=64):
    if not g.labelled:
        return np.zeros(6 * B)
    h = buckets((g.labels[i] for i in labelled_nodes(g)), B)
    return wave(log1(h), (0.25, 0.5, 1)) / math.sqrt(3 * B)


def label_shapes(g, _, L=8, B=8):
    h = np.zeros((L, B * B))
    for i in labelled_nodes(g):
        h[g.labels[i] % L] += joint(soft(log1(g.degree[i]), 0, 3.5, B), soft(log1(g.near[i]), 0, 3.5, B))
    return root(h.ravel())


def colours(g, _, R=2, K=1024, L=8):
    c = [mix(label & MASK) for label in g.labels]
    r = {(i, j): g.cycle(i, j, L) for i in range(g.n) for j in g.neighbours[i]}
    for _round in range(R):
        c = [mix((c[i] * P + mix(sum(mix((mix(c[j]) * P + mix(r[i, j])) & MASK) for j in g.neighbours[i]) & MASK))
                 & MASK) for i in range(g.n)]
    return counts(buckets(c, K), 20)


def paths(g, _, L=10, K=1024):
    D = g.distances()
    found = []
    for i in range(g.n):
        for j in range(i):
            if D[i, j] <= L:
                found.append(hash_of(*sorted((g.labels[i], g.labels[j])), int(D[i, j])))
    return root(buckets(found, K))


# Parts of attributes.

def attribute_rows(g, N):
    """Of the nodes that have attributes."""
    if g.attributes is None:
        return []
    return [(i, g.attributes[i, :N]) for i in range(g.n) if g.featured[i]]


def wide_sums(g, N, factors=None):
    h = np.zeros((N, 101))
    for i, row in attribute_rows(g, N):
        for k, x in enumerate(row):
            h[k] += wide(x) * (1 if factors is None else factors[i])
    return h.ravel()


def attributes(g, form, N=0):
    return root(wide_sums(g, N or form.attributes))


def attribute_counts(g, form, N=0):
    return counts(wide_sums(g, N or form.attributes), 60)


def attribute_ends(g, form, N=0):
    N = N or form.attributes
    ends = root(wide_sums(g, N, g.E.sum(0)))
    if not g.directed:
        return np.concatenate([ends, np.zeros(101 * N)])
    return np.concatenate([ends, root(wide_sums(g, N, g.E.sum(1)))]) / math.sqrt(2)


def attribute_levels(g, form, N=0):
    N = N or form.attributes
    h = np.zeros((N, 33))
    for _, row in attribute_rows(g, N):
        for k, x in enumerate(row):
            h[k] += soft(signed_log(x), -2, 6, 33)
    return np.concatenate([root(level) for level in h]) / math.sqrt(N)


def attribute_sums(g, form, N=0):
    N = N or form.attributes
    if g.attributes is None:
        return np.zeros(6 * N)
    q = np.zeros(N)
    for _, row in attribute_rows(g, N):
        q[:len(row)] += row
    return wave([signed_log(min(max(x, -1e300), 1e300)) for x in q], (0.25, 0.5, 1)) / math.sqrt(3 * N)


def label_sums(g, form, N=0, B=4):
    N = N or form.attributes
    if g.attributes is None or not g.labelled:
        return np.zeros(6 * B * N)
    q = np.zeros((B, N))
    for i, row in attribute_rows(g, N):
        q[g.labels[i] % B, :len(row)] += row
    return wave([signed_log(min(max(x, -1e300), 1e300)) for x in q.ravel()], (0.25, 0.5, 1)) / math.sqrt(3 * B * N)


# Parts of images.

class Image:
    def __init__(self, g, form, positions=None):
        keep = [i for i in range(g.n) if g.featured[i]]
        self.p = np.clip((g.positions if positions is None else positions)[keep], 0, 1)
        x = np.clip(g.attributes[keep], 0, 1)
        self.colour = form.attributes >= 3
        if self.colour:
            r, green, b = x[:, 0], x[:, 1], x[:, 2]
            self.x = np.stack([(r + green + b) / 3, r - b, green - (r + b) / 2])
        else:
            self.x = x[:, :1].T

    def moments(self, x, s):
        u = (self.p[None] - self.p[:, None]) / s
        w = np.exp(-(u**2).sum(2) / 2)
        w /= w.sum(1, keepdims=True)
        rest = x[None] - (w @ x)[:, None]
        gradient = np.einsum("ij,ija,ij->ia", w, u, rest)
        return gradient, np.einsum("ij,ija,ijb,ij->iab", w, u, u, rest)

    def slopes(self, x, s):
        gradient, _ = self.moments(x, s)
        angles = [2 * math.pi * k / 8 for k in range(8)]
        return [np.clip(gradient @ (math.cos(t), math.sin(t)), 0, 1) for t in angles]

    def bends(self, x, s):
        _, M = self.moments(x, s)
        maps = []
        for k in range(4):
            v = np.array([math.cos(math.pi * k / 4), math.sin(math.pi * k / 4)])
            q = np.einsum("iab,a,b->i", M, v, v)
            maps += [np.clip(q, 0, 1), np.clip(-q, 0, 1)]
        return maps

    def windows(self, maps, G, W):
        found = []
        for f in maps:
            for a, b in every(range(G), range(G)):
                centre = np.array([(a + 0.5) / G, (b + 0.5) / G])
                k = np.exp(-((self.p - centre)**2).sum(1) / (2 * (W / G)**2))
                found.append(k @ f / (k.sum() + 1e-6))
        v = np.array(found)
        return np.sign(v) * np.sqrt(np.abs(v) / (0.001 + np.abs(v).sum()))


def pixels(image, G=8, W=0.5):
    return image.windows(list(image.x), G, W)


def slopes(image, S=0.07, G=5, W=0.5):
    return image.windows([f for x in image.x for f in image.slopes(x, S)], G, W)


def bends(image, S=0.07, G=5, W=0.5):
    return image.windows([f for x in image.x for f in image.bends(x, S)], G, W)


def wavelets(image, S=0.07, G=6, W=0.6):
    return image.windows([f for x in image.x for f in image.slopes(x, S) + image.bends(x, S)], G, W)


def texture(image, S=0.05, T=0.12, G=3, W=0.5):
    maps = []
    for f in image.slopes(image.x[0], S) + image.bends(image.x[0], S):
        row, column = image.moments(f, T)[0].T
        maps += [np.clip(m, 0, 1) for m in (row, -row, column, -column)]
    return image.windows(maps, G, W)


def palette(image, G=2, W=0.5):
    if image.colour:
        shares = [joint(soft(a, 0, 1, 5), soft(b, -0.5, 0.5, 4), soft(c, -0.25, 0.25, 4)) for a, b, c in image.x.T]
    else:
        shares = [soft(a, 0, 1, 5) for a in image.x[0]]
    return image.windows(list(np.array(shares).T), G, W)


IMAGE_PARTS = {"pixels": pixels, "slopes": slopes, "bends": bends, "wavelets": wavelets, "texture": texture,
               "palette": palette}
PARTS = {"size": size, "shapes": shapes, "clustering": clustering, "closure": closure, "kinds": kinds,
         "all-kinds": all_kinds, "returns": returns, "cliques": cliques, "overlaps": overlaps, "jaccard": jaccard,
         "edge-kinds": edge_kinds, "profile": profile, "walk-waves": walk_waves, "spectrum": spectrum,
         "scattering": scattering, "network": network, "directions": directions, "weights": weights,
         "label-counts": label_counts, "label-shapes": label_shapes, "colours": colours, "paths": paths,
         "attributes": attributes, "attribute-counts": attribute_counts, "attribute-ends": attribute_ends,
         "attribute-levels": attribute_levels, "attribute-sums": attribute_sums, "label-sums": label_sums}


# Drawings.

def orthonormal(X):
    first = X[:, 0] / np.linalg.norm(X[:, 0])
    second = X[:, 1] - first * (first @ X[:, 1])
    return np.stack([first, second / np.linalg.norm(second)], 1)


def drawing(g):
    D = g.distances()
    linked = np.isfinite(D)
    D[~linked] = 1.5 * max(D[linked].max(), 1)
    squares = D**2
    B = -0.5 * (squares - squares.mean(1, keepdims=True) - squares.mean(0) + squares.mean())
    c = [mix(int(d)) for d in g.degree]
    for _ in range(3):
        c = [mix((c[i] * P + mix(sum(mix(c[j]) for j in g.neighbours[i]) & MASK)) & MASK) for i in range(g.n)]
    if len(set(c)) < 3:
        c = list(range(g.n))
    X = orthonormal(np.array([[hash_of(c[i], k) / 2.0**64 - 0.5 for k in (0, 1)] for i in range(g.n)]))
    for _ in range(12):
        X = orthonormal(B @ X)
    e, U = np.linalg.eigh(X.T @ B @ X)
    X = X @ U * np.sqrt(np.maximum(e, 1e-9))
    others = ~np.eye(g.n, dtype=bool)
    w = np.where(others, 1 / np.where(others, D, 1)**2, 0)
    for _ in range(10):
        apart = X[:, None] - X[None]
        length = np.sqrt((apart**2).sum(2) + 0.1)
        X = (w[:, :, None] * (X[None] + D[:, :, None] * apart / length[:, :, None])).sum(1) / w.sum(1)[:, None]
    X = X - X.mean(0)
    X = X / math.sqrt((X**2).sum(1).mean())
    z = X[:, 0] + 1j * X[:, 1]
    z = z * np.exp(-1j * (np.angle((z**4).sum()) - math.pi) / 4) * 0.408
    return z


def views(z):
    for turn in range(4):
        for mirrored in (False, True):
            v = z * 1j**turn
            v = v.conj() if mirrored else v
            yield np.stack([v.real + 0.5, v.imag + 0.5], 1)


# Recipes.

def hadamard(X):
    """H X for the matrix H of the page: columns of X have a power of two of entries."""
    half = 1
    X = X.copy()
    while half < len(X):
        X = X.reshape(-1, 2, half)
        X = np.stack([X[:, 0] + X[:, 1], X[:, 0] - X[:, 1]], 1).reshape(-1)
        half *= 2
    return X


def fourier(z, D, gamma, seed):
    d = 1
    while d < len(z):
        d *= 2
    padded = np.zeros(d)
    padded[:len(z)] = z
    rows = []
    for b in range(-(-(D // 2) // d)):
        v = padded
        for t in (2, 1, 0):
            v = hadamard(v * signs(seed, b, t, d))
        rows.append(v * math.sqrt(2 * gamma) / d)
    W = np.concatenate(rows)[:D // 2]
    return np.concatenate([np.cos(W), np.sin(W)]) / math.sqrt(D / 2)


SIGNS = {}


def signs(seed, b, t, d):
    key = (seed, b, t, d)
    if key not in SIGNS:
        SIGNS[key] = np.array([1.0 if hash_of(seed, b, t, k) % 2 == 0 else -1.0 for k in range(d)])
    return SIGNS[key]


def numbers_of(text):
    return [float(x) if "." in x or "e" in x else int(x) for x in text.split(":") if x]


class Recipe:
    def __init__(self, text):
        steps = [step.strip() for step in text.split(">")]
        self.parts = []
        for part in re.split(r"\s\+\s", steps[0]):
            body, _, weight = part.partition("*")
            name, _, constants = body.partition(":")
            self.parts.append((name.strip(), numbers_of(constants), float(weight or 1)))
        self.features = self.scale = None
        for step in steps[1:]:
            name, _, constants = step.partition(":")
            if name == "scale":
                self.scale = numbers_of(constants)
            else:
                self.features = (name, *numbers_of(constants))

    def side_by_side(self, g, form, positions=None):
        total = sum(weight for _, _, weight in self.parts)
        image = None
        columns = []
        for name, constants, weight in self.parts:
            if name in IMAGE_PARTS:
                image = image or Image(g, form, positions)
                part = IMAGE_PARTS[name](image, *constants)
            else:
                part = PARTS[name](g, form, *constants)
            columns.append(part * math.sqrt(weight / total))
        return np.concatenate(columns)

    def row(self, g, form):
        if self.features is None:
            z = self.side_by_side(g, form)
        elif self.features[0] == "fourier":
            z = fourier(self.side_by_side(g, form), *self.features[1:])
        else:
            drawn = drawing(g)
            z = np.mean([fourier(self.side_by_side(g, form, p), *self.features[1:]) for p in views(drawn)], 0)
        if self.scale:
            a, c = self.scale[0], (self.scale[1] if len(self.scale) > 1 else 0)
            z = z * a * g.n / math.sqrt(g.n**2 + c**2)
        return z
