"""Naive Bayes on counts and on yes-or-no columns..

    MultinomialNB, ComplementNB   the log of class k is  b_k + Σ_j w_kj x_j: a linear model
    BernoulliNB                   the log of class k is  b_k + Σ_j w_kj [x_j > binarize]: one tree for each column
"""

from __future__ import annotations

from typing import Any, Callable, Dict

import numpy as np

from .head import Head, UnsupportedEstimator, class_name, fitted, fitted_numbers, probabilities
from .trees import step_sum


def multinomial(estimator: Any, where: str) -> Head:
    return _linear(estimator, fitted_numbers(estimator, "class_log_prior_", where), where)


def complement(estimator: Any, where: str) -> Head:
    # scikit-learn adds the prior only where there is a single class.
    return _linear(estimator, np.zeros(len(fitted(estimator, "classes_", where))), where)


def bernoulli(estimator: Any, where: str) -> Head:
    log_yes = fitted_numbers(estimator, "feature_log_prob_", where)
    log_no = np.log1p(-np.exp(log_yes))
    bias = fitted_numbers(estimator, "class_log_prior_", where) + log_no.sum(axis=1)
    weights, classes = log_yes - log_no, _classes(estimator, where)
    if estimator.binarize is None:
        return _softmax_head(classes, weights, bias)
    if len(classes) == 2:
        weights, bias = weights[1:] - weights[:1], bias[1:] - bias[:1]
    steps = [(j, [float(estimator.binarize)], np.stack([0.0 * own, own])) for j, own in enumerate(weights.T)]
    link = "logit" if len(classes) == 2 else "softmax"
    return step_sum(steps, bias, link, len(steps), score=probabilities, classes=classes, in_any_order=True)


def _linear(estimator: Any, bias: np.ndarray, where: str) -> Head:
    return _softmax_head(_classes(estimator, where), fitted_numbers(estimator, "feature_log_prob_", where), bias)


def _classes(estimator: Any, where: str) -> list:
    classes = np.asarray(fitted(estimator, "classes_", where)).tolist()
    if len(classes) < 2:
        raise UnsupportedEstimator(where, f"{class_name(estimator)} knows a single class: there is nothing to decide")
    return classes


def _softmax_head(classes: list, weights: np.ndarray, bias: np.ndarray) -> Head:
    if len(classes) > 2:
        return Head("softmax-regression", {"weights": weights.tolist(), "bias": bias.tolist()}, probabilities, classes)
    difference = {"weights": (weights[1] - weights[0]).tolist(), "bias": float(bias[1] - bias[0])}
    return Head("logistic-regression", {**difference, "threshold": 0.5}, probabilities, classes)


NAIVE_BAYES_HEADS: Dict[str, Callable[[Any, str], Head]] = {
    "MultinomialNB": multinomial,
    "ComplementNB": complement,
    "BernoulliNB": bernoulli,
}
