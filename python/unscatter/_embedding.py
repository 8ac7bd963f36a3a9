"""Embeddings as transformers of scikit-learn."""
from __future__ import annotations

from typing import Any, Dict, Iterator, List, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._constants import fit_source
from ._core import Graph, InvalidArgument
from ._graphs import GraphDataset
from ._progress import ProgressOption, reporter

Graphs = Union[GraphDataset, Sequence[Graph]]


def recipes() -> List[str]:
    """The names of recipes; docs/embeddings.md describes them."""
    return _core.recipe_list()


def is_graphs(X: Any) -> bool:
    """A data set, or a sequence of graphs."""
    if isinstance(X, GraphDataset):
        return True
    if isinstance(X, np.ndarray):
        return X.dtype == object and X.ndim == 1 and X.size > 0 and isinstance(X[0], Graph)
    return isinstance(X, (list, tuple)) and len(X) > 0 and isinstance(X[0], Graph)


def collected(X: Any) -> Any:
    """What can be looked at twice: an iterator is read to its end, and a column of pandas is its values."""
    if isinstance(X, Iterator):
        return list(X)
    if getattr(X, "ndim", None) == 1 and hasattr(X, "to_numpy"):
        return X.to_numpy()
    return X


def refuse_foreign(X: Any) -> None:
    """Graphs of other packages are named as such: an error about numbers would puzzle."""
    first = X
    if isinstance(X, (list, tuple)) or isinstance(X, np.ndarray) and X.ndim == 1:
        first = X[0] if len(X) > 0 else None
    if isinstance(X, Graph):
        raise InvalidArgument("this is one graph: give a list of graphs")
    for field, converter in (("edge_index", "from_pyg"), ("is_multigraph", "from_networkx"), ("tocoo", "from_scipy")):
        if first is not X and hasattr(first, field):
            raise InvalidArgument(f"these are no graphs of this package: {converter}() makes one of a "
                                  f"{type(first).__name__}")


def graphs_only(X: Any) -> Graphs:
    if not is_graphs(X):
        if isinstance(X, (list, tuple)) and len(X) == 0:
            return GraphDataset([])
        refuse_foreign(X)
        raise InvalidArgument("these are no graphs: give a GraphDataset or a sequence of Graph")
    return X if isinstance(X, GraphDataset) else list(X)


# scikit-learn's own wrapping of results takes list.index for row names (1.2), so transform() makes the tables itself.
class _GraphTransformer(TransformerMixin, BaseEstimator, auto_wrap_output_keys=None):  # type: ignore[misc, call-arg]
    """What all embeddings share.

    An embedding is a function of one graph and of public constants, so nothing is learned from the values of the
    data.  fit() takes the form of the data only: whether nodes have labels, and how many attributes.
    """

    def _transform_words(self) -> _core.Transform:
        raise NotImplementedError

    def fit(self, X: Graphs, y: Any = None) -> "_GraphTransformer":
        """Takes the form of the data, and constants only as ``fit_constants`` or ``public_data`` says."""
        graphs = graphs_only(collected(X))
        data = graphs if isinstance(graphs, GraphDataset) else GraphDataset(graphs)
        transform = self._transform_words()
        core = _core.make_embedder(transform, self.features, data._core,
                                   fit_source(self.fit_constants, self.public_data))
        # From here on nothing fails.
        self.transform_ = transform
        self.features_ = core.features
        self._embedder = core
        self.n_features_out_ = core.width
        return self

    def fit_transform(self, X: Graphs, y: Any = None) -> Any:
        """fit() and transform(); an iterator is read once."""
        graphs = collected(X)
        return self.fit(graphs, y).transform(graphs)

    def transform(self, X: Graphs) -> Any:
        """One row per graph: an array, a sparse matrix with sparse=True, or a table after set_output()."""
        check_is_fitted(self, "features_")
        graphs = graphs_only(collected(X))
        threads, report = self.threads or 0, reporter(self.progress)
        if isinstance(graphs, GraphDataset):
            rows = self._embedder.embed_dataset(graphs._core, threads, report)
        else:
            rows = self._embedder.embed_graphs(graphs, threads, report)
        wants_table = _get_output_config("transform", self)["dense"] == "pandas"
        if wants_table and self.sparse:
            raise InvalidArgument("a table of pandas is dense: sparse=True does not go with set_output(\"pandas\")")
        if wants_table:
            import pandas

            return pandas.DataFrame(rows.dense(), columns=self.get_feature_names_out(), copy=False)
        if not self.sparse:
            return rows.dense()
        from scipy import sparse

        return sparse.csr_matrix(rows.compressed(), shape=(len(rows), rows.columns))

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[Any]:
        """z0, z1, ...: one name per column."""
        check_is_fitted(self, "features_")
        return np.array([f"z{i}" for i in range(self.n_features_out_)], dtype=object)

    def describe(self) -> str:
        """Features, transform and all constants, for people."""
        check_is_fitted(self, "features_")
        return str(self._embedder.describe())

    def _more_tags(self) -> Dict[str, Any]:
        return {"X_types": [], "stateless": True, "no_validation": True, "requires_fit": True}

    def __getstate__(self) -> Dict[str, Any]:
        state = dict(super().__getstate__())
        state.pop("_embedder", None)
        if "transform_" in state:
            state["transform_"] = state["transform_"].fields
        return state

    def __setstate__(self, state: Dict[str, Any]) -> None:
        super().__setstate__(state)
        fields: Optional[Dict[str, Any]] = state.get("transform_")
        if fields is not None:
            self.transform_ = _core.Transform(None, fields)
            self._embedder = _core.restore_embedder(self.transform_, self.features_)


