"""Certified unlearning for graph classifiers.

    >>> import unscatter
    >>> data = unscatter.interest_groups(groups=200, seed=1)
    >>> model = unscatter.ForgettingClassifier().fit(data)
    >>> certificate = model.forget(subject=data[0].node_ids[0])
    >>> certificate.satisfied
    True

docs/python.md is the guide.
"""
from ._convert import (from_arrays, from_networkx, from_pyg, from_scipy, to_networkx, to_pyg, to_scipy)
from ._classifier import ForgettingClassifier
from ._core import (Certificate, Error, Exposure, ForgetEdge, ForgetFeatures, ForgetGraph, ForgetNode, ForgetSubject,
                    FrameCondition, Graph, InvalidArgument, InvariantViolation, IoError, LimitExceeded, MalformedInput,
                    Model, NotConverged, NotFound, Outdated, Promise, Unavailable, Unsupported, __version__)
from ._demo import demo
from ._embedding import Embedder, ScatteringTransformer, recipes
from ._graphs import GraphDataset, interest_groups, load
from ._workspace import LedgerEntry, Verification, Workspace, WorkspaceUpdate, read_model, verify_receipt
from . import _html

_html.attach()

__all__ = [
    "Certificate", "Embedder", "Error", "Exposure", "ForgetEdge", "ForgetFeatures", "ForgetGraph", "ForgetNode",
    "ForgetSubject", "ForgettingClassifier", "FrameCondition", "Graph", "GraphDataset", "InvalidArgument",
    "InvariantViolation", "IoError", "LedgerEntry", "LimitExceeded", "MalformedInput", "Model", "NotConverged",
    "NotFound", "Outdated", "Promise", "ScatteringTransformer", "Unavailable", "Unsupported", "Verification",
    "Workspace", "WorkspaceUpdate", "__version__", "demo", "from_arrays", "from_networkx", "from_pyg", "from_scipy",
    "interest_groups", "load", "read_model", "recipes", "to_networkx", "to_pyg", "to_scipy", "verify_receipt",
]
