"""Due dates: from then on a graph or a person must not be kept."""
from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any, Dict, Optional, Union

from . import _core
from ._core import InvalidArgument
from ._requests import Request

When = Union[str, datetime.date, datetime.datetime]

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def seconds_of(when: When) -> int:
    """Seconds since 1970.  A text is read as on the command line, and a date is its beginning in UTC."""
    if isinstance(when, str):
        return _core.parse_due_date(when)
    if isinstance(when, datetime.datetime):
        if when.tzinfo is None:
            raise InvalidArgument(f"{when.isoformat()} names no time zone: give tzinfo, for instance "
                                  "datetime.timezone.utc")
        return (when - _EPOCH) // datetime.timedelta(seconds=1)
    if isinstance(when, datetime.date):
        return (when - _EPOCH.date()) // datetime.timedelta(seconds=1)
    raise InvalidArgument(f"a due date is a text, a date or a datetime, and not {type(when).__name__}")


def moment_of(seconds: Optional[int]) -> Optional[datetime.datetime]:
    return None if seconds is None else _EPOCH + datetime.timedelta(seconds=seconds)


def now_or(when: Optional[When]) -> int:
    return seconds_of(datetime.datetime.now(datetime.timezone.utc) if when is None else when)


def expiry_of(expires: Optional[When], keep_for: Optional[datetime.timedelta]) -> Optional[int]:
    """The due date that all graphs get, if they get one."""
    if expires is not None and keep_for is not None:
        raise InvalidArgument("expires= and keep_for= exclude one another; name one")
    if keep_for is not None:
        return seconds_of(datetime.datetime.now(datetime.timezone.utc) + keep_for)
    return None if expires is None else seconds_of(expires)


@dataclass(frozen=True)
class DueDate:
    """``what``, a ForgetGraph or a ForgetSubject, must not be kept from ``due`` on."""

    what: Request
    due: datetime.datetime


@dataclass(frozen=True)
class DueSummary:
    """How many due dates there are, how many have passed, the oldest of these, and the next one to come."""

    dates: int
    overdue: int
    oldest: Optional[datetime.datetime]
    next: Optional[DueDate]


def due_date(what: Request, seconds: int) -> DueDate:
    return DueDate(what, _EPOCH + datetime.timedelta(seconds=seconds))


def due_summary(found: Dict[str, Any]) -> DueSummary:
    coming = found["next"]
    return DueSummary(found["dates"], found["overdue"], moment_of(found["oldest"]),
                      None if coming is None else due_date(*coming))
