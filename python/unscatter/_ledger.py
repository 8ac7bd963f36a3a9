"""The ledger of a workspace, and what its updates hand out."""
from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, List, Mapping, Tuple

from . import _core
from ._core import Certificate, Error, Exposure


@dataclass(frozen=True)
class LedgerEntry:
    """One entry of a ledger, as the file spells it."""

    fields: Mapping[str, Any]

    @property
    def kind(self) -> str:
        """created, forgotten, added, corrected, released, renewed or replayed."""
        return str(self.fields["kind"])

    @property
    def sequence(self) -> int:
        """Its number, from 0."""
        return int(self.fields["sequence"])

    @property
    def time(self) -> str:
        """When it was written, in UTC."""
        return str(self.fields["time"])


class Ledger(List[LedgerEntry]):
    """The entries of a workspace, in their order; a table in notebooks."""


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
class ListOutcome:
    """What became of a list of requests.

    ``done_before``: how many an earlier run had honoured, with ``entries_before`` of the ledger.  ``honoured``: by this
    run.  ``updates``: of this run.  ``refused``: why, each with its place in the list as ``request``.
    """

    done_before: int
    entries_before: List[int]
    honoured: int
    updates: List[WorkspaceUpdate]
    refused: List[Error]


@dataclass(frozen=True)
class Verification:
    """Everything that a workspace claims, derived again.  ``checks``: name, passed, detail."""

    passed: bool
    checks: List[Tuple[str, bool, str]]

    def __bool__(self) -> bool:
        return self.passed


def entry_of(text: str) -> LedgerEntry:
    return LedgerEntry(json.loads(text))


def update_of(outcome: _core.Outcome) -> WorkspaceUpdate:
    return WorkspaceUpdate(outcome.certificate, outcome.exposure, entry_of(outcome.entry_text), outcome.receipt,
                           outcome.openings)
