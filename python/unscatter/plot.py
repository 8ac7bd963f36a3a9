"""Pictures, by matplotlib: removals over time, exposure, an audit, a graph before and after a removal.

Every function draws on the axes that it is given, or on new ones, and returns them.
"""
from __future__ import annotations

from typing import Any, Collection, Dict, List, Optional, Sequence

import numpy as np

from ._core import Audit, AuditGame, Certificate, Exposure, Graph, InvalidArgument
from ._convert import to_networkx

__all__ = ["audit", "before_and_after", "exposure", "graph", "removals"]


def _axes(ax: Optional[Any]) -> Any:
    if ax is not None:
        return ax
    from matplotlib import pyplot

    return pyplot.subplots(figsize=(6, 3.5), layout="constrained")[1]


def removals(certificates: Sequence[Certificate], ax: Optional[Any] = None) -> Any:
    """How far the kept weights can be from retrained ones after each update, and by which rung it was made."""
    if not certificates:
        raise InvalidArgument("there is no certificate to draw")
    axes = _axes(ax)
    places = np.arange(1, len(certificates) + 1)
    distances = np.array([certificate.distance_upper_bound for certificate in certificates])
    for rung in dict.fromkeys(certificate.rung for certificate in certificates):
        chosen = np.array([certificate.rung == rung for certificate in certificates])
        axes.semilogy(places[chosen], distances[chosen], "o", markersize=3, label=rung)
    axes.set_ylim(distances.min() / 3 or None, 30 * distances.max() or None)
    axes.set_xlabel("update")
    axes.set_ylabel("distance from retraining, at most")
    axes.legend(title="rung", ncol=4, loc="upper center")
    return axes


def exposure(exposures: Sequence[Exposure], ax: Optional[Any] = None) -> Any:
    """How often whoever kept the earlier models guesses right that something was removed; 0.5 is blind guessing."""
    if not exposures:
        raise InvalidArgument("there is no exposure to draw")
    axes = _axes(ax)
    axes.plot(np.arange(1, len(exposures) + 1), [one.best_guess for one in exposures], "o-", markersize=3)
    axes.axhline(0.5, color="grey", linewidth=0.8)
    axes.set_ylim(0.48, 1.02)
    axes.set_xlabel("update")
    axes.set_ylabel("best guess is right")
    return axes


def _normal_curve(axes: Any, game: AuditGame, mean: float, per_world: int, style: str) -> None:
    """The counts that theory gives a world whose statistic is N(mean, 1)."""
    low, high, bins = game.histogram.low, game.histogram.high, len(game.histogram.test)
    width = (high - low) / bins
    # A curve that is thinner than a bar would look like a mistake.
    if width > 1:
        return
    places = np.linspace(low, high, 400)
    axes.plot(places, per_world * width * np.exp(-(places - mean) ** 2 / 2) / np.sqrt(2 * np.pi), style, linewidth=1)


def audit(audit: Audit, ax: Optional[Any] = None, *, game: int = 0) -> Any:
    """How often the best statistic fell where in both worlds, with the curves that theory gives them.

    Two shapes that lie on each other cannot be told apart.  Two shapes beside each other can.  The dotted line is the
    threshold.
    """
    if not 0 <= game < len(audit.games):
        raise InvalidArgument(f"the audit has {len(audit.games)} games, and no game {game}")
    axes, chosen = _axes(ax), audit.games[game]
    look, counts = chosen.looks[0], chosen.histogram
    edges = np.linspace(counts.low, counts.high, len(counts.test) + 1)
    axes.stairs(counts.reference, edges, fill=True, color="tab:blue", alpha=0.35, label="never knew")
    axes.stairs(counts.test, edges, color="tab:red", linewidth=1.2, label="forgot")
    _normal_curve(axes, chosen, 0.0, sum(counts.reference), "b--")
    _normal_curve(axes, chosen, look.known_shift, sum(counts.test), "r--")
    axes.axvline(look.threshold, color="grey", linestyle=":")
    promised = "nothing promised" if chosen.promised_shift is None else f"promised {chosen.promised_shift:.3g} at most"
    axes.set_title(f"game {chosen.game}: shift measured {chosen.shift_lower_bound:.3g} at least, {promised}",
                   fontsize="medium")
    axes.set_xlabel("how much a published model looks like one that forgot")
    axes.set_ylabel("models")
    axes.set_ylim(0, 1.3 * max(*counts.reference, *counts.test))
    axes.legend(ncol=2, loc="upper center")
    return axes


def graph(graph: Graph, ax: Optional[Any] = None, *, layout: Optional[Any] = None, title: str = "",
          highlight: Collection[Any] = ()) -> Any:
    """Nodes at their positions, or where a spring layout of a fixed seed puts them.

    Nodes of one attribute are shaded by it.  ``highlight``: nodes, by external id or number, that are drawn in red.
    """
    import networkx

    axes = _axes(ax)
    drawn = to_networkx(graph)
    places = layout if layout is not None else networkx.get_node_attributes(drawn, "pos")
    if not places:
        places = networkx.spring_layout(drawn, seed=1)
    look: Dict[str, Any] = {"node_color": "tab:blue"}
    if graph.attributes is not None and graph.attribute_count == 1:
        look = {"node_color": graph.attributes[:, 0], "cmap": "Greys"}
    networkx.draw_networkx_edges(drawn, places, ax=axes, width=0.5, edge_color="grey", node_size=40, arrowsize=4)
    networkx.draw_networkx_nodes(drawn, places, ax=axes, node_size=40, linewidths=0.5, edgecolors="grey", **look)
    networkx.draw_networkx_nodes(drawn, places, list(highlight), ax=axes, node_size=40, node_color="tab:red")
    axes.set_title(title)
    axes.set_axis_off()
    return axes


def _gone(before: Graph, after: Graph) -> List[Any]:
    """The nodes of `before` that `after` has not, as far as ids or positions tell."""
    if before.node_ids is not None and after.node_ids is not None:
        left = set(after.node_ids)
        return [name for name in before.node_ids if name not in left]
    if before.positions is not None and after.positions is not None:
        there = {tuple(place) for place in after.positions.tolist()}
        return [node for node, place in enumerate(before.positions.tolist()) if tuple(place) not in there]
    return []


def before_and_after(before: Graph, after: Optional[Graph], axes: Optional[Sequence[Any]] = None) -> Sequence[Any]:
    """A graph before and after a removal, with nodes at the same places.  Nodes that went are red.

    ``after`` is None if the graph is gone.
    """
    import networkx

    if axes is None:
        from matplotlib import pyplot

        axes = pyplot.subplots(1, 2, figsize=(8, 4), layout="constrained")[1]
    assert axes is not None
    drawn = to_networkx(before)
    fixed = networkx.get_node_attributes(drawn, "pos")
    places = fixed or networkx.spring_layout(drawn, seed=1)
    if after is None:
        graph(before, axes[0], layout=places, title="before", highlight=list(drawn))
        axes[1].set_title("after: gone")
        axes[1].set_axis_off()
        return axes
    graph(before, axes[0], layout=places, title="before", highlight=_gone(before, after))
    # Without ids, a removed node lets the later ones move up: places then belong to nobody, unless nodes have them.
    same = after.node_ids is not None or after.node_count == before.node_count
    graph(after, axes[1], layout=places if same and not fixed else None, title="after")
    axes[1].set_xlim(axes[0].get_xlim())
    axes[1].set_ylim(axes[0].get_ylim())
    return axes
