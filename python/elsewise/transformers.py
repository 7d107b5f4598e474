"""Transformers: what each makes of the columns that reach it."""

from __future__ import annotations

import math
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from .columns import NO_CATEGORY, RANK, Column, Indicator, Linear, Product, Raw, Stepped, mix
from .head import UnsupportedEstimator, fitted, quietly
from .tables import MISSING_CATEGORY, category_name, is_missing

if TYPE_CHECKING:
    from .fold import Fold


def _standard_scaler(fold: Fold, scaler: Any, columns: List[Column], where: str) -> List[Column]:
    mean = fitted(scaler, "mean_", where) if scaler.with_mean else np.zeros(len(columns))
    scale = fitted(scaler, "scale_", where) if scaler.with_std else np.ones(len(columns))
    return _scale_all(columns, mean, scale)


def _min_max_scaler(fold: Fold, scaler: Any, columns: List[Column], where: str) -> List[Column]:
    if getattr(scaler, "clip", False):
        raise UnsupportedEstimator(where, "MinMaxScaler(clip=True) is not linear: use clip=False")
    factor = np.asarray(fitted(scaler, "scale_", where), dtype=float)
    return _scale_all(columns, -scaler.min_ / factor, 1 / factor)


def _robust_scaler(fold: Fold, scaler: Any, columns: List[Column], where: str) -> List[Column]:
    # Both are None where their part is switched off.
    center, scale = scaler.center_ if scaler.with_centering else None, scaler.scale_ if scaler.with_scaling else None
    ones = np.ones(len(columns))
    return _scale_all(columns, 0 * ones if center is None else center, ones if scale is None else scale)


def _max_abs_scaler(fold: Fold, scaler: Any, columns: List[Column], where: str) -> List[Column]:
    return _scale_all(columns, np.zeros(len(columns)), fitted(scaler, "scale_", where))


def _selector(fold: Fold, selector: Any, columns: List[Column], where: str) -> List[Column]:
    """All selectors say which columns they keep by the same method."""
    return [column for column, kept in zip(columns, selector.get_support()) if kept]


def _scale_all(columns: List[Column], mean: Any, scale: Any) -> List[Column]:
    numbers = zip(columns, np.asarray(mean, dtype=float).tolist(), np.asarray(scale, dtype=float).tolist())
    return [column.linear().scaled(m, s) for column, m, s in numbers]


def _pca(fold: Fold, pca: Any, columns: List[Column], where: str) -> List[Column]:
    components = np.asarray(fitted(pca, "components_", where), dtype=float)
    centered = _scale_all(columns, pca.mean_, np.ones(len(columns)))
    mixed: List[Column] = [mix(centered, row) for row in components]
    if not pca.whiten:
        return mixed
    return _scale_all(mixed, np.zeros(len(mixed)), np.sqrt(pca.explained_variance_))


def _one_hot_encoder(fold: Fold, encoder: Any, columns: List[Column], where: str) -> List[Column]:
    categories = fitted(encoder, "categories_", where)
    grouped = getattr(encoder, "infrequent_categories_", None) or [None] * len(categories)
    dropped = encoder.drop_idx_ if encoder.drop_idx_ is not None else [None] * len(categories)
    if encoder.drop_idx_ is not None and any(group is not None for group in grouped):
        raise UnsupportedEstimator(where, "OneHotEncoder with min_frequency or max_categories and drop: encode without drop")
    encoded: List[Column] = []
    for column, values, drop, group in zip(columns, categories, dropped, grouped):
        named = _named_categories(values, where)
        if group is None:
            encoded += _indicators(fold, column, named, drop, encoder.handle_unknown != "error", where)
        else:
            encoded += _grouped_indicators(fold, column, named, group, encoder.handle_unknown, where)
    return encoded


