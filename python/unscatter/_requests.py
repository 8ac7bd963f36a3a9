"""Requests to forget, by words."""
from __future__ import annotations

from typing import Any, Iterable, List, Mapping, Optional, Tuple, Union

import numpy as np

from ._core import (Error, ForgetEdge, ForgetFeatures, ForgetGraph, ForgetNode, ForgetSubject, InvalidArgument,
                    NotFound, read_request, request_text)

Request = Union[ForgetGraph, ForgetNode, ForgetFeatures, ForgetEdge, ForgetSubject]
Key = Union[int, str]
# A number or a text alone names a graph or a row.
RequestOrKey = Union[Request, Key]
_LARGEST = 2**63 - 1
_KINDS = (ForgetGraph, ForgetNode, ForgetFeatures, ForgetEdge, ForgetSubject)


def _same(one: Any, other: object) -> bool:
    return type(one) is type(other) and request_text(one) == request_text(other)  # type: ignore[arg-type]


def _again(text: str) -> Request:
    return read_request(text)


def attach() -> None:
    """Requests are values: equal if they name the same, and fit for sets, dictionaries and other processes."""
    for kind in _KINDS:
        setattr(kind, "__eq__", _same)
        setattr(kind, "__hash__", lambda one: hash(request_text(one)))
        setattr(kind, "__reduce__", lambda one: (_again, (request_text(one),)))


def key_of(key: Any, what: str) -> Key:
    """A number from 0 or a text.  True is no number here: whoever writes it means something else."""
    if isinstance(key, str):
        return key
    if isinstance(key, (int, np.integer)) and not isinstance(key, bool) and key >= 0:
        if key > _LARGEST:
            raise NotFound(f"there is nothing of the number {key}")
        return int(key)
    raise InvalidArgument(f"{what} is named by its number, from 0, or by its external id, a text; {key!r} is neither")


def one_request(request: Any) -> Request:
    """A request, or the graph or row that a number or a text names."""
    if isinstance(request, _KINDS):
        return request
    if isinstance(request, (str, int, np.integer)):
        return ForgetGraph(key_of(request, "a graph or a row"))
    raise InvalidArgument(f"{request!r} is no request: give ForgetGraph, ForgetNode, ForgetEdge, ForgetFeatures or "
                          "ForgetSubject, or the number or the external id of a graph or a row")


def all_requests(requests: Iterable[RequestOrKey]) -> List[Request]:
    """Of an update, in their order.  The error's ``request`` is the place of what is no request."""
    if isinstance(requests, (str, bytes, Mapping)) or not isinstance(requests, Iterable):
        raise InvalidArgument(f"requests are a list, and {requests!r} is none")
    chosen: List[Request] = []
    for place, request in enumerate(requests):
        try:
            chosen.append(one_request(request))
        except Error as error:
            error.request = place
            raise
    return chosen


def request_of(request: Optional[RequestOrKey], graph: Optional[Key], node: Optional[Key],
               edge: Optional[Tuple[Key, Key]], features_of: Optional[Key], subject: Optional[str],
               row: Optional[Key]) -> Request:
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
        if parts:
            raise InvalidArgument("node=, edge= and features_of= go with graph=")
        return one_request(request)
    if subject is not None:
        if parts:
            raise InvalidArgument("a subject leaves with all of its nodes: node=, edge= and features_of= go with "
                                  "graph=")
        if not isinstance(subject, str):
            raise InvalidArgument(f"a subject is named by its external id, a text, and not by {subject!r}")
        return ForgetSubject(subject)
    assert graph is not None
    where = key_of(graph, "a graph or a row")
    if node is not None:
        return ForgetNode(where, key_of(node, "a node"))
    if features_of is not None:
        return ForgetFeatures(where, key_of(features_of, "a node"))
    if edge is not None:
        if isinstance(edge, str) or not hasattr(edge, "__len__") or len(edge) != 2:
            raise InvalidArgument(f"an edge is a pair of nodes, and {edge!r} is none")
        return ForgetEdge(where, key_of(edge[0], "a node"), key_of(edge[1], "a node"))
    return ForgetGraph(where)


def previewed(requests: Union[None, RequestOrKey, Iterable[RequestOrKey]], graph: Optional[Key], node: Optional[Key],
              edge: Optional[Tuple[Key, Key]], features_of: Optional[Key], subject: Optional[str],
              row: Optional[Key]) -> List[Request]:
    """What preview() is asked about: a list of requests, or one as forget() takes it."""
    if isinstance(requests, Iterable) and not isinstance(requests, str):
        if any(word is not None for word in (graph, node, edge, features_of, subject, row)):
            raise InvalidArgument("requests are given as a list or by words, not both")
        return all_requests(requests)
    return [request_of(requests, graph, node, edge, features_of, subject, row)]
