"""Files that need no open workspace: models, receipts, and care for workspace files."""
from __future__ import annotations

import os
from typing import Optional, Tuple, Union

from . import _core
from ._core import Model
from ._ledger import Verification

Path = Union[str, "os.PathLike[str]"]


def read_model(text: str, *, signer: Optional[str] = None) -> Model:
    """A published model from its text.  ``signer``: the public key, or its file, that must have signed it."""
    if signer is not None:
        _core.check_model(text, signer)
    return _core.read_model(text)


def verify_receipt(text: str, signer: str) -> None:
    """Raises InvalidArgument unless ``signer``, a public key or its file, signed the receipt."""
    _core.check_receipt(text, signer)


def public_key(*, key: Optional[Path] = None) -> str:
    """The public half of the signing key, for those who check receipts; a key is made if there is none."""
    return _core.public_key(None if key is None else os.fspath(key))[1]


def check(path: Path, *, key: Optional[Path] = None) -> Verification:
    """Tests quickly whether a workspace file is whole, as ``unscatter check``.  Workspace.verify() looks at more."""
    passed, checks = _core.check(os.fspath(path), None if key is None else os.fspath(key))
    return Verification(passed, checks)


def compact(path: Path, *, key: Optional[Path] = None) -> Tuple[int, int]:
    """Writes a workspace file anew without unused pages.  Returns its bytes before and after."""
    return _core.compact(os.fspath(path), None if key is None else os.fspath(key))


def upgrade(path: Path, *, dry_run: bool = False, key: Optional[Path] = None) -> Tuple[int, int, bool]:
    """Brings a workspace file of an older format to the present one.

    Returns the format before, the present format, and whether this call changed the file.
    """
    return _core.upgrade(os.fspath(path), dry_run, None if key is None else os.fspath(key))