class Embedder(_GraphTransformer):
    """An embedding by its name.

    ``embedding`` is the name of a recipe ("auto" chooses by the form of the data), the parts of one such as
    "size*3 + shapes", "portrait" or "paper".  None is what ``unscatter train`` uses.  ``public_data`` are graphs that
    are declared public: constants that ``features`` leaves out come from them.

    >>> import unscatter
    >>> data = unscatter.interest_groups(groups=20, seed=1)
    >>> unscatter.Embedder("size + shapes").fit_transform(data).shape[0]
    20
    """

    def __init__(self, embedding: Optional[str] = None, *, features: Optional[str] = None,
                 symmetrise: Optional[bool] = None, row_norm: Optional[str] = None,
                 fit_constants: Optional[str] = None, public_data: Optional[GraphDataset] = None,
                 sparse: bool = False, threads: Optional[int] = None, progress: ProgressOption = None) -> None:
        self.embedding = embedding
        self.features = features
        self.symmetrise = symmetrise
        self.row_norm = row_norm
        self.fit_constants = fit_constants
        self.public_data = public_data
        self.sparse = sparse
        self.threads = threads
        self.progress = progress

    def _transform_words(self) -> _core.Transform:
        return _core.Transform(self.embedding, {"symmetrise": self.symmetrise, "row_norm": self.row_norm})


class ScatteringTransformer(_GraphTransformer):
    """Scattering, and the other transforms of signals on a graph, with their constants.

    ``family`` is geometric (the paper's, if nothing is given), diffusion, monic-cubic, itersine, custom, gft,
    pagerank, windows or portrait.  A constant that is not given is the library's.

    >>> import unscatter
    >>> data = unscatter.interest_groups(groups=20, seed=1)
    >>> rows = unscatter.ScatteringTransformer(scales=2, sparse=True).fit_transform(data)
    >>> rows.shape[0], rows.format
    (20, 'csr')
    """

    def __init__(self, family: Optional[str] = None, *, operator: Optional[str] = None, scales: Optional[int] = None,
                 moments: Optional[int] = None, layers: Optional[int] = None, linear: Optional[bool] = None,
                 kernel: Optional[str] = None, method: Optional[str] = None, degree: Optional[int] = None,
                 damping: Optional[float] = None, windows: Optional[int] = None,
                 random_features: Optional[int] = None, sharpness: Optional[float] = None,
                 features: Optional[str] = None, symmetrise: Optional[bool] = None, row_norm: Optional[str] = None,
                 fit_constants: Optional[str] = None, public_data: Optional[GraphDataset] = None,
                 sparse: bool = False, threads: Optional[int] = None, progress: ProgressOption = None) -> None:
        self.family = family
        self.operator = operator
        self.scales = scales
        self.moments = moments
        self.layers = layers
        self.linear = linear
        self.kernel = kernel
        self.method = method
        self.degree = degree
        self.damping = damping
        self.windows = windows
        self.random_features = random_features
        self.sharpness = sharpness
        self.features = features
        self.symmetrise = symmetrise
        self.row_norm = row_norm
        self.fit_constants = fit_constants
        self.public_data = public_data
        self.sparse = sparse
        self.threads = threads
        self.progress = progress

    _SCATTERING = ("operator", "scales", "moments", "layers", "linear")
    _WORDS = _SCATTERING + ("kernel", "method", "degree", "damping", "windows", "random_features", "sharpness",
                            "symmetrise", "row_norm")

    def _transform_words(self) -> _core.Transform:
        words = {word: getattr(self, word) for word in self._WORDS}
        if self.family == "portrait" and any(words[word] is not None for word in self._SCATTERING):
            raise InvalidArgument(f"{', '.join(self._SCATTERING)} do not go with family='portrait'")
        return _core.Transform("paper", {"family": self.family, **words})
