"""Export a fitted scikit-learn estimator as an `elsewise.model/v1` document.

    from export_sklearn import export_model, save
    save(export_model(pipeline, name="credit", X=X_train, y=y_train), "credit.json")

The exporter walks the pipeline from the raw columns to the last estimator and keeps, for every intermediate
column, the linear function of the raw ones that it is. So whatever nesting of pipelines and column transformers
comes in, what goes out is at most one `impute` and one `scale` or `affine` step in front of the model. Trees read the
columns one by one: where each input is one column, scaled at most, their splits are renumbered and no `affine` is made.

Estimators are recognised by class name (LVQ by its attributes) and read by their fitted attributes: scikit-learn is
not imported, nothing is unpickled, and what is not in the tables below is refused with its place in the pipeline. The
document carries scores that the estimator itself gave for some rows; `check_document` computes them again from the
document alone.

Needs Python 3.9, numpy, and the modules next to it: elsewise_quadratic has the Gaussian and LVQ classifiers,
elsewise_trees trees and their ensembles, elsewise_machines neighbours, kernels and networks, elsewise_plausibility what the
background brings to tell plausible rows, elsewise_head what all last estimators have in common.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, replace
from typing import Any, Callable, Dict, FrozenSet, List, Optional, Sequence, Tuple, Union

import numpy as np

from elsewise_head import Head as _Head
from elsewise_head import ProbeMismatch, Score, UnsupportedEstimator
from elsewise_head import class_name as _class_name
from elsewise_head import fitted as _fitted
from elsewise_head import probabilities as _probabilities
from elsewise_head import quietly as _quietly
from elsewise_head import require_finite as _require_finite
from elsewise_head import softmax as _softmax
from elsewise_machines import MACHINE_HEADS, MACHINE_SCORES
from elsewise_plausibility import autoencoder as _autoencoder
from elsewise_plausibility import gaussian_mixture as _gaussian_mixture
from elsewise_plausibility import isolation_forest as _isolation_forest
from elsewise_plausibility import mixture_features as _mixture_features
from elsewise_naive_bayes import NAIVE_BAYES_HEADS
from elsewise_quadratic import QUADRATIC_HEADS, QUADRATIC_SCORES, is_nearest_prototype, nearest_prototype
from elsewise_refusals import BLACK_BOX, WAYS_OUT
from elsewise_trees import TREE_HEADS, TREE_SCORES
from elsewise_trees import TreeHead as _TreeHead

SCHEMA = "elsewise.model/v1"
MISSING_CATEGORY = "(missing)"
PROBE_TOLERANCE = 1e-6
# Rows among which clear ones are looked for, where a model has doubtful ones.
MOST_LOOKED_AT = 1000
QUANTILE_LEVELS = np.linspace(0, 1, 21)
NUMERIC_TYPES = ("continuous", "integer", "boolean")


# ---------------------------------------------------------------------------------------------- the public functions


def export_model(
    estimator: Any,
    *,
    name: str,
    feature_names: Optional[Sequence[str]] = None,
    feature_types: Union[Sequence[str], Dict[str, str], None] = None,
    class_names: Optional[Sequence[str]] = None,
    X: Any = None,
    y: Any = None,
    decimals: Optional[Dict[str, int]] = None,
    units: Optional[Dict[str, str]] = None,
    bounds: bool = False,
    background_rows: int = 200,
    probes: int = 25,
    seed: int = 0,
    isolation_forest: Any = None,
    mixture: Any = None,
    autoencoder: Any = None,
    encoder_layers: Optional[int] = None,
) -> Dict[str, Any]:
    """The model document of a fitted estimator, checked against the estimator's own scores.

    X: rows in the form the estimator was fitted on (array, list of lists or DataFrame), for types, background and
       probes; without it every number is `continuous`, there is no background, and the probes are made-up rows.
    y: labels of X; only used to have every class among the background rows. The labels in the document are the
       model's predictions.
    feature_types, decimals, units: by feature name; types may be a list in feature order too.
    bounds: write the range of X as min and max. Off by default, because they restrict what may be recommended.
    isolation_forest: a fitted IsolationForest that tells what is plausible. Its columns are those of the document before
       any preprocessing: the features in order, a categorical one as a column of 0 and 1 for each category.
    mixture: a fitted GaussianMixture, alone or behind linear steps of a Pipeline. Its columns are named as it was fitted,
       else they are the continuous and integer features in order.
    autoencoder: an MLPRegressor that was fitted to give back its inputs: the columns that reach the last estimator.
    encoder_layers: how many layers of the autoencoder are its encoder; without it those up to the narrowest.
    """
    _check_name(name)
    table = None if X is None else _Table(X)
    names = _feature_names(estimator, feature_names, table)
    fold = _Fold(names, table)
    head, reached = fold.run(estimator)
    columns = reached
    features = _describe_features(fold, table, _Wishes(names, feature_types, decimals, units, bounds))
    document: Dict[str, Any] = {"schema": SCHEMA, "name": name, "family": head.family, "features": features}
    if isinstance(head, _TreeHead):
        head, columns = _on_model_columns(head, columns, features, table)
        _bound_codes(head, columns, features, table)
    if head.classes is not None:
        document["classes"] = _class_names(head, class_names)
    document["preprocessing"] = _preprocessing(columns, features, fold)
    document["parameters"] = head.named_parameters(document.get("classes", []))
    _require_finite(document["preprocessing"], "preprocessing")
    _require_finite(document["parameters"], "parameters")
    random = np.random.default_rng(seed)
    if table is not None:
        document["background"] = _background(estimator, head, document, table, y, background_rows, random)
    plausibility: Dict[str, Any] = {}
    if isolation_forest is not None:
        plausibility["isolationForest"] = _isolation_forest(isolation_forest, len(_layout(features)))
    if mixture is not None:
        plausibility["mixture"] = _mixture(mixture, features)
    if autoencoder is not None:
        places = _places(reached, columns)
        plausibility["autoencoder"] = _autoencoder(autoencoder, places, len(columns), encoder_layers)
    elif encoder_layers is not None:
        raise ValueError("encoder_layers: there is no autoencoder")
    if plausibility:
        document.setdefault("background", {}).update(plausibility)
    if probes > 0:
        source = table or _made_up_table(fold, head, columns, probes, random)
        score = head.score if table else _score_without_names(head)
        document["probes"] = _probes(estimator, score, document, head, source, probes, random)
    check_document(document)
    return document


def save(document: Dict[str, Any], path: Any) -> None:
    """Writes the document as JSON, one line per top-level key. Numbers keep their full precision."""
    lines = (f"{json.dumps(key)}: {json.dumps(value, allow_nan=False)}" for key, value in document.items())
    with open(path, "w", encoding="utf-8") as file:
        file.write("{\n" + ",\n".join(lines) + "\n}\n")


def evaluate(document: Dict[str, Any], rows: Sequence[Sequence[Any]]) -> np.ndarray:
    """Scores [row][class] (a regressor: [row][0]) of rows given by feature, from the document alone."""
    inputs = _inputs(document, rows)
    # Prototypes are labelled by name: their scores need the order of the classes.
    parameters = {**document["parameters"], "classes": document.get("classes", [])}
    return SCORES[document["family"]](parameters, inputs)


def _inputs(document: Dict[str, Any], rows: Sequence[Sequence[Any]]) -> np.ndarray:
    """What reaches the model of rows given by feature."""
    inputs = _model_columns(document["features"], rows)
    for step in document.get("preprocessing", []):
        inputs = PREPROCESSING[step["type"]](step, inputs)
    return inputs


def check_document(document: Dict[str, Any], tolerance: float = PROBE_TOLERANCE) -> None:
    """Raises ProbeMismatch when the document does not give the scores in its own probes."""
    probes = document.get("probes")
    if not probes or not probes["rows"]:
        return
    given = np.asarray(probes["scores"], dtype=float)
    own = evaluate(document, probes["rows"])
    if own.shape != given.shape:
        raise ProbeMismatch(f"probes.scores: expected shape {own.shape}, got {given.shape}")
    # Written so that NaN counts as a difference.
    wrong = np.argwhere(~(np.abs(own - given) <= tolerance * np.maximum(1, np.abs(given))))
    if len(wrong):
        row, column = wrong[0]
        raise ProbeMismatch(
            f"probes.scores[{row}][{column}]: the document gives {float(own[row, column])}, "
            f"the estimator gave {float(given[row, column])}"
        )


# ------------------------------------------------------------------------------------- columns on their way through

# A model column: (feature, None) for a number, (feature, category) for one category of a one-hot feature.
ModelColumn = Tuple[int, Optional[str]]


class _NoCategory:
    """What an encoder that ignores unknown values makes of them: zeros in all columns of the feature."""


NO_CATEGORY = _NoCategory()


@dataclass(frozen=True)
class _Raw:
    """A column of X as it came, at most with its missing values filled. Only such a column can be one-hot encoded."""

    feature: int
    fill: Any = None

    def linear(self) -> _Linear:
        fill = None if self.fill is None else float(self.fill)
        return _Linear({(self.feature, None): 1.0}, fills=frozenset([(self.feature, fill)]))


@dataclass(frozen=True)
class _Linear:
    """(terms · model columns - center) / divisor: in this form a scaler's numbers stay as they were fitted.

    `fills` says what a missing value of each feature became on the way here; None: nothing, it is still missing.
    """

    terms: Dict[ModelColumn, float]
    center: float = 0.0
    divisor: float = 1.0
    fills: FrozenSet[Tuple[int, Any]] = frozenset()

    def linear(self) -> _Linear:
        return self

    def scaled(self, mean: float, scale: float) -> _Linear:
        return replace(self, center=self.center + self.divisor * mean, divisor=self.divisor * scale)

    def weighted(self, weight: float) -> _Linear:
        terms = {key: value * weight for key, value in self.terms.items()}
        return replace(self, terms=terms, center=self.center * weight)

    def may_be_missing(self) -> bool:
        # An encoder's output never is: it refuses a missing category or gives it a pattern.
        return any(fill is None and (feature, None) in self.terms for feature, fill in self.fills)

    def is_exactly(self, column: ModelColumn) -> bool:
        return self.terms == {column: 1.0}

    def is_plain(self) -> bool:
        return self.center == 0 and self.divisor == 1


Column = Union[_Raw, _Linear]


def _mix(columns: Sequence[_Linear], coefficients: np.ndarray) -> _Linear:
    """The sum of the columns, each times its coefficient."""
    terms: Dict[ModelColumn, float] = {}
    center = 0.0
    for column, coefficient in zip(columns, coefficients.tolist()):
        factor = coefficient / column.divisor
        center += factor * column.center
        for key, value in column.terms.items():
            terms[key] = terms.get(key, 0.0) + factor * value
    return _Linear(terms, center, 1.0, frozenset().union(*(column.fills for column in columns)))


class _Fold:
    """One walk through an estimator: knows the raw features and collects the categories that encoders name."""

    def __init__(self, names: List[str], table: Optional[_Table]):
        self.names = names
        self.table = table
        # Per one-hot feature: the category's name and the value that the estimator knows it by, in column order.
        self.categories: Dict[int, Dict[str, Any]] = {}
        # Per feature that reaches the model: what a missing value becomes; None: the estimator refuses it.
        self.fills: Dict[int, Any] = {}

    def run(self, estimator: Any) -> Tuple[_Head, List[_Linear]]:
        last, columns, where = self._up_to_last(estimator, self._raw_columns(), "estimator")
        head = _make_head(last, where)
        linear = [column.linear() for column in columns]
        self._refuse_numbers_as_categories(linear, where)
        self.fills = self._agreed_fills(linear)
        return head, linear

    def columns_before_last(self, estimator: Any, where: str) -> Tuple[Any, List[Column]]:
        """The last estimator, whatever it is, and the columns that reach it."""
        return self._up_to_last(estimator, self._raw_columns(), where)[:2]

    def _raw_columns(self) -> List[Column]:
        return [_Raw(feature) for feature in range(len(self.names))]

    def _up_to_last(self, estimator: Any, columns: List[Column], where: str) -> Tuple[Any, List[Column], str]:
        if _class_name(estimator) in SEARCHES:
            return self._up_to_last(_best_of(estimator, where), columns, f"{where}.best_estimator_")
        if _class_name(estimator) != "Pipeline":
            return estimator, columns, where
        for name, step in estimator.steps[:-1]:
            columns = self.transform(step, columns, f"{where}.{name}")
        name, step = estimator.steps[-1]
        return self._up_to_last(step, columns, f"{where}.{name}")

    def transform(self, transformer: Any, columns: List[Column], where: str) -> List[Column]:
        kind = "passthrough" if transformer is None else transformer
        if isinstance(kind, str):
            return NAMED_STEPS[kind](columns)
        apply = _lookup(TRANSFORMERS, transformer, where, "as a transformer")
        expected = getattr(transformer, "n_features_in_", len(columns))
        if expected != len(columns):
            raise UnsupportedEstimator(where, f"was fitted on {expected} columns, but {len(columns)} reach it")
        return apply(self, transformer, columns, where)

    def _refuse_numbers_as_categories(self, columns: List[_Linear], where: str) -> None:
        for feature, _ in (key for column in columns for key in column.terms if key[1] is None):
            if feature in self.categories:
                raise UnsupportedEstimator(where, f"{self.names[feature]!r} is used both one-hot and as a number")

    def _agreed_fills(self, columns: List[_Linear]) -> Dict[int, Any]:
        """A feature may reach the model by several ways; the document has one value to fill it with."""
        ways: Dict[int, set] = {}
        for feature, fill in frozenset().union(*(column.fills for column in columns)):
            ways.setdefault(feature, set()).add(fill)
        return {feature: self._agreed_fill(feature, fills) for feature, fills in ways.items()}

    def _agreed_fill(self, feature: int, fills: set) -> Any:
        if None in fills:
            return None  # one way does not impute, so the estimator refuses the missing value as a whole
        if len(fills) > 1:
            raise UnsupportedEstimator("estimator", f"{self.names[feature]!r} is imputed in two different ways")
        return next(iter(fills))


# Searches over parameters: the estimator that they found and fitted again is the model.
SEARCHES = ("GridSearchCV", "RandomizedSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV")


def _best_of(search: Any, where: str) -> Any:
    if not search.refit:
        raise UnsupportedEstimator(where, f"{_class_name(search)}(refit=False) keeps no estimator: search with refit=True")
    return _fitted(search, "best_estimator_", where)


# ----------------------------------------------------------------------------------------------------- transformers


def _standard_scaler(fold: _Fold, scaler: Any, columns: List[Column], where: str) -> List[Column]:
    mean = _fitted(scaler, "mean_", where) if scaler.with_mean else np.zeros(len(columns))
    scale = _fitted(scaler, "scale_", where) if scaler.with_std else np.ones(len(columns))
    return _scale_all(columns, mean, scale)


def _min_max_scaler(fold: _Fold, scaler: Any, columns: List[Column], where: str) -> List[Column]:
    if getattr(scaler, "clip", False):
        raise UnsupportedEstimator(where, "MinMaxScaler(clip=True) is not linear")
    factor = np.asarray(_fitted(scaler, "scale_", where), dtype=float)
    return _scale_all(columns, -scaler.min_ / factor, 1 / factor)


def _robust_scaler(fold: _Fold, scaler: Any, columns: List[Column], where: str) -> List[Column]:
    # Both are None where their part is switched off.
    center, scale = scaler.center_ if scaler.with_centering else None, scaler.scale_ if scaler.with_scaling else None
    ones = np.ones(len(columns))
    return _scale_all(columns, 0 * ones if center is None else center, ones if scale is None else scale)


def _max_abs_scaler(fold: _Fold, scaler: Any, columns: List[Column], where: str) -> List[Column]:
    return _scale_all(columns, np.zeros(len(columns)), _fitted(scaler, "scale_", where))


def _selector(fold: _Fold, selector: Any, columns: List[Column], where: str) -> List[Column]:
    """All selectors say which columns they keep by the same method."""
    return [column for column, kept in zip(columns, selector.get_support()) if kept]


def _scale_all(columns: List[Column], mean: Any, scale: Any) -> List[Column]:
    numbers = zip(columns, np.asarray(mean, dtype=float).tolist(), np.asarray(scale, dtype=float).tolist())
    return [column.linear().scaled(m, s) for column, m, s in numbers]


def _pca(fold: _Fold, pca: Any, columns: List[Column], where: str) -> List[Column]:
    components = np.asarray(_fitted(pca, "components_", where), dtype=float)
    centered = _scale_all(columns, pca.mean_, np.ones(len(columns)))
    mixed: List[Column] = [_mix(centered, row) for row in components]
    if not pca.whiten:
        return mixed
    return _scale_all(mixed, np.zeros(len(mixed)), np.sqrt(pca.explained_variance_))


def _one_hot_encoder(fold: _Fold, encoder: Any, columns: List[Column], where: str) -> List[Column]:
    grouped = getattr(encoder, "infrequent_categories_", None) or []
    if any(group is not None for group in grouped):
        raise UnsupportedEstimator(where, "OneHotEncoder with grouped infrequent categories is not supported")
    categories = _fitted(encoder, "categories_", where)
    dropped = encoder.drop_idx_ if encoder.drop_idx_ is not None else [None] * len(categories)
    ignores = encoder.handle_unknown != "error"
    encoded: List[Column] = []
    for column, values, drop in zip(columns, categories, dropped):
        encoded += _indicators(fold, column, _named_categories(values, where), drop, ignores, where)
    return encoded


def _named_categories(values: Sequence[Any], where: str) -> Dict[str, Any]:
    named = {_category_name(value): value for value in np.asarray(values, dtype=object).tolist()}
    if len(named) != len(values):
        raise UnsupportedEstimator(where, f"categories that read the same: {list(values)}")
    return named


def _indicators(
    fold: _Fold, column: Column, categories: Dict[str, Any], drop: Optional[int], ignores: bool, where: str
) -> List[_Linear]:
    if not isinstance(column, _Raw):
        raise UnsupportedEstimator(where, "OneHotEncoder of a column that was transformed before")
    feature = column.feature
    known = fold.categories.setdefault(feature, {})
    known.update(categories)
    if ignores and fold.table is not None:
        # An unknown value that occurs in X becomes a category without effect, so that its rows can be explained.
        known.update({name: value for name, value in fold.table.categories(feature).items() if name not in known})
    missing = MISSING_CATEGORY if column.fill is None else _category_name(column.fill)
    fill = missing if missing in categories else NO_CATEGORY if ignores else None
    fills = frozenset([(feature, fill)])
    return [_Linear({(feature, name): 1.0}, fills=fills) for i, name in enumerate(categories) if i != drop]


def _simple_imputer(fold: _Fold, imputer: Any, columns: List[Column], where: str) -> List[Column]:
    if getattr(imputer, "add_indicator", False):
        raise UnsupportedEstimator(where, "SimpleImputer(add_indicator=True) is not supported")
    if not _is_missing(imputer.missing_values):
        raise UnsupportedEstimator(where, f"SimpleImputer(missing_values={imputer.missing_values!r}) is not supported")
    statistics = np.asarray(_fitted(imputer, "statistics_", where), dtype=object).tolist()
    # A column without a single value has no statistic; scikit-learn drops it.
    pairs = [(column, value) for column, value in zip(columns, statistics) if not _is_missing(value)]
    return [_filled(column, value, where) for column, value in pairs]


def _filled(column: Column, value: Any, where: str) -> Column:
    if isinstance(column, _Raw):
        return column if column.fill is not None else replace(column, fill=value)
    if not column.may_be_missing():
        return column
    if len(column.terms) > 1:
        raise UnsupportedEstimator(where, "SimpleImputer behind a mix of columns (PCA): impute before it")
    # Behind a scaler: go back to the units of X, where the document imputes.
    (((feature, _), weight),) = column.terms.items()
    raw = (column.center + column.divisor * float(value)) / weight
    return replace(column, fills=frozenset([(feature, raw)]))


def _column_transformer(fold: _Fold, transformer: Any, columns: List[Column], where: str) -> List[Column]:
    weights = transformer.transformer_weights or {}
    known_names = [str(name) for name in getattr(transformer, "feature_names_in_", [])]
    result: List[Column] = []
    for name, step, spec in _fitted(transformer, "transformers_", where):
        chosen = [columns[i] for i in _positions(spec, len(columns), known_names)]
        # A step without columns was never fitted.
        made = fold.transform(step, chosen, f"{where}.{name}") if chosen else []
        weight = weights.get(name)
        result += made if weight is None else [column.linear().weighted(float(weight)) for column in made]
    return result


def _positions(spec: Any, count: int, names: List[str]) -> List[int]:
    """Column positions of a ColumnTransformer's specification: name, number, slice, mask, or a list of them."""
    if isinstance(spec, slice):
        start = names.index(spec.start) if isinstance(spec.start, str) else spec.start
        # A slice of names includes its end.
        stop = names.index(spec.stop) + 1 if isinstance(spec.stop, str) else spec.stop
        return list(range(count))[start : stop : spec.step]
    keys = np.atleast_1d(np.asarray(spec))
    if keys.dtype == bool:
        return np.flatnonzero(keys).tolist()
    return [names.index(key) if isinstance(key, str) else range(count)[key] for key in keys.tolist()]


