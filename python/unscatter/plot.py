"""Pictures, by matplotlib: removals over time, exposure, a graph before and after a removal."""
from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np

from ._core import Certificate, Exposure, Graph, InvalidArgument
from ._convert import to_networkx


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
    axes.set_xlabel("update")
    axes.set_ylabel("distance from retraining, at most")
    axes.legend(title="rung")
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


def graph(graph: Graph, ax: Optional[Any] = None, *, layout: Optional[Any] = None, title: str = "") -> Any:
    """Nodes at their positions, or where a spring layout of a fixed seed puts them."""
    import networkx

    axes = _axes(ax)
    drawn = to_networkx(graph)
    places = layout if layout is not None else networkx.get_node_attributes(drawn, "pos")
    if not places:
        places = networkx.spring_layout(drawn, seed=1)
    networkx.draw_networkx(drawn, pos=places, ax=axes, node_size=40, with_labels=False, width=0.6)
    axes.set_title(title)
    axes.set_axis_off()
    return axes


def before_and_after(before: Graph, after: Optional[Graph], axes: Optional[Sequence[Any]] = None) -> Sequence[Any]:
    """A graph before and after a removal, with nodes at the same places.  None: the graph is gone."""
    import networkx

    if axes is None:
        from matplotlib import pyplot

        axes = pyplot.subplots(1, 2, figsize=(8, 4), layout="constrained")[1]
    assert axes is not None
    drawn = to_networkx(before)
    places = networkx.get_node_attributes(drawn, "pos") or networkx.spring_layout(drawn, seed=1)
    graph(before, axes[0], layout=places, title="before")
    if after is None:
        axes[1].set_title("after: gone")
        axes[1].set_axis_off()
        return axes
    # Without ids, a removed node lets the later ones move up: then places belong to nobody.
    same = after.node_ids is not None or after.node_count == before.node_count
    graph(after, axes[1], layout=places if same else None, title="after")
    return axes
