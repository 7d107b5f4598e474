"""Trees behind `SimpleImputer(add_indicator=True)`: a missing value stays missing in the document, and each split says where it goes.

    a split on the column of missing values   sends all numbers to one side and a missing value to its own
    a split on the filled column              sends a missing value where the filled value goes

No other model can be written this way: the document has no column of missing values.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Dict, List, Sequence, Tuple

import numpy as np

from .columns import Indicator, Linear
from .head import Head, UnsupportedEstimator
from .trees import LARGEST, Tree, TreeHead

if TYPE_CHECKING:
    from .fold import Fold


def without_indicators(head: Head, columns: List[Any], fold: Fold) -> Tuple[Head, List[Any]]:
    watched = {column.feature for column in columns if isinstance(column, Indicator)}
    if not watched:
        return head, columns
    if not isinstance(head, TreeHead):
        name = fold.names[min(watched)]
        reason = f"{head.family} behind a column that tells where {name!r} is missing: {Indicator(0).way_out}"
        raise UnsupportedEstimator("estimator", reason)
    kept = [column for column in columns if not isinstance(column, Indicator)]
    places = _places(columns, kept, watched, fold)
    moved = head.with_trees(lambda tree: _moved_tree(tree, columns, places, watched))
    centres = np.zeros((len(head.centres), len(kept)))
    centres[:, places] = head.centres
    for feature in watched:
        fold.fills[feature] = None
    return replace(moved, centres=centres), [_unfilled(column, watched) for column in kept]


def _places(columns: Sequence[Any], kept: List[Any], watched: set, fold: Fold) -> List[int]:
    """By column: its place among the kept ones. An indicator has that of its feature's own column."""
    own: Dict[int, int] = {}
    for place, column in enumerate(kept):
        key = _feature_of(column)
        if key in watched and own.setdefault(key, place) != place:
            reason = f"{fold.names[key]!r} is imputed with an indicator and used twice: use it once"
            raise UnsupportedEstimator("estimator", reason)
    for feature in sorted(watched - own.keys()):
        own[feature] = len(kept)
        kept.append(Linear({(feature, None): 1.0}))
    return [own[column.feature] if isinstance(column, Indicator) else kept.index(column) for column in columns]


def _feature_of(column: Any) -> Any:
    """The only number that a column reads."""
    if not isinstance(column, Linear) or column.curve is not None:
        return getattr(column, "feature", None)
    numbers = [feature for feature, category in column.terms if category is None]
    return numbers[0] if len(numbers) == 1 and len(column.terms) == 1 else None


def _moved_tree(tree: Tree, columns: Sequence[Any], places: List[int], watched: set) -> Tree:
    missing = tree["missing"]
    sides = list(missing) if isinstance(missing, list) else ["left" if missing == "left" else "right"] * len(tree["left"])
    moved = {**tree, "feature": list(tree["feature"]), "threshold": list(tree["threshold"]), "missing": sides}
    round_as = np.float32 if tree["precision"] == "float32" else np.float64
    for node, (j, left) in enumerate(zip(tree["feature"], tree["left"])):
        if left < 0:
            continue
        moved["feature"][node] = places[j]
        threshold = tree["threshold"][node]
        if isinstance(columns[j], Indicator):
            present, absent = (float(round_as(value)) <= threshold for value in columns[j].values)
            moved["threshold"][node] = LARGEST if present else -LARGEST
            sides[node] = "left" if absent else "right"
        elif _feature_of(columns[j]) in watched:
            sides[node] = "left" if float(round_as(_filled(columns[j]))) <= threshold else "right"
    return moved


def _filled(column: Any) -> float:
    """What a missing value becomes on the way to the trees."""
    if not isinstance(column, Linear) or column.curve is not None:
        reason = "an imputer with an indicator before a discretized column or a function: put trees directly behind it"
        raise UnsupportedEstimator("estimator", reason)
    ((_, fill),) = column.fills
    (weight,) = column.terms.values()
    return (weight * fill - column.center) / column.divisor


def _unfilled(column: Any, watched: set) -> Any:
    if _feature_of(column) not in watched:
        return column
    return replace(column, fills=frozenset((feature, None) for feature, _ in column.fills))