def _function_transformer(fold: _Fold, transformer: Any, columns: List[Column], where: str) -> List[Column]:
    if transformer.func is not None:
        raise UnsupportedEstimator(where, "FunctionTransformer with a function is not supported")
    return columns  # how newer versions store a fitted 'passthrough'


def _inner_pipeline(fold: _Fold, pipeline: Any, columns: List[Column], where: str) -> List[Column]:
    for name, step in pipeline.steps:
        columns = fold.transform(step, columns, f"{where}.{name}")
    return columns


NAMED_STEPS: Dict[str, Callable[[List[Column]], List[Column]]] = {
    "passthrough": lambda columns: columns,
    "drop": lambda columns: [],
}

Transform = Callable[[_Fold, Any, List[Column], str], List[Column]]

SELECTORS = (
    *("SelectKBest", "SelectPercentile", "SelectFpr", "SelectFdr", "SelectFwe", "GenericUnivariateSelect"),
    *("SelectFromModel", "SequentialFeatureSelector", "RFE", "RFECV", "VarianceThreshold"),
)

TRANSFORMERS: Dict[str, Transform] = {
    "StandardScaler": _standard_scaler,
    "MinMaxScaler": _min_max_scaler,
    "RobustScaler": _robust_scaler,
    "MaxAbsScaler": _max_abs_scaler,
    **dict.fromkeys(SELECTORS, _selector),
    "PCA": _pca,
    "OneHotEncoder": _one_hot_encoder,
    "SimpleImputer": _simple_imputer,
    "ColumnTransformer": _column_transformer,
    "FunctionTransformer": _function_transformer,
    "Pipeline": _inner_pipeline,
}


