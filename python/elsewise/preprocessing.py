"""The preprocessing of a document: what the walk through the pipeline folded into."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

import numpy as np

from .columns import NO_CATEGORY, RANK, Linear, ModelColumn
from .features import layout_of
from .fold import Fold
from .tables import Table


def bound_domains(features: List[Dict[str, Any]], fold: Fold, table: Optional[Table]) -> None:
    """A logarithm refuses numbers below its domain: none below those of X may be recommended."""
    for feature, curve in fold.curves.items():
        if curve is None or curve["function"] == "yeo-johnson" or features[feature]["type"] == "boolean":
            continue
        if table is None:
            raise ValueError(f"X: needed for {fold.names[feature]!r}, whose function has a domain")
        least = float(table.numbers(feature).min())
        features[feature].setdefault("min", int(least) if features[feature]["type"] == "integer" else least)


def preprocessing_steps(columns: List[Linear], features: List[Dict[str, Any]], fold: Fold) -> List[Dict[str, Any]]:
    layout = layout_of(features)
    fills = [_fill_of(fold, column) for column in layout]
    steps: List[Dict[str, Any]] = []
    if any(fill is not None for fill in fills):
        steps.append({"type": "impute", "values": fills})
    # Trees need no such step: their splits are on the columns of X themselves.
    if any(column.curve for column in columns):
        curves = [(fold.curves.get(feature) if category is None else None) or {} for feature, category in layout]
        functions, powers = [c.get("function") for c in curves], [c.get("lambda", 0.0) for c in curves]
        steps.append({"type": "monotone", "functions": functions, "powers": powers})
    if len(columns) == len(layout) and all(c.is_exactly(key) for c, key in zip(columns, layout)):
        mean, scale = [c.center for c in columns], [c.divisor for c in columns]
        untouched = not any(mean) and all(s == 1 for s in scale)
        return steps if untouched else [*steps, {"type": "scale", "mean": mean, "scale": scale}]
    return [*steps, affine_step(columns, layout)]


def _fill_of(fold: Fold, column: ModelColumn) -> Optional[float]:
    feature, category = column
    # A feature without effect may be missing: the estimator never looks at it.
    is_one = category is None or category is RANK
    fill = fold.fills.get(feature, 0.0 if is_one else NO_CATEGORY)
    if fill is None or is_one:
        return fill
    return 1.0 if fill == category else 0.0


def affine_step(columns: List[Linear], layout: List[ModelColumn]) -> Dict[str, Any]:
    position = {key: i for i, key in enumerate(layout)}
    matrix = np.zeros((len(columns), len(layout)))
    for row, column in zip(matrix, columns):
        for key, value in column.terms.items():
            row[position[key]] = value / column.divisor
    # Subtracted from 0, a center of 0 gives 0.0 and not -0.0.
    offset = [0.0 - column.center / column.divisor for column in columns]
    return {"type": "affine", "matrix": matrix.tolist(), "offset": offset}