def _grouped_indicators(
    fold: Fold, column: Column, categories: Dict[str, Any], group: Sequence[Any], unknown: str, where: str
) -> List[Linear]:
    """Infrequent categories share one column, which comes last: the sum of their columns."""
    rare = [category_name(value) for value in group]
    single = _indicators(fold, column, categories, None, unknown != "error", where)
    feature = column.feature
    if unknown in ("infrequent_if_exist", "warn"):
        # Values that the encoder has not seen are infrequent as well, and so is a missing value.
        rare += [name for name in fold.categories[feature] if name not in categories]
        ((_, fill),) = single[0].fills
        fills = frozenset([(feature, rare[0] if fill is NO_CATEGORY else fill)])
    else:
        fills = single[0].fills
    frequent = [replace(made, fills=fills) for name, made in zip(categories, single) if name not in rare]
    return [*frequent, Linear({(feature, name): 1.0 for name in rare}, fills=fills)]


def _named_categories(values: Sequence[Any], where: str) -> Dict[str, Any]:
    named = {category_name(value): value for value in np.asarray(values, dtype=object).tolist()}
    if len(named) != len(values):
        raise UnsupportedEstimator(where, f"categories that read the same: {list(values)}: give them different names")
    return named


def _indicators(
    fold: Fold, column: Column, categories: Dict[str, Any], drop: Optional[int], ignores: bool, where: str
) -> List[Linear]:
    if not isinstance(column, Raw):
        raise UnsupportedEstimator(where, "OneHotEncoder of a column that was transformed before: encode first")
    feature = column.feature
    known = fold.categories.setdefault(feature, {})
    known.update(categories)
    if ignores and fold.table is not None:
        # An unknown value that occurs in X becomes a category without effect, so that its rows can be explained.
        known.update({name: value for name, value in fold.table.categories(feature).items() if name not in known})
    missing = MISSING_CATEGORY if column.fill is None else category_name(column.fill)
    fill = missing if missing in categories else NO_CATEGORY if ignores else None
    fills = frozenset([(feature, fill)])
    return [Linear({(feature, name): 1.0}, fills=fills) for i, name in enumerate(categories) if i != drop]


def _ordinal_encoder(fold: Fold, encoder: Any, columns: List[Column], where: str) -> List[Column]:
    grouped = getattr(encoder, "infrequent_categories_", None) or []
    if any(group is not None for group in grouped):
        raise UnsupportedEstimator(where, "OrdinalEncoder with grouped infrequent categories: encode without min_frequency")
    if not is_missing(getattr(encoder, "encoded_missing_value", math.nan)):
        raise UnsupportedEstimator(where, "OrdinalEncoder(encoded_missing_value=...): use SimpleImputer before it, or leave encoded_missing_value out")
    categories = fitted(encoder, "categories_", where)
    return [_ranked(fold, column, values, where) for column, values in zip(columns, categories)]


def _ranked(fold: Fold, column: Column, values: Sequence[Any], where: str) -> Linear:
    # A missing value that the encoder knows is the last category, and stays missing.
    present = [value for value in np.asarray(values, dtype=object).tolist() if not is_missing(value)]
    if _is_rank(column) and present == list(range(len(present))):
        return column  # ranks are encoded by themselves
    if not isinstance(column, Raw):
        raise UnsupportedEstimator(where, "OrdinalEncoder of a column that was transformed before: encode first")
    known = _named_categories(present, where)
    if fold.ranks.setdefault(column.feature, known) != known:
        raise UnsupportedEstimator(where, f"{fold.names[column.feature]!r} is encoded by two different orders: encode it once")
    fill = None if column.fill is None else float(list(known).index(category_name(column.fill)))
    return Linear({(column.feature, RANK): 1.0}, fills=frozenset([(column.feature, fill)]))


def _is_rank(column: Column) -> bool:
    return isinstance(column, Linear) and column.is_plain() and list(column.terms.values()) == [1.0] and next(iter(column.terms))[1] is RANK