# --------------------------------------------------------------------------------------------------- last estimators


def _decisions(estimator: Any, rows: Any) -> np.ndarray:
    decision = np.asarray(estimator.decision_function(rows), dtype=float)
    return np.column_stack([-decision, decision]) if decision.ndim == 1 else decision


def _predictions(estimator: Any, rows: Any) -> np.ndarray:
    return np.asarray(estimator.predict(rows), dtype=float).reshape(-1, 1)


def _logistic_regression(estimator: Any, where: str) -> _Head:
    classes, weights, bias = _classifier(estimator, where)
    if len(weights) == 1:
        # Fitted as multinomial, two classes have the scores -z and z: the probability is that of 2z.
        links = {factor: (lambda z, f=factor: _two_sigmoids(f * z[:, 0])) for factor in (1.0, 2.0)}
        factor = _as_it_predicts(estimator, weights, bias, links)
        return _logistic_head(classes, factor * weights, factor * bias)
    normalization = _as_it_predicts(estimator, weights, bias, {k: NORMALIZATIONS[k] for k in ("softmax", "sigmoid")})
    return _Head("softmax-regression", _rows(weights, bias, normalization), _probabilities, classes)


def _as_it_predicts(estimator: Any, weights: np.ndarray, bias: np.ndarray, links: Dict[Any, Callable]) -> Any:
    """The link that gives the estimator's own probabilities, tried at one row where the scores are moderate.

    What `multi_class` means depends on the solver and on the version, and the newest do without it: so ask.
    """
    wanted = np.linspace(-0.5, 0.5, len(weights) + 1)[1:]
    row = np.linalg.lstsq(weights, wanted - bias, rcond=None)[0][np.newaxis]
    scores = row @ weights.T + bias
    own = _quietly(_probabilities, estimator, row)
    return min(links, key=lambda link: np.abs(links[link](scores) - own).max())


