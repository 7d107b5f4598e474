"""What the last estimator of a pipeline becomes, and how its fitted attributes are read.."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Sequence

import numpy as np


class UnsupportedEstimator(ValueError):
    """The estimator, or something inside it, cannot be written as a model document."""

    def __init__(self, where: str, reason: str):
        super().__init__(f"{where}: {reason}")
        self.where = where


class ProbeMismatch(ValueError):
    """The document's own scores are not those that the estimator gave."""


# The whole estimator and rows as it takes them -> scores [row][class].
Score = Callable[[Any, Any], np.ndarray]


@dataclass(frozen=True)
class Head:
    """The last estimator as a family, and how the whole estimator is asked for the scores of that family."""

    family: str
    parameters: Dict[str, Any]
    score: Score
    classes: Optional[List[Any]] = None
    # The class of each prototype, by its position in `classes`.
    labels: Optional[List[int]] = None
    # Inputs between which the scores are not all saturated, to make up probes there.
    centres: Optional[np.ndarray] = None
    # The parameters as named and inputs -> by row: whether scores of scikit-learn depend on more than the document says.
    is_doubtful: Optional[Callable[[Dict[str, Any], np.ndarray], np.ndarray]] = None
    # The arithmetic of the library's scores.
    precision: str = "float64"
    # Why the model is refused behind a sparse matrix, and the way out; empty: it is not.
    dense_only: str = ""

    def named_parameters(self, names: Sequence[str]) -> Dict[str, Any]:
        """The parameters as the document has them: prototypes are labelled by the names of the classes there."""
        if self.labels is None:
            return self.parameters
        return {**self.parameters, "labels": [names[label] for label in self.labels]}


def probabilities(estimator: Any, rows: Any) -> np.ndarray:
    return np.asarray(estimator.predict_proba(rows), dtype=float)


def softmax(z: np.ndarray) -> np.ndarray:
    powers = np.exp(z - z.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def class_name(estimator: Any) -> str:
    return type(estimator).__name__


def innermost(estimator: Any) -> Any:
    """The last estimator behind pipelines and searches over parameters."""
    if hasattr(estimator, "best_estimator_"):
        return innermost(estimator.best_estimator_)
    return innermost(estimator.steps[-1][1]) if hasattr(estimator, "steps") else estimator


def fitted(estimator: Any, attribute: str, where: str) -> Any:
    value = getattr(estimator, attribute, None)
    if value is None:
        raise ValueError(f"{where}: {class_name(estimator)} has no {attribute}: fit it first")
    return value


def fitted_numbers(estimator: Any, attribute: str, where: str) -> np.ndarray:
    """A fitted array in double precision; NaN or infinity in it is an error."""
    numbers = np.asarray(fitted(estimator, attribute, where), dtype=float)
    require_finite(numbers.tolist(), f"{where}.{attribute}")
    return numbers


def fitted_arrays(estimator: Any, attribute: str, where: str) -> List[np.ndarray]:
    """A fitted list of arrays that need not have the same shape, checked likewise."""
    arrays = [np.asarray(value, dtype=float) for value in fitted(estimator, attribute, where)]
    require_finite([array.tolist() for array in arrays], f"{where}.{attribute}")
    return arrays


def quietly(call: Callable, *arguments: Any) -> Any:
    """Calls without warnings: a row that we make up has no feature names, which scikit-learn remarks on."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call(*arguments)


def require_finite(value: Any, path: str) -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            require_finite(item, f"{path}.{key}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            require_finite(item, f"{path}[{index}]")
    elif isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{path}: {value} is not a finite number")
