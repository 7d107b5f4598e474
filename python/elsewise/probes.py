"""Probes: rows with the scores that the estimator itself gives."""

from __future__ import annotations

from typing import Any, Dict, List

import numpy as np

from .background import moved_to_front
from .columns import Linear
from .evaluation import model_inputs
from .features import document_rows
from .fold import Fold
from .head import Head, ProbeMismatch, Score, quietly, require_finite
from .tables import Table

# Rows among which clear ones are looked for, where a model has doubtful ones.
MOST_LOOKED_AT = 1000


def probes_of(
    estimator: Any, score: Score, document: Dict[str, Any], head: Head, table: Table, count: int, random: Any
) -> Dict[str, Any]:
    features = document["features"]
    order = _clear_rows(document, head, table, random.permutation(len(table.cells)))
    if not len(order):
        return {"rows": [], "scores": []}
    # A third of the probes is for rows with missing values, where there are any: they exercise the imputation.
    with_missing = np.flatnonzero(table.missing().any(axis=1)[order])[: count // 3]
    chosen = np.sort(moved_to_front(order, with_missing)[:count])
    scores = score(estimator, table.take(chosen)).tolist()
    require_finite(scores, "probes.scores")
    return {"rows": document_rows(table, chosen, features), "scores": scores}


def _clear_rows(document: Dict[str, Any], head: Head, table: Table, order: np.ndarray) -> np.ndarray:
    """Rows whose scores follow from the document alone, of the first that come."""
    if head.is_doubtful is None:
        return order
    first = order[:MOST_LOOKED_AT]
    inputs = model_inputs(document, document_rows(table, first, document["features"]))
    # One by one: a row is compared with every sample.
    doubtful = [head.is_doubtful(document["parameters"], row[np.newaxis])[0] for row in inputs]
    return first[~np.array(doubtful, dtype=bool)]


def made_up_table(fold: Fold, head: Head, columns: List[Linear], count: int, random: Any) -> Table:
    """Rows to probe with when there is no X, where scores are not saturated.

    That is between the model's centres, if it has any and they can be told in the units of X, else around the scalers'
    means.
    """
    place = {key: (c.center, c.divisor) for c in columns for key in c.terms if c.is_exactly(key)}
    between = _between_centres(head, columns, count, random)
    cells = np.empty((count, len(fold.names)), dtype=object if fold.categories or fold.ranks else float)
    for feature in range(len(fold.names)):
        center, spread = place.get((feature, None), (0.0, 1.0))
        known = fold.categories.get(feature) or fold.ranks.get(feature, {})
        values = np.array([*known.values(), None], dtype=object)[:-1]
        if len(values):
            cells[:, feature] = random.choice(values, count)
        elif feature in between:
            cells[:, feature] = center + spread * between[feature]
        else:
            cells[:, feature] = center + spread * random.standard_normal(count)
    return Table(cells)


def _between_centres(head: Head, columns: List[Linear], count: int, random: Any) -> Dict[int, np.ndarray]:
    """By feature that reaches the model as one column: that column in random mixtures of the model's centres."""
    if head.centres is None:
        return {}
    mixtures = random.dirichlet(np.ones(len(head.centres)), count) @ head.centres
    pairs = zip(columns, mixtures.T)
    return {key[0]: values for column, values in pairs for key in column.terms if column.is_exactly(key)}


def score_without_names(head: Head) -> Score:
    def score(estimator: Any, rows: Any) -> np.ndarray:
        try:
            return quietly(head.score, estimator, rows)
        except ProbeMismatch:
            raise
        except ValueError as error:
            raise ValueError(f"X: needed for the probes, the estimator refuses made-up rows: {error}") from error

    return score