def _sgd_classifier(estimator: Any, where: str) -> _Head:
    if estimator.loss not in ("log_loss", "log"):
        return _decision_classifier(estimator, where)
    classes, weights, bias = _classifier(estimator, where)
    if len(weights) == 1:
        return _logistic_head(classes, weights, bias)
    return _Head("softmax-regression", _rows(weights, bias, "sigmoid"), _probabilities, classes)


def _decision_classifier(estimator: Any, where: str) -> _Head:
    classes, weights, bias = _classifier(estimator, where)
    if len(weights) == 1:
        return _Head("hyperplane", _one_row(weights, bias), _decisions, classes)
    return _Head("softmax-regression", _rows(weights, bias, "none"), _decisions, classes)


def _discriminant_analysis(estimator: Any, where: str) -> _Head:
    classes, weights, bias = _classifier(estimator, where)
    if len(weights) == 1:
        # Two classes are fitted as one difference of scores; softmax only sees differences.
        weights, bias = np.vstack([np.zeros_like(weights), weights]), np.append(0.0, bias)
    return _Head("lda", _rows(weights, bias), _probabilities, classes)


def _regressor(family: str) -> Callable[[Any, str], _Head]:
    def make_head(estimator: Any, where: str) -> _Head:
        weights, bias = _coefficients(estimator, where)
        if len(weights) != 1:
            raise UnsupportedEstimator(where, f"{_class_name(estimator)} with {len(weights)} outputs is not supported")
        return _Head(family, _one_row(weights, bias), _predictions)

    return make_head