BIN_FOR_TREES = 'behind trees use KBinsDiscretizer(encode="ordinal"), behind linear models discretize or encode all columns'


def _binarizer(fold: Fold, binarizer: Any, columns: List[Column], where: str) -> List[Column]:
    way_out = "behind linear models binarize, discretize or encode all columns, or use trees"
    return [_stepped(column, (float(binarizer.threshold),), (0.0, 1.0), way_out, where) for column in columns]


def _bins(fold: Fold, discretizer: Any, columns: List[Column], where: str) -> List[Column]:
    edges = fitted(discretizer, "bin_edges_", where)
    # A value on an edge belongs to the bin above: the cut is the last number below the edge.
    cuts = [tuple(np.nextafter(np.asarray(e, dtype=float)[1:-1], -np.inf).tolist()) for e in edges]
    if discretizer.encode == "ordinal":
        pairs = zip(columns, cuts)
        return [_stepped(c, own, tuple(map(float, range(len(own) + 1))), BIN_FOR_TREES, where) for c, own in pairs]
    return [
        _stepped(column, own, tuple(map(float, unit)), BIN_FOR_TREES, where)
        for column, own in zip(columns, cuts)
        for unit in np.eye(len(own) + 1)
    ]


def _stepped(column: Column, cuts: Tuple[float, ...], values: Tuple[float, ...], way_out: str, where: str) -> Stepped:
    if not isinstance(column, Raw):
        raise UnsupportedEstimator(where, "discretizes a column that was transformed before: discretize first, then scale")
    return Stepped(column.feature, cuts, values, column.linear().fills, way_out)


def _simple_imputer(fold: Fold, imputer: Any, columns: List[Column], where: str) -> List[Column]:
    if not is_missing(imputer.missing_values):
        raise UnsupportedEstimator(where, f"SimpleImputer(missing_values={imputer.missing_values!r}): write missing values as nan")
    statistics = np.asarray(fitted(imputer, "statistics_", where), dtype=object).tolist()
    # A column without a single value has no statistic; scikit-learn drops it.
    pairs = [(column, value) for column, value in zip(columns, statistics) if not is_missing(value)]
    filled = [_filled(column, value, where) for column, value in pairs]
    watched = imputer.indicator_.features_ if getattr(imputer, "add_indicator", False) else []
    return filled + [_indicator(columns[i], where) for i in watched]


def _indicator(column: Column, where: str) -> Indicator:
    if not isinstance(column, Raw) or column.fill is not None:
        raise UnsupportedEstimator(where, "SimpleImputer(add_indicator=True) of a column that was transformed before: impute first")
    return Indicator(column.feature)


def _polynomial_features(fold: Fold, transformer: Any, columns: List[Column], where: str) -> List[Column]:
    powers = np.asarray(fitted(transformer, "powers_", where))
    if powers.sum(axis=1).max() > 2:
        raise UnsupportedEstimator(where, "PolynomialFeatures of a degree above 2: use degree 2 on discrete columns, or trees")
    return [_power([column for column, times in zip(columns, row) for _ in range(times)]) for row in powers.tolist()]


def _power(factors: List[Column]) -> Column:
    """The product of at most two columns."""
    if len(factors) == 2:
        return Product(factors[0].linear(), factors[1].linear())
    # Without factors: the number 1.
    return factors[0] if factors else Linear({}, center=-1.0)


def _filled(column: Column, value: Any, where: str) -> Column:
    if isinstance(column, Raw):
        return column if column.fill is not None else replace(column, fill=value)
    if not isinstance(column, Linear) or not column.may_be_missing():
        return column
    if column.curve is not None:
        raise UnsupportedEstimator(where, "SimpleImputer behind a monotone function: impute before it")
    if len(column.terms) > 1:
        raise UnsupportedEstimator(where, "SimpleImputer behind a mix of columns (PCA): impute before it")
    # Behind a scaler: go back to the units of X, where the document imputes.
    (((feature, _), weight),) = column.terms.items()
    raw = (column.center + column.divisor * float(value)) / weight
    return replace(column, fills=frozenset([(feature, raw)]))


