"""Workspaces: the same files as those of the command line."""
from __future__ import annotations

import json
import os
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Type, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._core import Certificate, Exposure, InvalidArgument, Model
from ._embedding import Embedder, ScatteringTransformer, _GraphTransformer, is_graphs
from ._graphs import GraphDataset, class_text
from ._progress import ProgressOption, reporter
from ._requests import Key, Request, request_of

Path = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class LedgerEntry:
    """One entry of a ledger, as the file spells it."""

    fields: Mapping[str, Any]

    @property
    def kind(self) -> str:
        return str(self.fields["kind"])

    @property
    def sequence(self) -> int:
        return int(self.fields["sequence"])

    @property
    def time(self) -> str:
        return str(self.fields["time"])


@dataclass(frozen=True)
class WorkspaceUpdate:
    """A removal, an addition or corrections, in force and on disk.

    ``receipt`` is the signed text for whoever asked.  ``openings`` are lines that open its commitments: whoever has
    them can show what was asked.  They are handed out here and kept nowhere else.
    """

    certificate: Certificate
    exposure: Exposure
    entry: LedgerEntry
    receipt: str
    openings: List[str]


@dataclass(frozen=True)
class Verification:
    """Everything that a workspace claims, derived again.  ``checks``: name, passed, detail."""

    passed: bool
    checks: List[Tuple[str, bool, str]]

    def __bool__(self) -> bool:
        return self.passed


def _place(path: Optional[Path]) -> Optional[str]:
    return None if path is None else os.fspath(path)


def _update(outcome: _core.Outcome) -> WorkspaceUpdate:
    return WorkspaceUpdate(outcome.certificate, outcome.exposure, LedgerEntry(json.loads(outcome.entry_text)),
                           outcome.receipt, outcome.openings)