def _classifier(estimator: Any, where: str) -> Tuple[List[Any], np.ndarray, np.ndarray]:
    weights, bias = _coefficients(estimator, where)
    classes = np.asarray(_fitted(estimator, "classes_", where)).tolist()
    # Three labels per row look like three classes, but for the shape of a prediction.
    predicted = np.asarray(_quietly(estimator.predict, np.zeros((1, weights.shape[1]))))
    if predicted.ndim != 1 or len(weights) != (1 if len(classes) == 2 else len(classes)):
        raise UnsupportedEstimator(where, f"{_class_name(estimator)} with several labels per row is not supported")
    return classes, weights, bias


def _coefficients(estimator: Any, where: str) -> Tuple[np.ndarray, np.ndarray]:
    """Weights [output][column] and bias [output] in double precision."""
    coef = _fitted(estimator, "coef_", where)
    coef = coef.toarray() if hasattr(coef, "toarray") else coef  # after sparsify()
    weights = np.atleast_2d(np.asarray(coef, dtype=float))
    bias = np.atleast_1d(np.asarray(_fitted(estimator, "intercept_", where), dtype=float))
    _require_finite(weights.tolist(), f"{where}.coef_")
    _require_finite(bias.tolist(), f"{where}.intercept_")
    # Without an intercept some estimators keep a single zero for all outputs.
    return weights, np.broadcast_to(bias, (len(weights),))


def _one_row(weights: np.ndarray, bias: np.ndarray) -> Dict[str, Any]:
    return {"weights": weights[0].tolist(), "bias": float(bias[0])}


def _rows(weights: np.ndarray, bias: np.ndarray, normalization: str = "softmax") -> Dict[str, Any]:
    parameters: Dict[str, Any] = {"weights": weights.tolist(), "bias": bias.tolist()}
    return parameters if normalization == "softmax" else {**parameters, "normalization": normalization}


def _logistic_head(classes: List[Any], weights: np.ndarray, bias: np.ndarray) -> _Head:
    return _Head("logistic-regression", {**_one_row(weights, bias), "threshold": 0.5}, _probabilities, classes)


HEADS: Dict[str, Callable[[Any, str], _Head]] = {
    "LogisticRegression": _logistic_regression,
    "LogisticRegressionCV": _logistic_regression,
    "LinearSVC": _decision_classifier,
    "SGDClassifier": _sgd_classifier,
    "Perceptron": _decision_classifier,
    "PassiveAggressiveClassifier": _decision_classifier,
    "RidgeClassifier": _decision_classifier,
    "RidgeClassifierCV": _decision_classifier,
    "LinearDiscriminantAnalysis": _discriminant_analysis,
    "LinearRegression": _regressor("linear-regression"),
    **dict.fromkeys(("Ridge", "RidgeCV", "Lasso", "LassoCV", "ElasticNet", "ElasticNetCV"), _regressor("linear-regression")),
    **dict.fromkeys(("SGDRegressor", "LinearSVR", "HuberRegressor"), _regressor("linear-regression")),
    "PoissonRegressor": _regressor("poisson-regression"),
    "GammaRegressor": _regressor("poisson-regression"),
    **NAIVE_BAYES_HEADS,
    **QUADRATIC_HEADS,
    **TREE_HEADS,
    **MACHINE_HEADS,
}


def _make_head(last: Any, where: str) -> _Head:
    make = nearest_prototype if is_nearest_prototype(last) else _lookup(HEADS, last, where, "as the last estimator")
    return make(last, where)


# ------------------------------------------------------------------------------------------------ rows and features


class _Table:
    """X in two forms: as the estimator takes it, and cell by cell."""

    def __init__(self, X: Any):
        self.native = _in_double_precision(X)
        self.names = [str(column) for column in X.columns] if hasattr(X, "columns") else None
        self.cells = self._cells()
        if self.cells.ndim != 2 or not len(self.cells):
            raise ValueError(f"X: expected rows of columns, got shape {self.cells.shape}")

    def _cells(self) -> np.ndarray:
        if hasattr(self.native, "to_numpy"):
            return self.native.to_numpy()
        # Without a type of its own numpy would turn mixed rows into strings.
        return self.native if isinstance(self.native, np.ndarray) else np.array(self.native, dtype=object)

    def take(self, indices: np.ndarray) -> Any:
        if hasattr(self.native, "iloc"):
            return self.native.iloc[indices.tolist()]
        return self.native[indices] if isinstance(self.native, np.ndarray) else [self.native[i] for i in indices]

    def missing(self) -> np.ndarray:
        if self.cells.dtype.kind in "fiub":
            return np.isnan(self.cells)
        return np.frompyfunc(_is_missing, 1, 1)(self.cells).astype(bool)

    def present(self, feature: int) -> List[Any]:
        return [value for value in self.cells[:, feature].tolist() if not _is_missing(value)]

    def numbers(self, feature: int) -> np.ndarray:
        return np.array([float(value) for value in self.present(feature)], dtype=float)

    def categories(self, feature: int) -> Dict[str, Any]:
        return {_category_name(value): value for value in self.present(feature)}

    def has_text(self, feature: int) -> bool:
        return any(isinstance(value, str) for value in self.present(feature))


def _in_double_precision(X: Any) -> Any:
    """Single precision would round the estimator's scores, and the probes are compared in double."""
    if isinstance(X, np.ndarray):
        return X.astype(float, copy=False) if X.dtype.kind == "f" else X
    if not hasattr(X, "dtypes"):
        return X
    narrow = [column for column, kind in zip(X.columns, X.dtypes) if str(kind) in ("float16", "float32")]
    return X.astype({column: "float64" for column in narrow}) if narrow else X


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ == "NAType":  # pandas.NA, which has no truth value
        return True
    return isinstance(value, (float, np.floating)) and math.isnan(value)


def _category_name(value: Any) -> str:
    """Categories are strings in the document: 2.0 and 2 are both "2", since a table may hold either."""
    if _is_missing(value):
        return MISSING_CATEGORY
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)