def _column_transformer(fold: Fold, transformer: Any, columns: List[Column], where: str) -> List[Column]:
    weights = transformer.transformer_weights or {}
    known_names = [str(name) for name in getattr(transformer, "feature_names_in_", [])]
    result: List[Column] = []
    for name, step, spec in fitted(transformer, "transformers_", where):
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


def _function_transformer(fold: Fold, transformer: Any, columns: List[Column], where: str) -> List[Column]:
    if transformer.func is np.log1p:
        return [_bent(column, {"function": "log1p"}, where) for column in columns]
    if transformer.func is np.log:
        return [_bent(column, {"function": "box-cox", "lambda": 0.0}, where) for column in columns]
    if transformer.func is not None:
        reason = "FunctionTransformer with a function is not supported, except np.log1p and np.log: use these or PowerTransformer"
        raise UnsupportedEstimator(where, reason)
    return columns  # how newer versions store a fitted 'passthrough'


def _power_transformer(fold: Fold, transformer: Any, columns: List[Column], where: str) -> List[Column]:
    powers = np.asarray(fitted(transformer, "lambdas_", where), dtype=float).tolist()
    bent = [
        _bent(c, {"function": transformer.method, "lambda": power}, where, _own_power(transformer, j))
        for j, (c, power) in enumerate(zip(columns, powers))
    ]
    return _standard_scaler(fold, transformer._scaler, bent, where) if transformer.standardize else bent


def _own_power(transformer: Any, column: int) -> Callable[[np.ndarray], np.ndarray]:
    """One column through the transformer itself, whose arithmetic depends on its version."""
    plain = copy(transformer)
    plain.standardize = False

    def own(x: np.ndarray) -> np.ndarray:
        rows = np.ones((len(x), plain.n_features_in_))
        rows[:, column] = x
        return quietly(plain.transform, rows)[:, column]

    return own


def _bent(column: Column, curve: Dict[str, Any], where: str, own: Any = None) -> Linear:
    if not isinstance(column, Raw):
        raise UnsupportedEstimator(where, "a function of a column that was transformed before: put the function first, then scale")
    return replace(column.linear(), curve=curve, own=own)


def _inner_pipeline(fold: Fold, pipeline: Any, columns: List[Column], where: str) -> List[Column]:
    for name, step in pipeline.steps:
        columns = fold.transform(step, columns, f"{where}.{name}")
    return columns


NAMED_STEPS: Dict[str, Callable[[List[Column]], List[Column]]] = {
    "passthrough": lambda columns: columns,
    "drop": lambda columns: [],
}

# The walk, the transformer, the columns that reach it and its place in the pipeline -> the columns behind it.
Transform = Callable[[Any, Any, List[Column], str], List[Column]]

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
    "OrdinalEncoder": _ordinal_encoder,
    "Binarizer": _binarizer,
    "KBinsDiscretizer": _bins,
    "SimpleImputer": _simple_imputer,
    "PolynomialFeatures": _polynomial_features,
    "ColumnTransformer": _column_transformer,
    "FunctionTransformer": _function_transformer,
    "PowerTransformer": _power_transformer,
    "Pipeline": _inner_pipeline,
}


def is_sparse(transformer: Any, before: bool) -> bool:
    """Whether a step gives a sparse matrix; steps that do not decide leave the form as it was."""
    kind = type(transformer).__name__
    if kind == "ColumnTransformer":
        return bool(getattr(transformer, "sparse_output_", False))
    if kind == "OneHotEncoder":
        return bool(getattr(transformer, "sparse_output", getattr(transformer, "sparse", False)))
    return transformer.encode == "onehot" if kind == "KBinsDiscretizer" else before
