"""Progress of long work: nothing, a function of the caller's, or a bar of tqdm where that is installed."""
from __future__ import annotations

from typing import Any, Callable, Optional, Union

Report = Callable[[str, int, int], None]
ProgressOption = Union[None, bool, Report]


class _Bar:
    """One bar per stage."""

    def __init__(self, tqdm: Any) -> None:
        self._tqdm = tqdm
        self._bar: Any = None
        self._stage = ""

    def __call__(self, stage: str, done: int, total: int) -> None:
        if self._bar is None or stage != self._stage:
            if self._bar is not None:
                self._bar.close()
            self._bar = self._tqdm(total=total or None, desc=stage, leave=False)
            self._stage = stage
        self._bar.update(done - self._bar.n)


def reporter(progress: ProgressOption) -> Optional[Report]:
    """The function that the compiled part calls with (stage, done, total), a few times per second."""
    if progress is None or progress is False:
        return None
    if callable(progress):
        return progress
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return _Bar(tqdm)