def _feature_names(estimator: Any, given: Optional[Sequence[str]], table: Optional[_Table]) -> List[str]:
    fitted_names = getattr(estimator, "feature_names_in_", None)
    fitted = None if fitted_names is None else [str(name) for name in fitted_names]
    in_table = None if table is None else table.names
    if fitted is not None and in_table is not None and in_table != fitted:
        raise ValueError(f"X: the estimator was fitted on columns {fitted}, but X has {in_table}")
    count = table.cells.shape[1] if table is not None else _fitted_width(estimator)
    numbered = [f"x{i}" for i in range(count)]
    names = [str(name) for name in next(n for n in (given, in_table, fitted, numbered) if n is not None)]
    if len(names) != count:
        raise ValueError(f"feature_names: {len(names)} names for {count} columns")
    if len(set(names)) != count:
        raise ValueError(f"feature_names: a name is used twice in {names}")
    return names


def _fitted_width(estimator: Any) -> int:
    # An estimator of sklearn-lvq does not keep the number of its columns, but its prototypes have it.
    if is_nearest_prototype(estimator) and not hasattr(estimator, "n_features_in_"):
        return np.shape(estimator.w_)[1]
    return _fitted(estimator, "n_features_in_", "estimator")


class _Wishes:
    """What the caller says about features, by name; a name that is no feature is an error."""

    def __init__(self, names: List[str], types: Any, decimals: Any, units: Any, bounds: bool):
        if types is not None and not hasattr(types, "items"):
            if len(types) != len(names):
                raise ValueError(f"feature_types: {len(types)} types for {len(names)} features")
            types = dict(zip(names, types))
        self.types, self.decimals, self.units, self.bounds = types or {}, decimals or {}, units or {}, bounds
        for option in ("types", "decimals", "units"):
            for name in getattr(self, option):
                if name not in names:
                    prefix = "feature_" if option == "types" else ""
                    raise ValueError(f"{prefix}{option}.{name}: no such feature, there are {', '.join(names)}")

    def extras(self, name: str, kind: str) -> Dict[str, Any]:
        """The optional keys of a feature."""
        extras: Dict[str, Any] = {}
        if name in self.decimals:
            if kind != "continuous":
                raise ValueError(f"decimals.{name}: the feature is {kind}, only a continuous one has decimals")
            extras["decimals"] = int(self.decimals[name])
        if name in self.units:
            extras["unit"] = str(self.units[name])
        return extras


def _describe_features(fold: _Fold, table: Optional[_Table], wishes: _Wishes) -> List[Dict[str, Any]]:
    return [_describe_feature(fold, table, wishes, feature) for feature in range(len(fold.names))]


def _describe_feature(fold: _Fold, table: Optional[_Table], wishes: _Wishes, feature: int) -> Dict[str, Any]:
    name = fold.names[feature]
    wanted = wishes.types.get(name)
    categories = fold.categories.get(feature) or _unused_categories(fold, table, feature, wanted)
    if categories:
        kind = _agreed_type(name, "categorical", wanted, np.array([]))
        return {"name": name, "type": kind, "categories": list(categories), **wishes.extras(name, kind)}
    numbers = np.array([]) if table is None else table.numbers(feature)
    kind = _agreed_type(name, _inferred_type(numbers), wanted, numbers)
    described: Dict[str, Any] = {"name": name, "type": kind}
    if wishes.bounds and len(numbers) and kind != "boolean":
        described.update(min=_number(numbers.min(), kind), max=_number(numbers.max(), kind))
    return {**described, **wishes.extras(name, kind)}


def _unused_categories(fold: _Fold, table: Optional[_Table], feature: int, wanted: Optional[str]) -> Dict[str, Any]:
    """A dropped column stays a feature; if it is text, its values are its categories."""
    if table is None or feature in fold.fills or not (table.has_text(feature) or wanted == "categorical"):
        return {}
    return table.categories(feature)


FITS_TYPE: Dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "boolean": lambda numbers: (numbers == 0) | (numbers == 1),
    "integer": lambda numbers: numbers == np.round(numbers),
    "continuous": np.isfinite,
}


def _inferred_type(numbers: np.ndarray) -> str:
    if not len(numbers):
        return "continuous"
    return next((kind for kind, fits in FITS_TYPE.items() if fits(numbers).all()), "continuous")


def _agreed_type(name: str, found: str, wanted: Optional[str], numbers: np.ndarray) -> str:
    if wanted is None or wanted == found:
        return found
    path = f"feature_types.{name}"
    if wanted not in FITS_TYPE:
        reason = "only a one-hot encoded column can be" if wanted == "categorical" else "unknown type"
        raise ValueError(f"{path}: {wanted!r}: {reason}; choose from {', '.join(NUMERIC_TYPES)}")
    if found == "categorical":
        raise ValueError(f"{path}: {wanted!r}, but the column is one-hot encoded")
    misfits = numbers[~FITS_TYPE[wanted](numbers)]
    if len(misfits):
        raise ValueError(f"{path}: {wanted!r}, but X holds {float(misfits[0])}")
    return wanted


def _number(value: Any, kind: str) -> Union[int, float]:
    return float(value) if kind == "continuous" else int(float(value))


def _cell(value: Any, feature: Dict[str, Any]) -> Any:
    if _is_missing(value):
        return None
    return _category_name(value) if feature["type"] == "categorical" else _number(value, feature["type"])


def _document_rows(table: _Table, indices: np.ndarray, features: List[Dict[str, Any]]) -> List[List[Any]]:
    return [[_cell(value, feature) for value, feature in zip(row, features)] for row in table.cells[indices].tolist()]


def _class_names(head: _Head, given: Optional[Sequence[str]]) -> List[str]:
    classes, fixed = head.classes, getattr(head, "fixed_names", None)
    names = [str(name) for name in (fixed or classes if given is None else given)]
    if fixed and names != fixed:
        raise ValueError(f"class_names: the classes of {head.family} are {fixed}, they cannot be {names}")
    if len(names) != len(classes):
        raise ValueError(f"class_names: {len(names)} names for the classes {classes}")
    if len(set(names)) != len(names):
        raise ValueError(f"class_names: a name is used twice in {names}")
    return names


# --------------------------------------------------------------------------------------------- trees on model columns


def _on_model_columns(
    head: _TreeHead, columns: List[_Linear], features: List[Dict[str, Any]], table: Optional[_Table]
) -> Tuple[_TreeHead, List[_Linear]]:
    """The trees on all model columns in document order, if each of their inputs is one of these, scaled at most.

    So a value is rounded as scikit-learn rounds it, and a missing one stays in its column. A matrix would spread it
    over all inputs: then it is refused, as by PCA.
    """
    layout = _layout(features)
    keys = [next(iter(column.terms)) if len(column.terms) == 1 else None for column in columns]
    if None in keys or len(set(keys)) != len(keys) or not all(w for c in columns for w in c.terms.values()):
        _refuse_missing_in_mix(columns, features, table)
        return head.refusing_missing(), columns
    spread = [_Linear({key: 1.0}) for key in layout]
    places = [layout.index(key) for key in keys]
    for place, key, column in zip(places, keys, columns):
        weight = column.terms[key]
        center, divisor = column.center / weight, column.divisor / weight
        spread[place] = replace(column, terms={key: 1.0}, center=center, divisor=divisor)
    return head.on_inputs(places, len(layout)), spread


