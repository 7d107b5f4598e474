"""The decision layer: calibration of scores, and a threshold, around an estimator of two classes.

    CalibratedClassifierCV     g(s), with s the decision function of the estimator, or else its probability
    FixedThresholdClassifier   second class  <=>  score >= threshold
    TunedThresholdClassifierCV the same, with the threshold that it found
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Callable, Dict, List, Tuple

import numpy as np

from .head import Head, Score, UnsupportedEstimator, class_name, fitted, probabilities

ONE_ESTIMATOR = "fit with ensemble=False, or calibrate a fitted estimator (cv='prefit', or FrozenEstimator)"
# Families whose scores are those of a decision function already.
RAW_FAMILIES = ("hyperplane", "kernel-svm")


@dataclass(frozen=True)
class Layer:
    """What a wrapper adds to the document, and what it reads of the estimator inside."""

    entries: Dict[str, Any]
    reads: str
    score: Score


def decisions(estimator: Any, rows: Any) -> np.ndarray:
    decision = np.asarray(estimator.decision_function(rows), dtype=float)
    return np.column_stack([-decision, decision]) if decision.ndim == 1 else decision


def _two_classes(estimator: Any, where: str) -> List[Any]:
    classes = np.asarray(fitted(estimator, "classes_", where)).tolist()
    if len(classes) != 2:
        raise UnsupportedEstimator(where, f"{class_name(estimator)} with {len(classes)} classes is not supported: a decision layer is for two classes")
    return classes


def _calibrated(estimator: Any, where: str) -> Tuple[Any, str, Layer]:
    classes = _two_classes(estimator, where)
    parts = fitted(estimator, "calibrated_classifiers_", where)
    inner = _thawed(_base(parts[0]))
    if any(_thawed(_base(part)) is not inner for part in parts):
        reason = f"{class_name(estimator)} with {len(parts)} folds has an estimator for each fold: {ONE_ESTIMATOR}"
        raise UnsupportedEstimator(where, reason)
    if np.asarray(fitted(inner, "classes_", where)).tolist() != classes:
        raise UnsupportedEstimator(where, f"{class_name(estimator)} has other classes than its estimator: {ONE_ESTIMATOR}")
    curves = [_curve(part.calibrators[0], where) for part in parts]
    calibration = curves[0] if len(curves) == 1 else {"type": "mean", "of": curves}
    reads = "decision_function" if hasattr(inner, "decision_function") else "predict_proba"
    return inner, f"{where}.estimator", Layer({"calibration": calibration}, reads, probabilities)


def _base(part: Any) -> Any:
    return part.estimator if hasattr(part, "estimator") else part.base_estimator


def _thawed(estimator: Any) -> Any:
    return _thawed(estimator.estimator) if class_name(estimator) == "FrozenEstimator" else estimator


def _curve(calibrator: Any, where: str) -> Dict[str, Any]:
    make = CURVES.get(class_name(calibrator))
    if make is None:
        raise UnsupportedEstimator(where, f"a calibration by {class_name(calibrator)} is not supported: use method='sigmoid' or method='isotonic'")
    return make(calibrator, where)


def _sigmoid(calibrator: Any, where: str) -> Dict[str, Any]:
    slope, intercept = float(calibrator.a_), float(calibrator.b_)
    if slope > 0:
        raise UnsupportedEstimator(where, "the calibration turns the order of the scores around: the estimator predicts worse than chance")
    return {"type": "sigmoid", "slope": slope, "intercept": intercept}


def _isotonic(calibrator: Any, where: str) -> Dict[str, Any]:
    if not getattr(calibrator, "increasing_", True):
        raise UnsupportedEstimator(where, "the calibration falls: fit IsotonicRegression with increasing=True")
    values = np.clip(np.asarray(calibrator.y_thresholds_, dtype=float), 0, 1)
    scores = np.asarray(calibrator.X_thresholds_, dtype=float).tolist()
    return {"type": "isotonic", "scores": scores, "values": np.maximum.accumulate(values).tolist()}


CURVES: Dict[str, Callable[[Any, str], Dict[str, Any]]] = {
    "_SigmoidCalibration": _sigmoid,
    "IsotonicRegression": _isotonic,
}


def _thresholded(attribute: str) -> Callable[[Any, str], Tuple[Any, str, Layer]]:
    def peel(estimator: Any, where: str) -> Tuple[Any, str, Layer]:
        classes = _two_classes(estimator, where)
        inner = _thawed(fitted(estimator, "estimator_", where))
        positive = getattr(estimator, "pos_label", None)
        if positive is not None and positive != classes[1]:
            raise UnsupportedEstimator(where, f"{class_name(estimator)}(pos_label={positive!r}) is not supported: the second class has to be the positive one")
        wanted = getattr(estimator, "response_method", "auto")
        known = [name for name in ("predict_proba", "decision_function") if hasattr(inner, name)]
        reads = known[0] if wanted == "auto" else wanted
        threshold = fitted(estimator, attribute, where)
        if threshold == "auto":
            threshold = 0.5 if reads == "predict_proba" else 0.0
        entries = {"threshold": float(threshold), "inclusive": True}
        return inner, f"{where}.estimator_", Layer(entries, reads, probabilities if reads == "predict_proba" else decisions)

    return peel


# By class name: a fitted wrapper -> the estimator inside, its place, and the layer.
WRAPPERS: Dict[str, Callable[[Any, str], Tuple[Any, str, Layer]]] = {
    "CalibratedClassifierCV": _calibrated,
    "FixedThresholdClassifier": _thresholded("threshold"),
    "TunedThresholdClassifierCV": _thresholded("best_threshold_"),
}


def check_order(layers: List[Layer], where: str) -> None:
    """A threshold may be around a calibration, and nothing else is around anything."""
    if [sorted(layer.entries) for layer in layers[:-1]] not in ([], [["inclusive", "threshold"]]) or (
        len(layers) == 2 and "threshold" in layers[1].entries
    ):
        raise UnsupportedEstimator(where, "these wrappers inside one another are not supported: put one threshold around one calibration")


def as_read(head: Head, last: Any, layers: List[Layer], raw: Callable[[Any, str], Head], where: str) -> Head:
    """The head with the scores that the innermost layer reads, and asked as the outermost answers."""
    if not layers:
        return head
    if layers[-1].reads == "decision_function":
        head = _raw_head(head, last, raw, where)
    return replace(head, score=layers[0].score)


def _raw_head(head: Head, last: Any, raw: Callable[[Any, str], Head], where: str) -> Head:
    if head.family in RAW_FAMILIES:
        return head
    if head.family in ("logistic-regression", "lda"):
        return raw(last, where)
    # With the exponential loss the document has the log odds, which are twice the decision function.
    if head.family == "tree-ensemble" and head.parameters.get("link") == "logit" and getattr(last, "loss", "") != "exponential":
        return replace(head, parameters={**head.parameters, "link": "identity"})
    reason = f"a calibration of the decision function of this estimator ({head.family}) is not supported"
    raise UnsupportedEstimator(where, f"{reason}: calibrate an estimator without decision_function, or a linear model")


def decided(decision: Dict[str, Any], scores: np.ndarray) -> np.ndarray:
    """The reported scores of a document with a decision layer."""
    if "calibration" not in decision:
        return scores
    second = _calibrate(decision["calibration"], scores[:, -1])
    return np.column_stack([1 - second, second]) if scores.shape[1] == 2 else second[:, np.newaxis]


def _calibrate(curve: Dict[str, Any], s: np.ndarray) -> np.ndarray:
    if curve["type"] == "mean":
        return np.mean([_calibrate(one, s) for one in curve["of"]], axis=0)
    if curve["type"] == "isotonic":
        return np.interp(s, curve["scores"], curve["values"])
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(curve["slope"] * s + curve["intercept"]))
