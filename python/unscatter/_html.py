"""Graphs, certificates, ledgers and audits in notebooks."""
from __future__ import annotations

import html
from typing import Any, Callable, Iterable, List, Tuple

from ._core import Audit, Certificate, Exposure, Graph, Promise
from ._graphs import GraphDataset
from ._ledger import Ledger
from ._workspace import Workspace


def _table(title: str, rows: Iterable[Tuple[str, Any]]) -> str:
    cells = "".join(f"<tr><th style='text-align:left'>{html.escape(name)}</th>"
                    f"<td style='text-align:left'>{html.escape(str(value))}</td></tr>" for name, value in rows)
    return f"<table><caption>{html.escape(title)}</caption>{cells}</table>"


def graph_html(graph: Graph) -> str:
    kind = "directed" if graph.directed else "undirected"
    return _table("graph", [("nodes", graph.node_count), ("edges", f"{graph.edge_count}, {kind}"),
                            ("attributes", graph.attribute_count), ("weights", "yes" if graph.has_weights else "no"),
                            ("node ids", "yes" if graph.node_ids is not None else "no")])


def certificate_html(certificate: Certificate) -> str:
    promise = certificate.promise
    return _table("certificate", [
        ("satisfied", "yes" if certificate.satisfied else "no"),
        ("promise", f"(epsilon, delta) = ({promise.epsilon:g}, {promise.delta:g}), protects {promise.protect}"),
        ("noise", f"{promise.noise:g} ({promise.mechanism})"), ("rung", certificate.rung),
        ("distance at most", f"{certificate.distance_upper_bound:.3g}"),
        ("shift", f"{certificate.shift_upper_bound:.3g} of {promise.shift_limit:.3g}"),
        ("graphs left", certificate.graphs)])


def exposure_html(exposure: Exposure) -> str:
    return _table("exposure", [("models published before", exposure.models), ("shift", f"{exposure.shift:.3g}"),
                               ("best guess is right", f"{100 * exposure.best_guess:.1f} %")])


def dataset_html(data: GraphDataset) -> str:
    summary = data.summary()
    counts = ", ".join(f"{name}: {count}" for name, count in zip(data.class_names, summary["class_counts"]))
    return _table(data.name, [("graphs", len(data)), ("classes", counts), ("nodes", summary["nodes"]),
                              ("edges", summary["edges"])])


def ledger_html(ledger: Ledger, title: str = "ledger") -> str:
    return _table(title, [(f"{entry.sequence} {entry.kind}", entry.time) for entry in ledger])


def workspace_html(workspace: Workspace) -> str:
    return ledger_html(workspace.ledger, workspace.path)


def audit_html(audit: Audit) -> str:
    rows: List[Tuple[str, Any]] = [("passed", "yes" if audit.passed else f"no: {audit.failure}")]
    for game in audit.games:
        promised = "nothing" if game.promised_shift is None else f"shift at most {game.promised_shift:.4g}"
        rows += [(f"game {game.game}", game.about), ("promised", promised),
                 ("measured", f"shift at least {game.shift_lower_bound:.4g}"),
                 ("could see", f"a shift of {game.visible_shift:.3g} or more")]
    noticed = sum(fault.flagged for fault in audit.faults)
    rows.append(("planted faults", f"{noticed} of {len(audit.faults)} noticed"))
    return _table("audit", rows)


def attach() -> None:
    """Compiled classes get their pictures here."""
    texts: List[Tuple[Any, Callable[[Any], str]]] = [(Graph, _graph_repr), (Certificate, _certificate_repr),
                                                     (Exposure, _exposure_repr), (Audit, _audit_repr)]
    for kind, text in texts:
        setattr(kind, "__repr__", text)
    pictures: List[Tuple[Any, Callable[[Any], str]]] = [
        (Graph, graph_html), (Certificate, certificate_html), (Promise, promise_html), (Exposure, exposure_html),
        (GraphDataset, dataset_html), (Ledger, ledger_html), (Workspace, workspace_html), (Audit, audit_html)]
    for kind, picture in pictures:
        setattr(kind, "_repr_html_", picture)


def promise_html(promise: Promise) -> str:
    return _table("promise", [("assumes", sentence) for sentence in promise.assumptions]
                  + [(name, kind) for name, kind in promise.constants])


def _graph_repr(graph: Graph) -> str:
    return f"Graph({graph.node_count} nodes, {graph.edge_count} edges)"


def _certificate_repr(certificate: Certificate) -> str:
    return (f"Certificate(satisfied={certificate.satisfied}, epsilon={certificate.promise.epsilon:g}, "
            f"delta={certificate.promise.delta:g}, rung={certificate.rung!r}, graphs={certificate.graphs})")


def _exposure_repr(exposure: Exposure) -> str:
    return f"Exposure(models={exposure.models}, best_guess={exposure.best_guess:.3f})"


def _audit_repr(audit: Audit) -> str:
    games = ", ".join(f"{game.game}: shift at least {game.shift_lower_bound:.3g}" for game in audit.games)
    return f"Audit(passed={audit.passed}, {games})"
