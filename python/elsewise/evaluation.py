"""The scores of a document, computed with numpy from the document alone."""

from __future__ import annotations

import math
from typing import Any, Callable, Dict, List, Sequence

import numpy as np

from .decision import decided
from .head import ProbeMismatch, softmax
from .machines import MACHINE_SCORES
from .quadratic import QUADRATIC_SCORES
from .trees import TREE_SCORES

PROBE_TOLERANCE = 1e-6


def evaluate(document: Dict[str, Any], rows: Sequence[Sequence[Any]]) -> np.ndarray:
    """Scores [row][class] (a regressor: [row][0]) of rows given by feature, from the document alone."""
    inputs = model_inputs(document, rows)
    # Prototypes are labelled by name: their scores need the order of the classes.
    parameters = {**document["parameters"], "classes": document.get("classes", [])}
    return decided(document.get("decision", {}), SCORES[document["family"]](parameters, inputs))


def model_inputs(document: Dict[str, Any], rows: Sequence[Sequence[Any]]) -> np.ndarray:
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


def _model_columns(features: List[Dict[str, Any]], rows: Sequence[Sequence[Any]]) -> np.ndarray:
    return np.array([[x for f, v in zip(features, row) for x in _spread(f, v)] for row in rows], dtype=float)


def _spread(feature: Dict[str, Any], value: Any) -> List[float]:
    categories = feature.get("categories")
    if value is None:
        return [math.nan] * (1 if categories is None or feature.get("encoding") == "ordinal" else len(categories))
    if categories is None:
        return [float(value)]
    if value not in categories:
        raise ValueError(f"features.{feature['name']}: unknown category {value!r}")
    if feature.get("encoding") == "ordinal":
        return [float(categories.index(value))]
    return [float(category == value) for category in categories]


def _impute(step: Dict[str, Any], inputs: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(inputs), np.array(step["values"], dtype=float), inputs)


def two_sigmoids(z: np.ndarray) -> np.ndarray:
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
    "softmax": softmax,
    "sigmoid": _normalized_sigmoids,
    "none": lambda z: z,
}

def _monotone(step: Dict[str, Any], inputs: np.ndarray) -> np.ndarray:
    columns = zip(step["functions"], step["powers"], inputs.T)
    return np.column_stack([CURVES[name](x, power) if name else x for name, power, x in columns])


def curve_of(curve: Dict[str, Any], x: np.ndarray) -> np.ndarray:
    return CURVES[curve["function"]](x, curve.get("lambda", 0.0))


def _box_cox(x: np.ndarray, power: float) -> np.ndarray:
    return np.log(x) if abs(power) < np.finfo(float).eps else (x**power - 1) / power


def _yeo_johnson(x: np.ndarray, power: float) -> np.ndarray:
    above, below = np.maximum(x, 0), np.maximum(-x, 0)
    return np.where(x >= 0, _shifted(above, power), -_shifted(below, 2 - power))


def _shifted(x: np.ndarray, power: float) -> np.ndarray:
    return np.log1p(x) if abs(power) < np.finfo(float).eps else ((x + 1) ** power - 1) / power


CURVES: Dict[str, Callable[[np.ndarray, float], np.ndarray]] = {
    "log1p": lambda x, _: np.log1p(x),
    "box-cox": _box_cox,
    "yeo-johnson": _yeo_johnson,
}

PREPROCESSING: Dict[str, Callable[[Dict[str, Any], np.ndarray], np.ndarray]] = {
    "impute": _impute,
    "monotone": _monotone,
    "scale": lambda step, inputs: (inputs - np.array(step["mean"])) / np.array(step["scale"]),
    "affine": lambda step, inputs: inputs @ np.array(step["matrix"]).T + np.array(step["offset"]),
}

SCORES: Dict[str, Callable[[Dict[str, Any], np.ndarray], np.ndarray]] = {
    "hyperplane": _both_sides,
    "logistic-regression": lambda parameters, inputs: two_sigmoids(_activation(parameters, inputs)),
    "softmax-regression": _class_scores,
    "lda": _class_scores,
    "linear-regression": lambda parameters, inputs: _activation(parameters, inputs)[:, np.newaxis],
    "poisson-regression": lambda parameters, inputs: np.exp(_activation(parameters, inputs))[:, np.newaxis],
    **QUADRATIC_SCORES,
    **TREE_SCORES,
    **MACHINE_SCORES,
}
