"""Linear models as last estimators, and the table of all last estimators."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Tuple

import numpy as np

from .boosters import BOOSTER_HEADS
from .combinations import bagging_regressor, stacking, voting_regressor
from .ensembles import ada_boost, bagging_classifier, voting_classifier
from .decision import decisions
from .evaluation import NORMALIZATIONS, two_sigmoids
from .head import Head, UnsupportedEstimator, class_name, fitted, probabilities, quietly, require_finite, softmax
from .machines import MACHINE_HEADS
from .naive_bayes import NAIVE_BAYES_HEADS
from .quadratic import QUADRATIC_HEADS, is_nearest_prototype, nearest_prototype
from .refusals import lookup
from .trees import TREE_HEADS


def _predictions(estimator: Any, rows: Any) -> np.ndarray:
    return np.asarray(estimator.predict(rows), dtype=float).reshape(-1, 1)


def _logistic_regression(estimator: Any, where: str) -> Head:
    classes, weights, bias = _classifier(estimator, where)
    if len(weights) == 1:
        # Fitted as multinomial, two classes have the scores -z and z: the probability is that of 2z.
        links = {factor: (lambda z, f=factor: two_sigmoids(f * z[:, 0])) for factor in (1.0, 2.0)}
        factor = _as_it_predicts(estimator, weights, bias, links)
        return _logistic_head(classes, factor * weights, factor * bias)
    normalization = _as_it_predicts(estimator, weights, bias, {k: NORMALIZATIONS[k] for k in ("softmax", "sigmoid")})
    return Head("softmax-regression", _rows(weights, bias, normalization), probabilities, classes)


def _as_it_predicts(estimator: Any, weights: np.ndarray, bias: np.ndarray, links: Dict[Any, Callable]) -> Any:
    """The link that gives the estimator's own probabilities, tried at one row where the scores are moderate.

    What `multi_class` means depends on the solver and on the version, and the newest do without it: so ask.
    """
    wanted = np.linspace(-0.5, 0.5, len(weights) + 1)[1:]
    row = np.linalg.lstsq(weights, wanted - bias, rcond=None)[0][np.newaxis]
    scores = row @ weights.T + bias
    own = quietly(probabilities, estimator, row)
    return min(links, key=lambda link: np.abs(links[link](scores) - own).max())


def _sgd_classifier(estimator: Any, where: str) -> Head:
    if estimator.loss not in ("log_loss", "log"):
        return decision_classifier(estimator, where)
    classes, weights, bias = _classifier(estimator, where)
    if len(weights) == 1:
        return _logistic_head(classes, weights, bias)
    return Head("softmax-regression", _rows(weights, bias, "sigmoid"), probabilities, classes)


def decision_classifier(estimator: Any, where: str) -> Head:
    classes, weights, bias = _classifier(estimator, where)
    if len(weights) == 1:
        return Head("hyperplane", _one_row(weights, bias), decisions, classes)
    return Head("softmax-regression", _rows(weights, bias, "none"), decisions, classes)


def _discriminant_analysis(estimator: Any, where: str) -> Head:
    classes, weights, bias = _classifier(estimator, where)
    if len(weights) == 1:
        # Two classes are fitted as one difference of scores; softmax only sees differences.
        weights, bias = np.vstack([np.zeros_like(weights), weights]), np.append(0.0, bias)
    return Head("lda", _rows(weights, bias), probabilities, classes)


def _regressor(family: str) -> Callable[[Any, str], Head]:
    def make_head(estimator: Any, where: str) -> Head:
        weights, bias = _coefficients(estimator, where)
        if len(weights) != 1:
            raise UnsupportedEstimator(where, f"{class_name(estimator)} with {len(weights)} outputs is not supported: fit an estimator for each output")
        return Head(family, _one_row(weights, bias), _predictions)

    return make_head


def _classifier(estimator: Any, where: str) -> Tuple[List[Any], np.ndarray, np.ndarray]:
    weights, bias = _coefficients(estimator, where)
    classes = np.asarray(fitted(estimator, "classes_", where)).tolist()
    # Three labels per row look like three classes, but for the shape of a prediction.
    predicted = np.asarray(quietly(estimator.predict, np.zeros((1, weights.shape[1]))))
    if predicted.ndim != 1 or len(weights) != (1 if len(classes) == 2 else len(classes)):
        raise UnsupportedEstimator(where, f"{class_name(estimator)} with several labels per row is not supported: fit an estimator for each label")
    return classes, weights, bias


def _coefficients(estimator: Any, where: str) -> Tuple[np.ndarray, np.ndarray]:
    """Weights [output][column] and bias [output] in double precision."""
    coef = fitted(estimator, "coef_", where)
    coef = coef.toarray() if hasattr(coef, "toarray") else coef  # after sparsify()
    weights = np.atleast_2d(np.asarray(coef, dtype=float))
    bias = np.atleast_1d(np.asarray(fitted(estimator, "intercept_", where), dtype=float))
    require_finite(weights.tolist(), f"{where}.coef_")
    require_finite(bias.tolist(), f"{where}.intercept_")
    # Without an intercept some estimators keep a single zero for all outputs.
    return weights, np.broadcast_to(bias, (len(weights),))


def _one_row(weights: np.ndarray, bias: np.ndarray) -> Dict[str, Any]:
    return {"weights": weights[0].tolist(), "bias": float(bias[0])}


def _rows(weights: np.ndarray, bias: np.ndarray, normalization: str = "softmax") -> Dict[str, Any]:
    parameters: Dict[str, Any] = {"weights": weights.tolist(), "bias": bias.tolist()}
    return parameters if normalization == "softmax" else {**parameters, "normalization": normalization}


def _logistic_head(classes: List[Any], weights: np.ndarray, bias: np.ndarray) -> Head:
    return Head("logistic-regression", {**_one_row(weights, bias), "threshold": 0.5}, probabilities, classes)


HEADS: Dict[str, Callable[[Any, str], Head]] = {
    "LogisticRegression": _logistic_regression,
    "LogisticRegressionCV": _logistic_regression,
    "LinearSVC": decision_classifier,
    "SGDClassifier": _sgd_classifier,
    "Perceptron": decision_classifier,
    "PassiveAggressiveClassifier": decision_classifier,
    "RidgeClassifier": decision_classifier,
    "RidgeClassifierCV": decision_classifier,
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
    **BOOSTER_HEADS,
    "BaggingClassifier": lambda last, where: bagging_classifier(last, where, make_head),
    "BaggingRegressor": lambda last, where: bagging_regressor(last, where, make_head),
    "VotingClassifier": lambda last, where: voting_classifier(last, where, make_head),
    "VotingRegressor": lambda last, where: voting_regressor(last, where, make_head),
    "AdaBoostClassifier": lambda last, where: ada_boost(last, where, make_head),
    **dict.fromkeys(("StackingClassifier", "StackingRegressor"), lambda last, where: stacking(last, where, make_head)),
}


def make_head(last: Any, where: str) -> Head:
    make = nearest_prototype if is_nearest_prototype(last) else lookup(HEADS, last, where, "as the last estimator")
    return make(last, where)
