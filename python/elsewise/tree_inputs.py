"""Trees on the columns of the document: their splits are renumbered, and no matrix is needed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Dict, List, Optional, Tuple

from .columns import Linear, ModelColumn
from .features import layout_of
from .head import UnsupportedEstimator
from .tables import Table
from .trees import TreeHead


def on_model_columns(
    head: TreeHead, columns: List[Linear], features: List[Dict[str, Any]], table: Optional[Table]
) -> Tuple[TreeHead, List[Linear]]:
    """The trees on all model columns in document order, if each of their inputs is one of these, scaled at most.

    So a value is rounded as scikit-learn rounds it, and a missing one stays in its column. A matrix would spread it
    over all inputs: then it is refused, as by PCA. Several inputs may be the same column, such as the bins of a number.
    """
    layout = layout_of(features)
    reads = [_sole_read(column) for column in columns]
    if None in reads or not _agree(reads):
        _refuse_missing_in_mix(columns, features, table)
        return head.refusing_missing(), columns
    spread = {key: Linear({key: 1.0}) for key in layout}
    spread.update(reads)
    return head.on_inputs([layout.index(key) for key, _ in reads], len(layout)), list(spread.values())


def _sole_read(column: Linear) -> Optional[Tuple[ModelColumn, Linear]]:
    """The model column that a column is, scaled at most, and that column with the scaling alone."""
    if len(column.terms) != 1:
        return None
    ((key, weight),) = column.terms.items()
    if weight == 0:
        return None
    return key, replace(column, terms={key: 1.0}, center=column.center / weight, divisor=column.divisor / weight)


def _agree(reads: List[Tuple[ModelColumn, Linear]]) -> bool:
    """Whether inputs that are the same model column are scaled in the same way: the document has one scaling for each."""
    own = dict(reads)
    return all(own[key] == column for key, column in reads)


def _refuse_missing_in_mix(columns: List[Linear], features: List[Dict[str, Any]], table: Optional[Table]) -> None:
    kept = {feature for c in columns for feature, fill in c.fills if fill is None and c.reads(feature)}
    for feature in sorted(kept if table is not None else ()):
        if table.missing()[:, feature].any():
            reason = "has missing values that reach the trees through a mix of columns: impute it"
            raise UnsupportedEstimator("estimator", f"{features[feature]['name']!r} {reason}")


def bound_codes(
    head: TreeHead, columns: List[Linear], features: List[Dict[str, Any]], table: Optional[Table]
) -> None:
    """A column that is split by sets holds codes of categories: none beyond those of training may be recommended."""
    for place, known in (head.codes or {}).items():
        if table is None:
            raise ValueError("X: needed for the probes, a column of the estimator holds codes of categories")
        for index, category in columns[place].terms:
            if category is None and columns[place].is_plain() and features[index]["type"] == "integer":
                features[index].update(min=min(known), max=max(known))
