"""Workspaces: the same files as those of the command line."""
from __future__ import annotations

import datetime
import json
import os
from types import TracebackType
from typing import (Any, Callable, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Type,
                    Union)

import numpy as np
import numpy.typing as npt

from . import _core
from ._constants import Classes, class_list, fit_source, stated_classes
from ._convert import real_numbers
from ._core import Audit, Certificate, Exposure, ForgetGraph, ForgetSubject, Graph, InvalidArgument, NotFound
from ._dates import DueDate, DueSummary, When, due_date, due_summary, expiry_of, moment_of, now_or, seconds_of
from ._embedding import Embedder, ScatteringTransformer, _GraphTransformer, collected, is_graphs, refuse_foreign
from ._graphs import GraphDataset, class_text, load, texts
from ._ledger import (Ledger, LedgerEntry, ListOutcome, Verification, WorkspaceUpdate, entry_of, update_of)
from ._progress import ProgressOption, reporter
from ._requests import Key, Request, RequestOrKey, all_requests, key_of, one_request, previewed, request_of
from ._rows import NOT_FOR_ROWS, transform_of_rows

Path = Union[str, "os.PathLike[str]"]
# Called with an update before it is written.
HandOut = Callable[[WorkspaceUpdate], None]


class GraphEntry(NamedTuple):
    """A graph that a workspace holds.  Requests name it by its number, or by its external id where it has one."""

    number: int
    id: Optional[str]
    label: str
    nodes_at_creation: int
    graph: Graph


class SubjectEntry(NamedTuple):
    """An external id, in how many graphs it is, and its due date."""

    id: str
    graphs: int
    due: Optional[datetime.datetime]


def _place(path: Optional[Path]) -> Optional[str]:
    return None if path is None else os.fspath(path)


def _transform_of(embedder: Any) -> _core.Transform:
    if isinstance(embedder, _GraphTransformer):
        return embedder._transform_words()
    if embedder is None or isinstance(embedder, str):
        return _core.Transform(embedder, {})
    raise InvalidArgument("a workspace embeds by a text or an Embedder; rows of a function are given as rows")


def _beside(embedder: Any, features: Optional[str], fit_constants: Optional[str],
            public_data: Optional[GraphDataset]) -> Tuple[Optional[str], Optional[str], Optional[GraphDataset]]:
    """What an embedder has beside its transform, where nothing else is given."""
    if not isinstance(embedder, _GraphTransformer):
        return features, fit_constants, public_data
    return (embedder.features if features is None else features,
            embedder.fit_constants if fit_constants is None else fit_constants,
            embedder.public_data if public_data is None else public_data)


def _handing(hand_out: Optional[HandOut]) -> Optional[Callable[[_core.Outcome], None]]:
    if hand_out is None:
        return None
    taker = hand_out
    return lambda outcome: taker(update_of(outcome))


