"""Lists of requests."""
from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Iterator, List, Optional, Sequence, Tuple, Union, overload

from . import _core
from ._core import Error, MalformedInput
from ._requests import Request

# As many as the command line shows.
_SHOWN_LINES = 100


@dataclass(frozen=True)
class RequestList(Sequence[Request]):
    """The requests of a file, and the line of each, from 1.  ``wrong``: lines that are no request, with the reason."""

    requests: List[Request]
    lines: List[int]
    wrong: List[Tuple[int, Error]]

    def __len__(self) -> int:
        return len(self.requests)

    def __iter__(self) -> Iterator[Request]:
        return iter(self.requests)

    @overload
    def __getitem__(self, which: int) -> Request: ...

    @overload
    def __getitem__(self, which: slice) -> List[Request]: ...

    def __getitem__(self, which: Union[int, slice]) -> Union[Request, List[Request]]:
        return self.requests[which]


def read_requests(path: Union[str, "os.PathLike[str]"], *, format: Optional[str] = None,
                  skip_wrong: bool = False) -> RequestList:
    """Reads a list of requests, JSONL or CSV, as ``unscatter forget --requests`` does (docs/receipts.md, "Lists").

    A list that was half understood must not be begun: wrong lines raise MalformedInput, which names them, unless
    ``skip_wrong`` says that they are to be passed over.

    >>> import unscatter
    >>> with open("list.csv", "w") as file:
    ...     _ = file.write("forget,graph,node\\ngraph,17,\\nnode,18,3\\n")
    >>> list(unscatter.read_requests("list.csv"))
    [graph 17, node 3 of graph 18]
    """
    name = os.fspath(path)
    requests, lines, wrong = _core.scan_list(name, format)
    if wrong and not skip_wrong:
        told = "".join(f"\n  line {line}: {error}" for line, error in wrong[:_SHOWN_LINES])
        more = f"\n  and {len(wrong) - _SHOWN_LINES} more" if len(wrong) > _SHOWN_LINES else ""
        raise MalformedInput(f"'{name}' has {len(wrong)} wrong line{'' if len(wrong) == 1 else 's'}:{told}{more}")
    return RequestList(requests, lines, wrong)
