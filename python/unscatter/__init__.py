"""Certified unlearning for graph classifiers.

    >>> import unscatter
    >>> data = unscatter.interest_groups(groups=200, seed=1)
    >>> model = unscatter.ForgettingClassifier().fit(data)
    >>> certificate = model.forget(subject=data[0].node_ids[0])
    >>> certificate.satisfied
    True

docs/python.md is the guide.
"""
from ._convert import from_arrays, from_networkx, from_scipy, to_networkx, to_scipy
from ._classifier import ForgettingClassifier
from ._core import (Audit, AuditControl, AuditFault, AuditGame, AuditHistogram, AuditLook, Certificate, Error, Exposure,
                    ForgetEdge, ForgetFeatures, ForgetGraph, ForgetNode, ForgetSubject, FrameCondition, Graph,
                    InvalidArgument, InvariantViolation, IoError, LimitExceeded, MalformedInput, Model, NoiseCheck,
                    NotConverged, NotFound, Outdated, Promise, Unavailable, Unsupported, __version__)
from ._dates import DueDate, DueSummary
from ._demo import demo
from ._embedding import Embedder, ScatteringTransformer, recipes
from ._files import check, compact, public_key, read_model, upgrade, verify_receipt
from ._graphs import GraphDataset, interest_groups, load
from ._ledger import Ledger, LedgerEntry, ListOutcome, Verification, WorkspaceUpdate
from ._lists import RequestList, read_requests
from ._model import Prediction
from ._pyg import from_pyg, to_pyg
from ._stream import GraphStream, StreamedGraph, stream
from ._tuning import TuneLine, Tuning, tune
from ._workspace import GraphEntry, SubjectEntry, Workspace
from . import _html, _model, _requests

_html.attach()
_model.attach()
_requests.attach()

__all__ = [
    "Audit", "AuditControl", "AuditFault", "AuditGame", "AuditHistogram", "AuditLook", "Certificate", "DueDate",
    "DueSummary", "Embedder", "Error", "Exposure", "ForgetEdge", "ForgetFeatures", "ForgetGraph", "ForgetNode",
    "ForgetSubject", "ForgettingClassifier", "FrameCondition", "Graph", "GraphDataset", "GraphEntry", "GraphStream",
    "InvalidArgument", "InvariantViolation", "IoError", "Ledger", "LedgerEntry", "LimitExceeded", "ListOutcome",
    "MalformedInput", "Model", "NoiseCheck", "NotConverged", "NotFound", "Outdated", "Prediction", "Promise",
    "RequestList", "ScatteringTransformer", "StreamedGraph", "SubjectEntry", "TuneLine", "Tuning", "Unavailable",
    "Unsupported", "Verification", "Workspace", "WorkspaceUpdate", "__version__", "check", "compact", "demo",
    "from_arrays", "from_networkx", "from_pyg", "from_scipy", "interest_groups", "load", "public_key", "read_model",
    "read_requests", "recipes", "stream", "to_networkx", "to_pyg", "to_scipy", "tune", "upgrade", "verify_receipt",
]