def _refuse_missing_in_mix(columns: List[_Linear], features: List[Dict[str, Any]], table: Optional[_Table]) -> None:
    kept = {feature for c in columns for feature, fill in c.fills if fill is None and (feature, None) in c.terms}
    for feature in sorted(kept if table is not None else ()):
        if table.missing()[:, feature].any():
            reason = "has missing values that reach the trees through a mix of columns: impute it"
            raise UnsupportedEstimator("estimator", f"{features[feature]['name']!r} {reason}")


def _bound_codes(
    head: _TreeHead, columns: List[_Linear], features: List[Dict[str, Any]], table: Optional[_Table]
) -> None:
    """A column that is split by sets holds codes of categories: none beyond those of training may be recommended."""
    for place, known in (head.codes or {}).items():
        if table is None:
            raise ValueError("X: needed for the probes, a column of the estimator holds codes of categories")
        for index, category in columns[place].terms:
            if category is None and columns[place].is_plain() and features[index]["type"] == "integer":
                features[index].update(min=min(known), max=max(known))


# ---------------------------------------------------------------------------------- preprocessing, background, probes


def _preprocessing(columns: List[_Linear], features: List[Dict[str, Any]], fold: _Fold) -> List[Dict[str, Any]]:
    layout = _layout(features)
    fills = [_fill_of(fold, column) for column in layout]
    steps: List[Dict[str, Any]] = []
    if any(fill is not None for fill in fills):
        steps.append({"type": "impute", "values": fills})
    if len(columns) == len(layout) and all(c.is_exactly(key) for c, key in zip(columns, layout)):
        mean, scale = [c.center for c in columns], [c.divisor for c in columns]
        untouched = not any(mean) and all(s == 1 for s in scale)
        return steps if untouched else [*steps, {"type": "scale", "mean": mean, "scale": scale}]
    return [*steps, _affine(columns, layout)]


def _layout(features: List[Dict[str, Any]]) -> List[ModelColumn]:
    """All model columns in document order."""
    return [(i, category) for i, feature in enumerate(features) for category in feature.get("categories", [None])]


def _fill_of(fold: _Fold, column: ModelColumn) -> Optional[float]:
    feature, category = column
    # A feature without effect may be missing: the estimator never looks at it.
    fill = fold.fills.get(feature, 0.0 if category is None else NO_CATEGORY)
    if fill is None or category is None:
        return fill
    return 1.0 if fill == category else 0.0


def _affine(columns: List[_Linear], layout: List[ModelColumn]) -> Dict[str, Any]:
    position = {key: i for i, key in enumerate(layout)}
    matrix = np.zeros((len(columns), len(layout)))
    for row, column in zip(matrix, columns):
        for key, value in column.terms.items():
            row[position[key]] = value / column.divisor
    # Subtracted from 0, a center of 0 gives 0.0 and not -0.0.
    offset = [0.0 - column.center / column.divisor for column in columns]
    return {"type": "affine", "matrix": matrix.tolist(), "offset": offset}


def _background(
    estimator: Any, head: _Head, document: Dict[str, Any], table: _Table, y: Any, count: int, random: Any
) -> Dict[str, Any]:
    features = document["features"]
    numbers = {f["name"]: table.numbers(i) for i, f in enumerate(features) if f["type"] in NUMERIC_TYPES}
    numbers = {name: values for name, values in numbers.items() if len(values)}
    chosen = _background_indices(table, None if head.classes is None else y, count, random)
    return {
        "mad": {name: float(np.median(np.abs(v - np.median(v)))) for name, v in numbers.items()},
        "std": {name: float(np.std(v)) for name, v in numbers.items()},
        "quantiles": {name: np.quantile(v, QUANTILE_LEVELS).tolist() for name, v in numbers.items()},
        "samples": _document_rows(table, chosen, features),
        "labels": _labels(estimator, head, document, table, chosen),
    }


def _mixture(mixture: Any, features: List[Dict[str, Any]]) -> Dict[str, Any]:
    names = _mixture_features(mixture, features)
    last, columns = _Fold(names, None).columns_before_last(mixture, "mixture")
    linear = [column.linear() for column in columns]
    if any(category is not None for column in linear for _, category in column.terms):
        raise UnsupportedEstimator("mixture", "one-hot encodes numbers: a density is one of numbers")
    if any(fill is not None for column in linear for _, fill in column.fills):
        raise UnsupportedEstimator("mixture", "imputes missing values: that is left to the model")
    step = _affine(linear, [(i, None) for i in range(len(names))])
    return _gaussian_mixture(last, names, np.array(step["matrix"]), np.array(step["offset"]))


def _places(reached: List[_Linear], columns: List[_Linear]) -> List[int]:
    """Where each column that reaches the last estimator is among the inputs of the document's model."""
    if reached is columns:
        return list(range(len(columns)))
    keys = [next(iter(column.terms)) for column in columns]
    return [keys.index(next(iter(column.terms))) for column in reached]


def _background_indices(table: _Table, y: Any, count: int, random: Any) -> np.ndarray:
    order = random.permutation(len(table.cells))
    if y is not None:
        labels = np.asarray(y)
        if len(labels) != len(order):
            raise ValueError(f"y: {len(labels)} labels for {len(order)} rows of X")
        # One row of each class goes first, or a rare class might have none.
        order = _moved_to_front(order, np.unique(labels[order], return_index=True)[1])
    return np.sort(order[:count])


def _moved_to_front(order: np.ndarray, places: np.ndarray) -> np.ndarray:
    return np.concatenate([order[places], np.delete(order, places)])


def _labels(estimator: Any, head: _Head, document: Dict[str, Any], table: _Table, chosen: np.ndarray) -> List[Any]:
    if not len(chosen):
        return []
    predicted = np.asarray(estimator.predict(table.take(chosen))).ravel().tolist()
    if head.classes is None:
        return [float(value) for value in predicted]
    names = dict(zip(head.classes, document["classes"]))
    return [names[label] for label in predicted]


