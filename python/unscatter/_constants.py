"""Where constants come from: the words of docs/constants.md in Python."""
from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._core import InvalidArgument
from ._graphs import GraphDataset, class_text, class_values

Classes = Union[None, str, Sequence[Any]]
FitSource = Union[None, str, _core.Dataset]


def fit_source(fit_constants: Optional[str], public_data: Optional[GraphDataset]) -> FitSource:
    """What constants that the features leave out are computed from."""
    if public_data is None:
        return fit_constants
    if not isinstance(public_data, GraphDataset):
        raise InvalidArgument(f"public_data is a GraphDataset, and not {type(public_data).__name__}")
    if fit_constants is not None:
        raise InvalidArgument("fit_constants= and public_data= are two places for the same constants")
    return public_data._core


def class_list(classes: Classes,
               public_data: Optional[GraphDataset]) -> Tuple[Optional[List[str]], Optional[npt.NDArray[Any]], str]:
    """The classes that are stated as files spell them, as values, and their kind; none: those that occur."""
    if classes is None:
        return None, None, ""
    if isinstance(classes, str):
        if classes == "data":
            return None, None, "private-fit"
        if classes != "public":
            raise InvalidArgument(f"classes={classes!r}: give a list, \"public\" or \"data\"")
        if public_data is None:
            raise InvalidArgument("classes=\"public\" needs public_data=")
        names = public_data._core.classes_that_occur()
        return names, class_values(names), "public-data"
    values = list(classes)
    return [class_text(label) for label in values], np.asarray(values), "stated"


def stated_classes(core: _core.Dataset, classes: Classes,
                   public_data: Optional[GraphDataset]) -> Tuple[_core.Dataset, Optional[npt.NDArray[Any]], str]:
    """The data with its list of classes, the classes as values, and their kind."""
    names, values, kind = class_list(classes, public_data)
    return (core if names is None else core.with_classes(names)), values, kind