class Workspace:
    """A classifier that can forget, in one file.

    ``with Workspace.create(path, data) as workspace`` trains; ``with Workspace.open(path) as workspace`` goes on.  The
    signing key is the one that the command line uses, unless ``key`` names another.  A pickle of a workspace is its
    path: it is opened again where it is read.
    """

    def __init__(self, core: _core.CoreWorkspace, path: str, key: Optional[str], read_only: bool) -> None:
        self._core = core
        self._path = path
        self._key = key
        self._read_only = read_only

    @classmethod
    def create(cls, path: Path, data: Any, y: Optional[Sequence[Any]] = None, *,
               embedder: Union[None, str, Embedder, ScatteringTransformer] = None,
               ids: Optional[Sequence[str]] = None, subjects: Optional[Sequence[str]] = None,
               classes: Optional[Sequence[Any]] = None, features: Optional[str] = None,
               fit_constants: str = "none", key: Optional[Path] = None, progress: ProgressOption = None,
               **options: Any) -> "Workspace":
        """Trains on graphs, or on a 2-D array of rows.  ``options`` are those of ForgettingClassifier."""
        rows = not is_graphs(data)
        if isinstance(embedder, _GraphTransformer):
            transform = embedder._transform_words()
            features = embedder.features if features is None else features
        elif embedder is None or isinstance(embedder, str):
            transform = _core.Transform("rows" if rows and embedder is None else embedder, {})
        else:
            raise InvalidArgument("a workspace embeds by a text or an Embedder; rows of a function are given as rows")
        core = cls._rows(data, y, ids, subjects) if rows else cls._graphs(data, y, ids)
        if classes is not None:
            core = core.with_classes([class_text(label) for label in classes])
            options["classes"] = "stated"
        place = os.fspath(path)
        made = _core.CoreWorkspace.create(place, core, transform, features, fit_constants, options, _place(key),
                                          reporter(progress))
        return cls(made, place, _place(key), False)

    @staticmethod
    def _graphs(data: Any, y: Optional[Sequence[Any]], ids: Optional[Sequence[str]]) -> _core.Dataset:
        if isinstance(data, GraphDataset) and y is None and ids is None:
            return data._core
        return GraphDataset(data, y, ids=ids)._core

    @staticmethod
    def _rows(data: Any, y: Optional[Sequence[Any]], ids: Optional[Sequence[str]],
              subjects: Optional[Sequence[str]]) -> _core.Dataset:
        if y is None:
            raise InvalidArgument("the classes of the rows are missing: create(path, rows, y)")
        return _core.rows_dataset("rows", np.asarray(data, dtype=np.float64), [class_text(label) for label in y],
                                  [] if ids is None else list(ids), [] if subjects is None else list(subjects))

    @classmethod
    def open(cls, path: Path, *, read_only: bool = False, key: Optional[Path] = None, wait: Optional[float] = None,
             threads: int = 0, progress: ProgressOption = None) -> "Workspace":
        """Opens a workspace of this package or of the command line.  ``wait``: seconds to wait for another process."""
        place = os.fspath(path)
        core = _core.CoreWorkspace.open(place, read_only, _place(key), wait, threads, reporter(progress))
        return cls(core, place, _place(key), read_only)

    def close(self) -> None:
        self._core.close()

    def __enter__(self) -> "Workspace":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    @property
    def path(self) -> str:
        return self._path

    # ---- updates

    def forget(self, request: Optional[Request] = None, *, graph: Optional[Key] = None, node: Optional[Key] = None,
               edge: Optional[Tuple[Key, Key]] = None, features_of: Optional[Key] = None,
               subject: Optional[str] = None, row: Optional[Key] = None, keep_salts: bool = False,
               shred: bool = False, progress: ProgressOption = None) -> WorkspaceUpdate:
        """Forgets one thing, as ForgettingClassifier.forget().  When it returns, the removal is durable."""
        chosen = request_of(request, graph, node, edge, features_of, subject, row)
        return self.forget_many([chosen], keep_salts=keep_salts, shred=shred, progress=progress)

    def forget_many(self, requests: Iterable[Request], *, keep_salts: bool = False, shred: bool = False,
                    progress: ProgressOption = None) -> WorkspaceUpdate:
        """All of them by one update, with one ledger entry and one receipt."""
        return _update(self._core.forget(list(requests), keep_salts, shred, reporter(progress)))

    def preview(self, requests: Union[Request, Iterable[Request]]) -> Tuple[Certificate, Exposure]:
        """What forget_many() would do and cost."""
        return self._core.preview(list(requests) if isinstance(requests, Iterable) else [requests], None)

    def add(self, data: Any, y: Optional[Sequence[Any]] = None, *, ids: Optional[Sequence[str]] = None,
            subjects: Optional[Sequence[str]] = None, progress: ProgressOption = None) -> WorkspaceUpdate:
        """Learns from more graphs or rows, by one update."""
        core = self._graphs(data, y, ids) if is_graphs(data) else self._rows(data, y, ids, subjects)
        return _update(self._core.add(core, reporter(progress)))

    def correct(self, *corrections: Mapping[str, Any], progress: ProgressOption = None) -> WorkspaceUpdate:
        """Replaces what was wrong.  Corrections are objects as docs/receipts.md writes them, for instance
        {"correct": "class", "graph": 17, "class": "2"}."""
        return _update(self._core.correct([json.dumps(one) for one in corrections], reporter(progress)))

    def release(self, *, fresh: bool = False) -> str:
        """The published model as a signed text, the same until the next update; read_model() makes it ready."""
        return self._core.release(fresh)

    def renew(self) -> LedgerEntry:
        """Begins another count of published models."""
        return LedgerEntry(json.loads(self._core.renew()))

    # ---- what is there

    @property
    def certificate(self) -> Certificate:
        return self._core.certificate()

    def status(self) -> Dict[str, Any]:
        return self._core.status()

    def entry(self, sequence: int) -> LedgerEntry:
        return LedgerEntry(json.loads(self._core.entry(sequence)))

    @property
    def ledger(self) -> List[LedgerEntry]:
        return [self.entry(sequence) for sequence in range(int(self.status()["entries"]))]

    def receipt(self, sequence: int) -> str:
        return self._core.receipt(sequence)

    def remaining(self) -> GraphDataset:
        """What is left, as a data set."""
        return GraphDataset._of(self._core.remaining())

    def subject(self, name: str) -> Dict[str, Any]:
        """What is held about the nodes with this external id."""
        return self._core.subject(name)

    def subjects(self, text: str = "", *, limit: int = 0, offset: int = 0) -> List[Tuple[str, int, Optional[int]]]:
        """Ids, in how many graphs each is, and due dates.  ``text`` is part of the id, or a pattern with * and ?."""
        return self._core.subjects(text, limit, offset)

    def kept_weights(self) -> npt.NDArray[np.float64]:
        """The weights as kept.  No noise protects them: they are for the owner."""
        return self._core.kept_weights()

    def replay_digest(self) -> str:
        return self._core.replay_digest()

    def state_digest(self) -> str:
        return self._core.state_digest()

    def backup(self, to: Path, *, replace: bool = False) -> str:
        """Writes a copy and returns the hash of its last entry."""
        return self._core.backup(os.fspath(to), replace)

    def verify(self, *, retrain: bool = False, signer: Optional[str] = None) -> Verification:
        """Derives everything that the file claims again.  The workspace must be closed or opened read-only."""
        passed, checks = _core.verify(self._path, retrain, self._key, signer)
        return Verification(passed, checks)

    def __repr__(self) -> str:
        return f"Workspace({self._path!r})"

    def __reduce__(self) -> Tuple[Any, Tuple[Any, ...]]:
        return _open_again, (self._path, self._read_only, self._key)


def _open_again(path: str, read_only: bool, key: Optional[str]) -> Workspace:
    return Workspace.open(path, read_only=read_only, key=key)


def read_model(text: str, *, signer: Optional[str] = None) -> Model:
    """A published model from its text.  ``signer``: the public key, or its file, that must have signed it."""
    if signer is not None:
        _core.check_model(text, signer)
    return _core.read_model(text)


def verify_receipt(text: str, signer: str) -> None:
    """Raises InvalidArgument unless ``signer``, a public key or its file, signed the receipt."""
    _core.check_receipt(text, signer)
