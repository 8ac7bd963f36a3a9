"""Choices on public data."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Sequence, Tuple

from . import _core
from ._core import InvalidArgument
from ._graphs import GraphDataset
from ._progress import ProgressOption, reporter


@dataclass(frozen=True)
class TuneLine:
    """The best ``regularisation`` of one recipe, loss and noise.

    ``accuracy`` is that of published models on graphs that they had not learned from, and ``coordinates`` the width of
    the rows.
    """

    recipe: str
    loss: str
    regularisation: float
    noise: float
    accuracy: float
    coordinates: int


@dataclass(frozen=True)
class Tuning:
    """What tune() found.

    ``options`` are the arguments with which to train: ``ForgettingClassifier(**tuning.options)`` or
    ``Workspace.create(path, data, **tuning.options)``.  ``folds``: in how many parts graphs were held out, 1 if it was
    one part once; ``held_out`` of them tell the accuracies, which may be off by ``uncertainty`` by chance (one standard
    deviation).  ``graphs``: how many the model will learn from.
    """

    lines: List[TuneLine]
    chosen: TuneLine
    options: Dict[str, Any]
    folds: int
    held_out: int
    graphs: int
    uncertainty: float


def tune(public_data: GraphDataset, *, recipes: Optional[Sequence[str]] = None,
         losses: Optional[Sequence[str]] = None, lambdas: Optional[Sequence[float]] = None,
         noises: Optional[Sequence[float]] = None, folds: Optional[int] = None, hold_out: Optional[float] = None,
         protect: Optional[str] = None, guarantee: Optional[Tuple[float, float]] = None,
         per_subject: Optional[int] = None, releases: Optional[int] = None, graphs: Optional[int] = None,
         seed: Optional[int] = None, threads: Optional[int] = None, progress: ProgressOption = None) -> Tuning:
    """Chooses recipe, loss, regularisation and noise on public data, as ``unscatter tune --public-data`` does.

    Give it public graphs only: a choice that was made on private data is covered by no certificate
    (docs/constants.md).  What is not given is the library's own.  ``guarantee``, ``per_subject``, ``releases`` and
    ``graphs`` (how many the model will learn from) belong to protect="everyone", and ``noises`` to "removed".

    >>> import unscatter
    >>> public = unscatter.interest_groups(groups=60, seed=7)
    >>> tuning = unscatter.tune(public, recipes=["size + shapes"], lambdas=[1e-4, 1e-3])
    >>> tuning.chosen.recipe, sorted(tuning.options)
    ('size + shapes', ['embedder', 'loss', 'noise', 'regularisation'])
    """
    if not isinstance(public_data, GraphDataset):
        raise InvalidArgument(f"public_data is a GraphDataset, and not {type(public_data).__name__}")
    core = public_data._core
    # Classes that no public graph has cannot be tuned for.
    found = _core.tune(core.with_classes(core.classes_that_occur()),
                       dict(recipes=recipes, losses=losses, lambdas=lambdas, noises=noises, folds=folds,
                            hold_out=hold_out, protect=protect, guarantee=guarantee, per_subject=per_subject,
                            releases=releases, graphs=graphs, seed=seed, threads=threads), reporter(progress))
    lines = [TuneLine(*line) for line in found["lines"]]
    chosen = lines[found["chosen"]]
    options: Dict[str, Any] = {"embedder": chosen.recipe, "loss": chosen.loss}
    if protect == "everyone":
        stated = {"guarantee": guarantee, "per_subject": per_subject, "releases": releases}
        options.update(protect=protect, ridge=chosen.regularisation * found["graphs"],
                       **{word: value for word, value in stated.items() if value is not None})
    else:
        options.update(regularisation=chosen.regularisation, noise=chosen.noise)
    return Tuning(lines, chosen, options, found["folds"], found["held_out"], found["graphs"], found["uncertainty"])
