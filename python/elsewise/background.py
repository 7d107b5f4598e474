"""Statistics and rows of the background, and what it brings to tell plausible rows."""

from __future__ import annotations

from collections import Counter
from typing import Any, Dict, List

import numpy as np

from .columns import Linear
from .features import NUMERIC_TYPES, document_rows
from .fold import Fold
from .head import Head, UnsupportedEstimator
from .plausibility import gaussian_mixture as _gaussian_mixture
from .plausibility import mixture_features as _mixture_features
from .preprocessing import affine_step
from .tables import Table, category_name, is_missing

QUANTILE_LEVELS = np.linspace(0, 1, 21)
LISTED_TYPES = ("boolean", "categorical")
TRUTH_NAMES = ("false", "true")


def background_of(
    estimator: Any, head: Head, document: Dict[str, Any], table: Table, y: Any, count: int, random: Any
) -> Dict[str, Any]:
    features = document["features"]
    numbers = {f["name"]: table.numbers(i) for i, f in enumerate(features) if f["type"] in NUMERIC_TYPES}
    numbers = {name: values for name, values in numbers.items() if len(values)}
    listed = {f["name"]: _shares(table, i, f) for i, f in enumerate(features) if f["type"] in LISTED_TYPES}
    chosen = _background_indices(table, None if head.classes is None else y, count, random)
    return {
        "mad": {name: float(np.median(np.abs(v - np.median(v)))) for name, v in numbers.items()},
        "std": {name: float(np.std(v)) for name, v in numbers.items()},
        "quantiles": {name: np.quantile(v, QUANTILE_LEVELS).tolist() for name, v in numbers.items()},
        "shares": {name: shares for name, shares in listed.items() if shares},
        "samples": document_rows(table, chosen, features),
        "labels": _labels(estimator, head, document, table, chosen),
    }


def _shares(table: Table, feature: int, described: Dict[str, Any]) -> Dict[str, float]:
    """The share of rows with each value that the document lists."""
    counts = Counter(_listed_name(value, described["type"]) for value in table.cells[:, feature].tolist())
    known = {name: counts[name] for name in described.get("categories", TRUTH_NAMES) if counts[name]}
    total = sum(known.values())
    return {name: count / total for name, count in known.items()}


def _listed_name(value: Any, kind: str) -> str:
    if kind == "categorical" or is_missing(value):
        return category_name(value)
    return TRUTH_NAMES[int(float(value))]


def mixture_of(mixture: Any, features: List[Dict[str, Any]]) -> Dict[str, Any]:
    names = _mixture_features(mixture, features)
    last, columns = Fold(names, None).columns_before_last(mixture, "mixture")
    linear = [column.linear() for column in columns]
    if any(category is not None for column in linear for _, category in column.terms):
        raise UnsupportedEstimator("mixture", "one-hot encodes numbers: a density is one of numbers")
    if any(fill is not None for column in linear for _, fill in column.fills):
        raise UnsupportedEstimator("mixture", "imputes missing values: that is left to the model")
    step = affine_step(linear, [(i, None) for i in range(len(names))])
    return _gaussian_mixture(last, names, np.array(step["matrix"]), np.array(step["offset"]))


def places_of(reached: List[Linear], columns: List[Linear]) -> List[int]:
    """Where each column that reaches the last estimator is among the inputs of the document's model."""
    if reached is columns:
        return list(range(len(columns)))
    if not all(isinstance(column, Linear) for column in reached):
        reason = "behind discretized columns, products or indicators is not supported: export the model without it"
        raise UnsupportedEstimator("autoencoder", reason)
    keys = [next(iter(column.terms)) for column in columns]
    return [keys.index(next(iter(column.terms))) for column in reached]


def _background_indices(table: Table, y: Any, count: int, random: Any) -> np.ndarray:
    order = random.permutation(len(table.cells))
    if y is not None:
        labels = np.asarray(y)
        if len(labels) != len(order):
            raise ValueError(f"y: {len(labels)} labels for {len(order)} rows of X")
        # One row of each class goes first, or a rare class might have none.
        order = moved_to_front(order, np.unique(labels[order], return_index=True)[1])
    return np.sort(order[:count])


def moved_to_front(order: np.ndarray, places: np.ndarray) -> np.ndarray:
    return np.concatenate([order[places], np.delete(order, places)])


def _labels(estimator: Any, head: Head, document: Dict[str, Any], table: Table, chosen: np.ndarray) -> List[Any]:
    if not len(chosen):
        return []
    predicted = np.asarray(estimator.predict(table.take(chosen))).ravel().tolist()
    if head.classes is None:
        return [float(value) for value in predicted]
    names = dict(zip(head.classes, document["classes"]))
    return [names[label] for label in predicted]