class Workspace:
    """A classifier that can forget, in one file.

    ``with Workspace.create(path, data) as workspace`` trains; ``with Workspace.open(path) as workspace`` goes on.  The
    signing key is the one that the command line uses, unless ``key`` names another.  A pickle of a workspace is its
    path: it is opened again where it is read.

    >>> import unscatter
    >>> data = unscatter.interest_groups(groups=50, seed=1)
    >>> with unscatter.Workspace.create("small.unscatter", data) as workspace:
    ...     update = workspace.forget(graph=0)
    ...     print(update.entry.sequence, update.certificate.graphs)
    1 49
    >>> workspace.verify().passed
    True
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
               classes: Classes = None, features: Optional[str] = None, fit_constants: Optional[str] = None,
               public_data: Optional[GraphDataset] = None, expires: Optional[When] = None,
               keep_for: Optional[datetime.timedelta] = None, key: Optional[Path] = None, stream: bool = False,
               progress: ProgressOption = None, **options: Any) -> "Workspace":
        """Trains on graphs, on a 2-D array of rows, or on a data set by its name or path, and writes the file.

        ``options`` are those of ForgettingClassifier.  ``expires`` or ``keep_for`` is a due date of every graph; one
        that has an earlier date keeps it.  ``stream=True`` reads a JSONL file twice, a few graphs at a time, so that it
        does not have to fit memory, as ``unscatter train --stream``; the workspace is the same.
        """
        named = isinstance(data, (str, os.PathLike))
        if named and (y is not None or ids is not None or subjects is not None):
            raise InvalidArgument("a file has its own classes and ids: y=, ids= and subjects= do not go with it")
        if stream and not named:
            raise InvalidArgument("stream=True reads a file: give its path in place of the data")
        if named and not stream:
            data = load(data, threads=options.get("threads") or 0, progress=progress)
        data = collected(data)
        rows = not named and not is_graphs(data)
        if rows and isinstance(embedder, _GraphTransformer):
            raise InvalidArgument(NOT_FOR_ROWS)
        transform = transform_of_rows(embedder) if rows else _transform_of(embedder)
        features, fit_constants, public_data = _beside(embedder, features, fit_constants, public_data)
        place = os.fspath(path)
        if stream:
            names, _, kind = class_list(classes, public_data)
            if kind:
                options["classes"] = kind
            made = _core.CoreWorkspace.create_from_file(
                place, _core.find_dataset(os.fspath(data)), transform, features,
                fit_source(fit_constants, public_data), names, options, expiry_of(expires, keep_for), _place(key),
                reporter(progress))
            return cls(made, place, _place(key), False)
        core = cls._rows(data, y, ids, subjects) if rows else cls._graphs(data, y, ids)
        core, _, kind = stated_classes(core, classes, public_data)
        if kind:
            options["classes"] = kind
        made = _core.CoreWorkspace.create(place, core, transform, features, fit_source(fit_constants, public_data),
                                          options, expiry_of(expires, keep_for), _place(key), reporter(progress))
        return cls(made, place, _place(key), False)

    @staticmethod
    def _graphs(data: Any, y: Optional[Sequence[Any]], ids: Optional[Sequence[str]]) -> _core.Dataset:
        if isinstance(data, GraphDataset) and y is None and ids is None:
            return data._core
        return GraphDataset(data, y, ids=ids)._core

    @staticmethod
    def _rows(data: Any, y: Optional[Sequence[Any]], ids: Optional[Sequence[str]],
              subjects: Optional[Sequence[str]]) -> _core.Dataset:
        refuse_foreign(data)
        if y is None:
            raise InvalidArgument("the classes of the rows are missing: create(path, rows, y)")
        return _core.rows_dataset("rows", real_numbers(data, "rows"), [class_text(label) for label in y],
                                  [] if ids is None else texts(ids, "ids of rows"),
                                  [] if subjects is None else texts(subjects, "subjects"))

    @classmethod
    def open(cls, path: Path, *, read_only: bool = False, key: Optional[Path] = None, wait: Optional[float] = None,
             threads: int = 0, progress: ProgressOption = None) -> "Workspace":
        """Opens a workspace of this package or of the command line.  ``wait``: seconds to wait for another process."""
        place = os.fspath(path)
        core = _core.CoreWorkspace.open(place, read_only, _place(key), wait, threads, reporter(progress))
        return cls(core, place, _place(key), read_only)

    def retrain(self, path: Path, *, embedder: Union[None, str, Embedder, ScatteringTransformer] = None,
                classes: Classes = None, features: Optional[str] = None, fit_constants: Optional[str] = None,
                public_data: Optional[GraphDataset] = None, key: Optional[Path] = None,
                progress: ProgressOption = None, **options: Any) -> "Workspace":
        """Learns again from what is left, into another file, and returns that workspace, as ``unscatter retrain``.

        ``options`` are those of ForgettingClassifier.  What is not given stays as it is here; ``embedder`` and
        ``features`` belong together, so one of them brings the other to its default.  Nothing that was forgotten comes
        back.  Models that were published stay counted, and the certificate states the promise for all of them
        together.  This workspace stays as it is: requests to forget have to be made to both, until it is deleted.
        """
        anew = embedder is not None or features is not None
        features, fit_constants, public_data = _beside(embedder, features, fit_constants, public_data)
        names, _, kind = class_list(classes, public_data)
        if kind:
            options["classes"] = kind
        place, signs = os.fspath(path), self._key if key is None else _place(key)
        made = self._core.retrain(place, _transform_of(embedder) if anew else None, features,
                                  fit_source(fit_constants, public_data), names, options, signs, reporter(progress))
        return Workspace(made, place, signs, False)

    def close(self) -> None:
        """Lets others use the file."""
        self._core.close()

    def __enter__(self) -> "Workspace":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    @property
    def path(self) -> str:
        """The file."""
        return self._path

    # ---- updates

    def forget(self, request: Optional[RequestOrKey] = None, *, graph: Optional[Key] = None, node: Optional[Key] = None,
               edge: Optional[Tuple[Key, Key]] = None, features_of: Optional[Key] = None,
               subject: Optional[str] = None, row: Optional[Key] = None, keep_salts: bool = False,
               shred: bool = False, hand_out: Optional[HandOut] = None,
               progress: ProgressOption = None) -> WorkspaceUpdate:
        """Forgets one thing, as ForgettingClassifier.forget().  When it returns, the removal is durable."""
        chosen = request_of(request, graph, node, edge, features_of, subject, row)
        return self.forget_many([chosen], keep_salts=keep_salts, shred=shred, hand_out=hand_out, progress=progress)

    def forget_many(self, requests: Iterable[RequestOrKey], *, keep_salts: bool = False, shred: bool = False,
                    hand_out: Optional[HandOut] = None, progress: ProgressOption = None) -> WorkspaceUpdate:
        """All of them by one update, with one ledger entry and one receipt.

        ``hand_out`` is called with the update before anything is written: the place to make openings durable.  If it
        raises, nothing is forgotten.  ``keep_salts`` keeps salts in the file, and ``shred`` hands none out.
        """
        return update_of(self._core.forget(all_requests(requests), keep_salts, shred, _handing(hand_out),
                                           reporter(progress)))

    def forget_list(self, requests: Iterable[RequestOrKey], *, batch: Optional[int] = None, skip_refused: bool = False,
                    keep_salts: bool = False, shred: bool = False, hand_out: Optional[HandOut] = None,
                    acknowledge: Optional[Callable[[int, WorkspaceUpdate], None]] = None,
                    progress: ProgressOption = None) -> ListOutcome:
        """A list of any length, honoured piece by piece, ``batch`` requests per update; read_requests() reads one.

        The workspace remembers how far it came.  After a crash, an exception or Ctrl-C the same list goes on where it
        stopped.  The first request that is refused ends the list, with those before it in force, unless
        ``skip_refused`` is set.  ``acknowledge`` is called after each update, with the number of requests that are
        done.
        """
        told = acknowledge

        def after(done: int, outcome: _core.Outcome) -> None:
            assert told is not None
            told(done, update_of(outcome))

        before, entries, honoured, updates, refused = self._core.forget_list(
            all_requests(requests), batch, skip_refused, keep_salts, shred, _handing(hand_out),
            None if acknowledge is None else after, reporter(progress))
        return ListOutcome(before, entries, honoured, [update_of(one) for one in updates], refused)

    def preview(self, requests: Union[None, RequestOrKey, Iterable[RequestOrKey]] = None, *,
                graph: Optional[Key] = None, node: Optional[Key] = None, edge: Optional[Tuple[Key, Key]] = None,
                features_of: Optional[Key] = None, subject: Optional[str] = None,
                row: Optional[Key] = None) -> Tuple[Certificate, Exposure]:
        """What forget_many() of a list, or forget() with the same words, would do and cost."""
        return self._core.preview(previewed(requests, graph, node, edge, features_of, subject, row), None)

    def add(self, data: Any, y: Optional[Sequence[Any]] = None, *, ids: Optional[Sequence[str]] = None,
            subjects: Optional[Sequence[str]] = None, expires: Optional[When] = None,
            keep_for: Optional[datetime.timedelta] = None, progress: ProgressOption = None) -> WorkspaceUpdate:
        """Learns from more graphs or rows, or from a data set by its name or path, by one update."""
        if isinstance(data, (str, os.PathLike)):
            data = load(data, progress=progress)
        data = collected(data)
        core = self._graphs(data, y, ids) if is_graphs(data) else self._rows(data, y, ids, subjects)
        return update_of(self._core.add(core, expiry_of(expires, keep_for), reporter(progress)))

    def correct(self, *corrections: Mapping[str, Any], progress: ProgressOption = None) -> WorkspaceUpdate:
        """Replaces what was wrong.  Corrections are objects as docs/receipts.md writes them, for instance
        {"correct": "class", "graph": 17, "class": "2"}."""
        return update_of(self._core.correct([json.dumps(one) for one in corrections], reporter(progress)))

    def replay(self, openings: Iterable[str], *, keep_salts: bool = False, shred: bool = False,
               hand_out: Optional[HandOut] = None, progress: ProgressOption = None) -> WorkspaceUpdate:
        """Brings a copy that was restored from a backup up to date, by the openings that were handed out since."""
        text = "\n".join(line.rstrip("\n") for line in openings)
        return update_of(self._core.replay(text, keep_salts, shred, _handing(hand_out), reporter(progress)))

    def shred(self, request: RequestOrKey) -> int:
        """Destroys kept salts of earlier requests that equal this one, and says how many there were."""
        return self._core.shred(one_request(request))

    def release(self, *, fresh: bool = False) -> str:
        """The published model as a signed text, the same until the next update; read_model() makes it ready."""
        return self._core.release(fresh)

    def renew(self) -> LedgerEntry:
        """Begins another count of published models."""
        return entry_of(self._core.renew())

    # ---- due dates

    def set_due(self, due: Optional[When], *, graph: Optional[Key] = None, subject: Optional[str] = None) -> None:
        """Sets the due date of a graph or a person; None takes it away.

        A date is a text ("2027-03-01", or "2027-03-01T12:00:00Z"), a date, or a datetime with its time zone.
        """
        if (graph is None) == (subject is None):
            raise InvalidArgument("a due date is about one graph or one subject: graph= or subject=")
        what = request_of(None, graph, None, None, None, subject, None)
        self._core.set_due(what, None if due is None else seconds_of(due))

    def due(self, until: Optional[When] = None) -> List[DueDate]:
        """What is due at ``until`` or before; None: now."""
        return [due_date(what, seconds) for what, seconds in self._core.due(now_or(until))]

    def due_summary(self, now: Optional[When] = None) -> DueSummary:
        """How many dates there are, what is overdue and what is due next."""
        return due_summary(self._core.due_summary(now_or(now)))

    def expire(self, until: Optional[When] = None, *, keep_salts: bool = False, shred: bool = False,
               hand_out: Optional[HandOut] = None, progress: ProgressOption = None) -> Optional[WorkspaceUpdate]:
        """Forgets all that is due at ``until`` or before (None: now), by one update.  None if nothing is due."""
        done = self._core.expire(now_or(until), keep_salts, shred, _handing(hand_out), reporter(progress))
        return None if done is None else update_of(done)

    # ---- what is there

    @property
    def certificate(self) -> Certificate:
        """Of the present state."""
        return self._core.certificate()

    def status(self) -> Dict[str, Any]:
        """Names, counts, constants and options."""
        return self._core.status()

    def entry(self, sequence: int) -> LedgerEntry:
        """An entry of the ledger by its number, from 0."""
        return entry_of(self._core.entry(sequence))

    @property
    def ledger(self) -> Ledger:
        """All entries."""
        return Ledger(self.entry(sequence) for sequence in range(int(self.status()["entries"])))

    def receipt(self, sequence: int) -> str:
        """The signed receipt of an entry."""
        return self._core.receipt(sequence)

    def remaining(self) -> GraphDataset:
        """What is left, as a data set."""
        return GraphDataset._of(self._core.remaining())

    def graphs(self) -> Iterator[GraphEntry]:
        """The graphs that are left, in the order of their numbers, each read when it is asked for.

        What this shows is private.  ``[one.number for one in workspace.graphs() if one.label == "club"]`` searches.
        """
        for place in range(int(self.status()["slots"])):
            number, name, label, nodes, graph = self._core.slot(place)
            if graph is not None and label is not None:
                yield GraphEntry(number, name, label, nodes, graph)

    def graph(self, key: Key) -> GraphEntry:
        """One graph by its number or its external id, as forget() names it."""
        wanted = key_of(key, "a graph or a row")
        for one in self.graphs():
            if wanted == (one.id if isinstance(wanted, str) else one.number):
                return one
        raise NotFound(f"there is no graph {wanted!r}, or it was removed")

    def export(self, to: Path, *, replace: bool = False) -> None:
        """Writes what is left as JSONL, for its owner only, as ``unscatter export``; load() reads it."""
        place = os.fspath(to)
        if not replace and os.path.lexists(place):
            raise InvalidArgument(f"'{place}' exists already; replace=True replaces it")
        self._core.export_graphs(place)

    def subject(self, name: str) -> Dict[str, Any]:
        """Everything that is held about the nodes with this external id, for a request of access."""
        held = self._core.subject(name)
        for part in (held, *held["graphs"]):
            part["due"] = moment_of(part["due"])
        return held

    def subjects(self, text: str = "", *, limit: int = 0, offset: int = 0) -> List[SubjectEntry]:
        """People, in the order of their ids.  ``text`` is part of the id, or a pattern with * and ?; ``limit`` 0: all.
        """
        return [SubjectEntry(name, graphs, moment_of(due))
                for name, graphs, due in self._core.subjects(text, limit, offset)]

    def kept_weights(self) -> npt.NDArray[np.float64]:
        """The weights as kept.  No noise protects them: they are for the owner."""
        return self._core.kept_weights()

    def replay_digest(self) -> str:
        """Equal wherever the same data got the same requests in the same batches."""
        return self._core.replay_digest()

    def state_digest(self) -> str:
        """The same, with the bits of the kept weights."""
        return self._core.state_digest()

    def backup(self, to: Path, *, replace: bool = False) -> str:
        """Writes a copy and returns the hash of its last entry."""
        return self._core.backup(os.fspath(to), replace)

    def audit(self, *, games: Optional[Sequence[str]] = None, draws: Optional[int] = None,
              removals: Optional[int] = None, confidence: Optional[float] = None, seed: Optional[int] = None,
              faults: Optional[bool] = None, threads: Optional[int] = None, progress: ProgressOption = None) -> Audit:
        """Plays the observer: tries to tell published models of two worlds apart (docs/audit.md).

        Works on copies in memory.  The workspace stays as it is and publishes nothing.  What is not given is the
        library's own default, which ``unscatter audit`` shows.
        """
        return self._core.audit(dict(games=games, draws=draws, removals=removals, confidence=confidence, seed=seed,
                                     faults=faults, threads=threads), reporter(progress))

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
