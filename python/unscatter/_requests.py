"""Requests to forget, by words."""
from __future__ import annotations

from typing import Optional, Tuple, Union

from ._core import ForgetEdge, ForgetFeatures, ForgetGraph, ForgetNode, ForgetSubject, InvalidArgument

Request = Union[ForgetGraph, ForgetNode, ForgetFeatures, ForgetEdge, ForgetSubject]
Key = Union[int, str]


def request_of(request: Optional[Request], graph: Optional[Key], node: Optional[Key], edge: Optional[Tuple[Key, Key]],
               features_of: Optional[Key], subject: Optional[str], row: Optional[Key]) -> Request:
    """The one request that the words ask for."""
    if row is not None:
        if graph is not None:
            raise InvalidArgument("a row is a graph of one node: name row= or graph=, not both")
        graph = row
    parts = [part for part in (node, edge, features_of) if part is not None]
    if (request is not None) + (graph is not None) + (subject is not None) != 1 or len(parts) > 1:
        raise InvalidArgument("name one thing to forget: graph=, graph= with node=, edge= or features_of=, subject=, "
                              "row=, or a request")
    if request is not None:
        return request
    if subject is not None:
        if parts:
            raise InvalidArgument("a subject leaves with all of its nodes: node=, edge= and features_of= go with "
                                  "graph=")
        return ForgetSubject(subject)
    assert graph is not None
    if node is not None:
        return ForgetNode(graph, node)
    if features_of is not None:
        return ForgetFeatures(graph, features_of)
    if edge is not None:
        return ForgetEdge(graph, edge[0], edge[1])
    return ForgetGraph(graph)
