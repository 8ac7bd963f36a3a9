"""A classifier of scikit-learn that forgets."""
from __future__ import annotations

from typing import Any, Dict, Iterable, List, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._constants import Classes, fit_source, stated_classes
from ._core import Audit, Certificate, Exposure, ForgetGraph, ForgetSubject, Graph, InvalidArgument, Model, Unsupported
from ._embedding import (Embedder, ScatteringTransformer, _GraphTransformer, collected, graphs_only, is_graphs,
                         refuse_foreign)
from ._graphs import GraphDataset, class_text, texts
from ._progress import ProgressOption, reporter
from ._requests import Key, Request, RequestOrKey, all_requests, previewed, request_of
from ._rows import NOT_FOR_ROWS, RowFunction, rows_by, transform_of_rows

def _is_logistic(classifier: "ForgettingClassifier") -> bool:
    if classifier.loss is None or classifier.loss == "logistic":
        return True
    raise AttributeError(f"predict_proba needs the logistic loss, and this one is {classifier.loss}")


class ForgettingClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """One-vs-rest linear classifier that forgets graphs, nodes, edges, features, people or rows, with a certificate.

    X is a GraphDataset, a sequence of Graph, or a 2-D array whose rows are data (certified removal of rows).

    Predictions are those of the published model: the weights with the noise of the guarantee.  It is drawn when it is
    first needed, and stays the same until the next removal.  So what this object says to others, and its pickle, are
    covered by the promise.  The kept weights, without noise, stay inside.

    >>> import numpy as np, unscatter
    >>> X, y = np.eye(4), [0, 0, 1, 1]
    >>> model = unscatter.ForgettingClassifier(regularisation=1e-2).fit(X, y)
    >>> model.forget(row=3).graphs
    3

    What is not given is the library's own default.

    Parameters
    ----------
    embedder : None, text, Embedder, ScatteringTransformer or function
        None is what ``unscatter train`` uses; for 2-D input the rows themselves.  A text is read as ``--embedding``
        ("rows:20" divides rows by 20).  A function maps one graph to its row; it must have learned from no private
        data, or state how much in ``embedding_guarantee``.
    regularisation : float
        Its strength, ``--lambda`` on the command line.
    guarantee : (float, float)
        (epsilon, delta).
    protect : text
        "removed" or "everyone".
    per_subject, ridge
        Of "everyone", as on the command line.
    noise : float
        Mechanism "release": standard deviation of the noise on published weights.
    alpha : float
        Mechanism "objective": standard deviation of the noise in the objective, ``--alpha`` on the command line.
    releases : int
        How many published models the guarantee covers together.
    mechanism, loss, bias, optimizer, distance_limit, bound, removal
        As the options of the command line.
    classes : list, "public" or "data"
        The classes, where they are a public constant: a list, or those of ``public_data``.  "data", or nothing: the
        classes are those that occur, and a class leaves with its last graph.
    features : text
        Signals on the nodes, for embeddings that take some.
    fit_constants : text
        "none", "private" or "once": where constants that ``features`` leaves out come from.
    public_data : GraphDataset
        Graphs that are declared public: constants that ``features`` leaves out come from them.
    embedding_guarantee : (float, float)
        (epsilon, delta) of the training of the function that made the rows.
    threads : int
        Results do not depend on it.
    progress : bool or function
        True: a bar of tqdm where that is installed.

    Attributes
    ----------
    classes_
        The classes that are left.
    certificate_
        Of the present state.
    exposure_
        Of the last removal, or None.
    """

    _OPTIONS = ("regularisation", "guarantee", "protect", "per_subject", "ridge", "noise", "alpha", "releases",
                "mechanism", "loss", "bias", "optimizer", "distance_limit", "bound", "removal", "embedding_guarantee",
                "threads")

    def __init__(self, embedder: Union[None, str, Embedder, ScatteringTransformer, RowFunction] = None, *,
                 regularisation: Optional[float] = None, guarantee: Optional[Tuple[float, float]] = None,
                 protect: Optional[str] = None, per_subject: Optional[int] = None, ridge: Optional[float] = None,
                 noise: Optional[float] = None, alpha: Optional[float] = None, releases: Optional[int] = None,
                 mechanism: Optional[str] = None, loss: Optional[str] = None, bias: Optional[bool] = None,
                 optimizer: Optional[str] = None, distance_limit: Optional[float] = None, bound: Optional[str] = None,
                 removal: Optional[str] = None, classes: Classes = None, features: Optional[str] = None,
                 fit_constants: Optional[str] = None, public_data: Optional[GraphDataset] = None,
                 embedding_guarantee: Optional[Tuple[float, float]] = None, threads: Optional[int] = None,
                 progress: ProgressOption = None) -> None:
        self.embedder = embedder
        self.regularisation = regularisation
        self.guarantee = guarantee
        self.protect = protect
        self.per_subject = per_subject
        self.ridge = ridge
        self.noise = noise
        self.alpha = alpha
        self.releases = releases
        self.mechanism = mechanism
        self.loss = loss
        self.bias = bias
        self.optimizer = optimizer
        self.distance_limit = distance_limit
        self.bound = bound
        self.removal = removal
        self.classes = classes
        self.features = features
        self.fit_constants = fit_constants
        self.public_data = public_data
        self.embedding_guarantee = embedding_guarantee
        self.threads = threads
        self.progress = progress

    # ---- learning

    def fit(self, X: Any, y: Any = None, *, ids: Optional[Sequence[str]] = None,
            subjects: Optional[Sequence[str]] = None) -> "ForgettingClassifier":
        """Trains.  ``ids`` are external ids of graphs or rows, ``subjects`` the person behind each row.

        The same data and parameters again change nothing: the session and its published model stay.  Other data begin
        a new count of published models.  If it fails, or Ctrl-C ends it, everything is as it was before.
        """
        before = dict(self.__dict__)
        try:
            return self._learn(X, y, ids, subjects)
        except BaseException:
            # In this order another thread that predicts misses nothing.
            self.__dict__.update(before)
            for name in set(self.__dict__) - set(before):
                del self.__dict__[name]
            raise

    def _learn(self, X: Any, y: Any, ids: Optional[Sequence[str]],
               subjects: Optional[Sequence[str]]) -> "ForgettingClassifier":
        function = self._row_function()
        X = collected(X)
        if is_graphs(X):
            data, labels = self._graph_data(X, y, ids, function, subjects)
        else:
            data, labels = self._row_data(X, y, ids, subjects)
        transform = self._transform(data)
        options = {word: getattr(self, word) for word in self._OPTIONS}
        fit_constants, public = self._constants()
        source = fit_source(fit_constants, public)
        core, stated, kind = stated_classes(data._core, self.classes, public)
        if kind:
            options["classes"] = kind
        if stated is not None:
            labels = stated
        features = self._features()
        key = (core.digest(), core.class_names, repr(sorted(options.items())), repr(transform.fields), features,
               fit_constants, None if public is None else public.digest())
        session: Optional[_core.Session] = self.__dict__.get("_session")
        if session is None or session.updates > 0 or self.__dict__.get("_fit_key") != key:
            self._session = _core.Session.create(core, transform, features, source, options,
                                                 reporter(self.progress))
        self._fit_key = key
        self._model: Optional[Model] = None
        self._classes_by_name = {class_text(label): label for label in labels}
        self.certificate_ = self._session.certificate
        self.exposure_: Optional[Exposure] = None
        self._take_classes(self._session.class_names)
        return self

    def _row_function(self) -> Optional[RowFunction]:
        embedder = self.embedder
        if embedder is None or isinstance(embedder, (str, _GraphTransformer)):
            return None
        if callable(embedder):
            return embedder
        raise InvalidArgument(f"an embedder is a text, an Embedder or a function, and not {type(embedder).__name__}")

    def _graph_data(self, X: Any, y: Any, ids: Optional[Sequence[str]], function: Optional[RowFunction],
                    subjects: Optional[Sequence[str]]) -> Tuple[GraphDataset, npt.NDArray[Any]]:
        graphs = graphs_only(X)
        if isinstance(graphs, GraphDataset):
            y = graphs.y if y is None else y
            ids = graphs.ids if ids is None else ids
        if y is None:
            raise InvalidArgument("the classes are missing: fit(graphs, y)")
        labels = self._labels(y)
        if len(labels) != len(graphs):
            raise InvalidArgument(f"{len(labels)} classes for {len(graphs)} graphs")
        self._on_rows = False
        if function is not None:
            return self._rows(rows_by(function, graphs, check=True), labels, ids, subjects), labels
        if subjects is not None:
            raise InvalidArgument("subjects= belongs to rows; nodes of graphs have ids")
        # A data set keeps its name, which files show.
        name = graphs.name if isinstance(graphs, GraphDataset) else "graphs"
        return GraphDataset(graphs, list(labels), ids=ids, name=name), labels

    def _row_data(self, X: Any, y: Any, ids: Optional[Sequence[str]],
                  subjects: Optional[Sequence[str]]) -> Tuple[GraphDataset, npt.NDArray[Any]]:
        refuse_foreign(X)
        if self._row_function() is not None or isinstance(self.embedder, _GraphTransformer):
            raise InvalidArgument(NOT_FOR_ROWS)
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        rows, y = self._validate_data(X, y, dtype=np.float64, order="C")
        labels = self._labels(y)
        self._on_rows = True
        return self._rows(rows, labels, ids, subjects), labels

    @staticmethod
    def _labels(y: Any) -> npt.NDArray[Any]:
        labels = np.asarray(y)
        check_classification_targets(labels)
        return labels.reshape(-1)

    @staticmethod
    def _rows(rows: npt.NDArray[np.float64], labels: npt.NDArray[Any], ids: Optional[Sequence[str]],
              subjects: Optional[Sequence[str]]) -> GraphDataset:
        core = _core.rows_dataset("rows", rows, [class_text(label) for label in labels],
                                  [] if ids is None else texts(ids, "ids of rows"),
                                  [] if subjects is None else texts(subjects, "subjects"))
        return GraphDataset._of(core)

    def _transform(self, data: GraphDataset) -> _core.Transform:
        embedder = self.embedder
        if self._on_rows or self._row_function() is not None:
            return transform_of_rows(embedder if isinstance(embedder, str) else None)
        if isinstance(embedder, _GraphTransformer):
            return embedder._transform_words()
        return _core.Transform(embedder if isinstance(embedder, str) else None, {})

    def _features(self) -> Optional[str]:
        if self.features is None and isinstance(self.embedder, _GraphTransformer):
            chosen: Optional[str] = self.embedder.features
            return chosen
        return self.features

    def _constants(self) -> Tuple[Optional[str], Optional[GraphDataset]]:
        """Where constants come from: of this object, or of its embedder."""
        if self.fit_constants is None and self.public_data is None and isinstance(self.embedder, _GraphTransformer):
            return self.embedder.fit_constants, self.embedder.public_data
        return self.fit_constants, self.public_data

    def _take_classes(self, names: List[str]) -> None:
        values = [self._classes_by_name[name] for name in names]
        order = [place for _, place in sorted((value, place) for place, value in enumerate(values))]
        # The columns of the model, in the order of classes_.
        self._columns = np.array(order)
        self.classes_ = np.array([values[place] for place in order])

    # ---- predictions

    def _scores(self, X: Any) -> npt.NDArray[np.float64]:
        check_is_fitted(self, "classes_")
        model = self._published()
        function = self._row_function()
        X = collected(X)
        if self._on_rows:
            X = self._validate_data(X, dtype=np.float64, order="C", reset=False)
        else:
            graphs = graphs_only(X)
            if len(graphs) == 0:
                return np.zeros((0, len(self.classes_)))
            X = graphs if function is None else rows_by(function, graphs, check=False)
        scores = model.scores(X, threads=self.threads or 0, progress=self.progress)
        ordered: npt.NDArray[np.float64] = scores[:, self._columns]
        return ordered

    def _published(self) -> Model:
        if self._model is not None:
            return self._model
        return self._session.release(False)

    def decision_function(self, X: Any) -> npt.NDArray[np.float64]:
        """Scores w.z of the published model, one column per class.  Two classes: the second one's lead."""
        scores = self._scores(X)
        if len(self.classes_) == 2:
            lead: npt.NDArray[np.float64] = scores[:, 1] - scores[:, 0]
            return lead
        return scores

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The class of the largest score."""
        best = np.argmax(self._scores(X), axis=1)
        chosen: npt.NDArray[Any] = self.classes_[best]
        return chosen

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """The share of predictions that are right.  A GraphDataset brings its classes along."""
        X = collected(X)
        if y is None and isinstance(X, GraphDataset):
            y = X.y
        if y is None:
            raise InvalidArgument("the classes are missing: score(X, y)")
        return float(super().score(X, y, sample_weight=sample_weight))

    @available_if(_is_logistic)  # type: ignore[misc]
    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """The sigmoid of every class's score, divided by their sum, as one-vs-rest classifiers do.

        Two classes: the sigmoid of half the second one's lead.  Without noise that is the same, and it keeps the order
        of decision_function().  The scores carry the noise of the published model.  They order the classes; they are
        not calibrated.
        """
        scores = self._scores(X)
        if scores.shape[1] == 2:
            lead = (scores[:, 1] - scores[:, 0]) / 2
            two: npt.NDArray[np.float64] = np.exp(-np.logaddexp(0, np.column_stack([lead, -lead])))
            return two
        # log of the sigmoid, shifted by its largest, so that no row is 0/0.
        logs = -np.logaddexp(0, -scores)
        shares = np.exp(logs - logs.max(axis=1, keepdims=True))
        normalised: npt.NDArray[np.float64] = shares / shares.sum(axis=1, keepdims=True)
        return normalised

    # ---- forgetting

    def forget(self, request: Optional[RequestOrKey] = None, *, graph: Optional[Key] = None, node: Optional[Key] = None,
               edge: Optional[Tuple[Key, Key]] = None, features_of: Optional[Key] = None,
               subject: Optional[str] = None, row: Optional[Key] = None) -> Certificate:
        """Forgets one thing, by number at the time of fit() or by external id.

        forget(graph=17), forget(graph=17, node=3), forget(graph=17, edge=(3, 5)), forget(graph=17, features_of=3),
        forget(subject="user-3"), forget(row=17).  A number or a text alone, forget(17), names a graph or a row.
        """
        return self.forget_many([request_of(request, graph, node, edge, features_of, subject, row)])

    def forget_many(self, requests: Iterable[RequestOrKey]) -> Certificate:
        """All of them by one update.  If one is refused, nothing happens; the error's ``request`` is its place."""
        session = self._working_session()
        chosen = self._honourable(all_requests(requests))
        try:
            session.forget(chosen, reporter(self.progress))
        finally:
            # Ctrl-C may come between the update and its return.  What is said here is then true as well.
            self.certificate_, self.exposure_ = session.certificate, session.exposure
            names = session.class_names
            if len(names) != len(self.classes_):
                self._take_classes(names)
        return self.certificate_

    def preview(self, requests: Union[None, RequestOrKey, Iterable[RequestOrKey]] = None, *,
                graph: Optional[Key] = None, node: Optional[Key] = None, edge: Optional[Tuple[Key, Key]] = None,
                features_of: Optional[Key] = None, subject: Optional[str] = None,
                row: Optional[Key] = None) -> Tuple[Certificate, Exposure]:
        """What forget_many() of a list, or forget() with the same words, would give, without doing it."""
        session = self._working_session()
        chosen = previewed(requests, graph, node, edge, features_of, subject, row)
        return session.preview(self._honourable(chosen), reporter(self.progress))

    def release(self, *, fresh: bool = False) -> Model:
        """The model for others.  It is the same one until the next removal, unless a fresh one is asked for.

        Every fresh one counts against the guarantee.
        """
        check_is_fitted(self, "classes_")
        if self._model is not None:
            if fresh:
                raise Unsupported(self._COPY)
            return self._model
        return self._session.release(fresh)

    def audit(self, *, games: Optional[Sequence[str]] = None, draws: Optional[int] = None,
              removals: Optional[int] = None, confidence: Optional[float] = None, seed: Optional[int] = None,
              faults: Optional[bool] = None) -> Audit:
        """Plays the observer: tries to tell published models of two worlds apart (docs/audit.md).

        Works on copies in memory and publishes nothing.  What is not given is the library's own default.
        """
        words = dict(games=games, draws=draws, removals=removals, confidence=confidence, seed=seed, faults=faults,
                     threads=self.threads)
        return self._working_session().audit(words, reporter(self.progress))

    def kept_graph(self, number: int) -> Optional[Graph]:
        """A copy of a graph as it is kept now, by its number at the time of fit(); None if it was forgotten."""
        return self._working_session().graph(number)

    _COPY = ("this is a copy of a published model, without the data: it predicts, and forgets nothing; the object that "
             "was trained does")

    def _working_session(self) -> _core.Session:
        check_is_fitted(self, "classes_")
        if self._model is not None:
            raise Unsupported(self._COPY)
        return self._session

    def _honourable(self, requests: List[Request]) -> List[Request]:
        function = self._row_function()
        if function is None:
            return requests
        for place, request in enumerate(requests):
            if not isinstance(request, (ForgetGraph, ForgetSubject)):
                error = Unsupported(f"{request!r}: the rows of graphs were made by a function outside, so graphs leave "
                                    "as a whole")
                error.request = place
                raise error
        return requests

    # ---- scikit-learn and pickle

    def _more_tags(self) -> Dict[str, Any]:
        return {"X_types": ["2darray"]}

    def __getstate__(self) -> Dict[str, Any]:
        """The parameters and the published model.  No graph, no row, no kept weight, no residual."""
        state = dict(super().__getstate__())
        if "classes_" in state:
            state["_model"] = self._published()
            # A class that left with its last graph is not named either.
            state["_classes_by_name"] = {class_text(label): label for label in self.classes_}
            for private in ("_session", "_fit_key", "certificate_", "exposure_"):
                state.pop(private, None)
        state["progress"] = None if callable(self.progress) else self.progress
        return state