def _probes(
    estimator: Any, score: Score, document: Dict[str, Any], head: _Head, table: _Table, count: int, random: Any
) -> Dict[str, Any]:
    features = document["features"]
    order = _clear_rows(document, head, table, random.permutation(len(table.cells)))
    if not len(order):
        return {"rows": [], "scores": []}
    # A third of the probes is for rows with missing values, where there are any: they exercise the imputation.
    with_missing = np.flatnonzero(table.missing().any(axis=1)[order])[: count // 3]
    chosen = np.sort(_moved_to_front(order, with_missing)[:count])
    scores = score(estimator, table.take(chosen)).tolist()
    _require_finite(scores, "probes.scores")
    return {"rows": _document_rows(table, chosen, features), "scores": scores}


def _clear_rows(document: Dict[str, Any], head: _Head, table: _Table, order: np.ndarray) -> np.ndarray:
    """Rows whose scores follow from the document alone, of the first that come."""
    if head.is_doubtful is None:
        return order
    first = order[:MOST_LOOKED_AT]
    inputs = _inputs(document, _document_rows(table, first, document["features"]))
    # One by one: a row is compared with every sample.
    doubtful = [head.is_doubtful(document["parameters"], row[np.newaxis])[0] for row in inputs]
    return first[~np.array(doubtful, dtype=bool)]


def _made_up_table(fold: _Fold, head: _Head, columns: List[_Linear], count: int, random: Any) -> _Table:
    """Rows to probe with when there is no X, where scores are not saturated.

    That is between the model's centres, if it has any and they can be told in the units of X, else around the scalers'
    means.
    """
    place = {key: (c.center, c.divisor) for c in columns for key in c.terms if c.is_exactly(key)}
    between = _between_centres(head, columns, count, random)
    cells = np.empty((count, len(fold.names)), dtype=object if fold.categories else float)
    for feature in range(len(fold.names)):
        center, spread = place.get((feature, None), (0.0, 1.0))
        values = np.array([*fold.categories.get(feature, {}).values(), None], dtype=object)[:-1]
        if len(values):
            cells[:, feature] = random.choice(values, count)
        elif feature in between:
            cells[:, feature] = center + spread * between[feature]
        else:
            cells[:, feature] = center + spread * random.standard_normal(count)
    return _Table(cells)


def _between_centres(head: _Head, columns: List[_Linear], count: int, random: Any) -> Dict[int, np.ndarray]:
    """By feature that reaches the model as one column: that column in random mixtures of the model's centres."""
    if head.centres is None:
        return {}
    mixtures = random.dirichlet(np.ones(len(head.centres)), count) @ head.centres
    pairs = zip(columns, mixtures.T)
    return {key[0]: values for column, values in pairs for key in column.terms if column.is_exactly(key)}


def _score_without_names(head: _Head) -> Score:
    def score(estimator: Any, rows: Any) -> np.ndarray:
        try:
            return _quietly(head.score, estimator, rows)
        except ProbeMismatch:
            raise
        except ValueError as error:
            raise ValueError(f"X: needed for the probes, the estimator refuses made-up rows: {error}") from error

    return score


# --------------------------------------------------------------------------------- the document, computed with numpy


def _model_columns(features: List[Dict[str, Any]], rows: Sequence[Sequence[Any]]) -> np.ndarray:
    return np.array([[x for f, v in zip(features, row) for x in _spread(f, v)] for row in rows], dtype=float)


def _spread(feature: Dict[str, Any], value: Any) -> List[float]:
    categories = feature.get("categories")
    if value is None:
        return [math.nan] * (1 if categories is None else len(categories))
    if categories is None:
        return [float(value)]
    if value not in categories:
        raise ValueError(f"features.{feature['name']}: unknown category {value!r}")
    return [float(category == value) for category in categories]


def _impute(step: Dict[str, Any], inputs: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(inputs), np.array(step["values"], dtype=float), inputs)


def _two_sigmoids(z: np.ndarray) -> np.ndarray:
    probability = _sigmoid(z)
    return np.column_stack([1 - probability, probability])


def _sigmoid(z: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):  # e^-z may be infinite; the quotient is then 0, as it should
        return 1 / (1 + np.exp(-z))


def _normalized_sigmoids(z: np.ndarray) -> np.ndarray:
    return _sigmoid(z) / _sigmoid(z).sum(axis=1, keepdims=True)


def _activation(parameters: Dict[str, Any], inputs: np.ndarray) -> np.ndarray:
    return inputs @ np.array(parameters["weights"]).T + np.array(parameters["bias"])


def _class_scores(parameters: Dict[str, Any], inputs: np.ndarray) -> np.ndarray:
    return NORMALIZATIONS[parameters.get("normalization", "softmax")](_activation(parameters, inputs))


def _both_sides(parameters: Dict[str, Any], inputs: np.ndarray) -> np.ndarray:
    decision = _activation(parameters, inputs)
    return np.column_stack([-decision, decision])


NORMALIZATIONS: Dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "softmax": _softmax,
    "sigmoid": _normalized_sigmoids,
    "none": lambda z: z,
}

PREPROCESSING: Dict[str, Callable[[Dict[str, Any], np.ndarray], np.ndarray]] = {
    "impute": _impute,
    "scale": lambda step, inputs: (inputs - np.array(step["mean"])) / np.array(step["scale"]),
    "affine": lambda step, inputs: inputs @ np.array(step["matrix"]).T + np.array(step["offset"]),
}

SCORES: Dict[str, Callable[[Dict[str, Any], np.ndarray], np.ndarray]] = {
    "hyperplane": _both_sides,
    "logistic-regression": lambda parameters, inputs: _two_sigmoids(_activation(parameters, inputs)),
    "softmax-regression": _class_scores,
    "lda": _class_scores,
    "linear-regression": lambda parameters, inputs: _activation(parameters, inputs)[:, np.newaxis],
    "poisson-regression": lambda parameters, inputs: np.exp(_activation(parameters, inputs))[:, np.newaxis],
    **QUADRATIC_SCORES,
    **TREE_SCORES,
    **MACHINE_SCORES,
}


# ---------------------------------------------------------------------------------------------------- small helpers


def _lookup(table: Dict[str, Any], estimator: Any, where: str, role: str) -> Any:
    found = table.get(_class_name(estimator))
    if found is None:
        shown = repr(estimator) if isinstance(estimator, str) else _class_name(estimator)
        way_out = WAYS_OUT.get(_class_name(estimator), f"supported are {', '.join(table)}; {BLACK_BOX}")
        raise UnsupportedEstimator(where, f"{shown} is not supported {role}: {way_out}")
    return found


def _check_name(name: str) -> None:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", name):
        raise ValueError(f"name: {name!r}: letters, digits, dot, dash and underscore, at most 100")
