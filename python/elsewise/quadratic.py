"""Gaussian and nearest-prototype classifiers: as heads, and their scores from a document..

    gaussian-naive-bayes, qda   log prior - ½ log|Σ| - ½ (x - mean)ᵀ Σ⁻¹ (x - mean) of each class, then softmax
    lvq                         minus the distance (x - w)ᵀ R (x - w) to the nearest prototype w of each class
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from .head import (
    Head,
    ProbeMismatch,
    UnsupportedEstimator,
    class_name,
    fitted,
    fitted_arrays,
    fitted_numbers,
    probabilities,
    softmax,
)

# A pivot below this share of the variance that it came from has lost all its digits: the loader's own limit.
SINGULAR_PIVOT = 1e-13
# What a constant column has for a standard deviation, relative to its size: the rounding of its mean.
ROUNDING = 16 * np.finfo(float).eps
TIE = 1e-9


# -------------------------------------------------------------------------------------------------------- Gaussians


def gaussian_naive_bayes(estimator: Any, where: str) -> Head:
    classes = np.asarray(fitted(estimator, "classes_", where)).tolist()
    means = fitted_numbers(estimator, "theta_", where)
    # Before scikit-learn 1.0 the variances were called sigma_.
    variances = fitted_numbers(estimator, "var_" if hasattr(estimator, "var_") else "sigma_", where)
    constant = np.argwhere(~(np.sqrt(variances) > ROUNDING * np.abs(means)))
    if len(constant):
        k, column = constant[0]
        reason = f"{_of_class(classes[k], column)} is constant, a variance of 0 has no density"
        raise UnsupportedEstimator(where, f"{reason}: fit with var_smoothing, or drop the column")
    priors = fitted_numbers(estimator, "class_prior_", where)
    parameters = {"means": means.tolist(), "variances": variances.tolist(), "priors": priors.tolist()}
    return Head("gaussian-naive-bayes", parameters, probabilities, classes, centres=means)


def quadratic_discriminant_analysis(estimator: Any, where: str) -> Head:
    classes = np.asarray(fitted(estimator, "classes_", where)).tolist()
    means = fitted_numbers(estimator, "means_", where)
    # Scores are computed from the principal axes of each class and the variances along them, after reg_param: so the
    # covariance that predicts alike is made of these. `covariance_` is kept on demand only.
    axes = zip(fitted_arrays(estimator, "rotations_", where), fitted_arrays(estimator, "scalings_", where))
    covariances = [_from_axes(rotation, variances) for rotation, variances in axes]
    for label, mean, covariance in zip(classes, means, covariances):
        _refuse_singular(mean, covariance, label, where)
    priors = fitted_numbers(estimator, "priors_", where)
    listed = [covariance.tolist() for covariance in covariances]
    parameters = {"means": means.tolist(), "covariances": listed, "priors": priors.tolist()}
    return Head("qda", parameters, probabilities, classes, centres=means)


def _from_axes(rotation: np.ndarray, variances: np.ndarray) -> np.ndarray:
    covariance = (rotation * variances) @ rotation.T
    return 0.5 * (covariance + covariance.T)  # symmetric to the last bit


def _refuse_singular(mean: np.ndarray, covariance: np.ndarray, label: Any, where: str) -> None:
    """scikit-learn only warns of collinear variables, and divides by what rounding has left of their variance."""
    spread = np.sqrt(np.diag(covariance))
    constant = np.flatnonzero(~(spread > ROUNDING * np.maximum(np.abs(mean), spread.max())))
    column = int(constant[0]) if len(constant) else _dependent_column(covariance / np.outer(spread, spread))
    if column is None:
        return
    reason = "is constant" if len(constant) else "is a linear combination of the columns before it"
    raise UnsupportedEstimator(
        where,
        f"{_of_class(label, column)} {reason}, so that its covariance is singular: "
        "fit with reg_param, or drop constant and duplicate columns",
    )


def _of_class(label: Any, column: int) -> str:
    return f"in class {label!r} column {column}"


def _dependent_column(correlation: np.ndarray) -> Optional[int]:
    """The first column of which nothing is left when those before it are eliminated (Cholesky's pivots)."""
    rest = correlation.copy()
    for column in range(len(rest)):
        pivot = rest[column, column]
        if not pivot > SINGULAR_PIVOT:
            return column
        rest -= np.outer(rest[:, column], rest[column]) / pivot
    return None


def _naive_bayes_scores(parameters: Dict[str, Any], inputs: np.ndarray) -> np.ndarray:
    variances = np.array(parameters["variances"])
    differences = inputs[:, np.newaxis] - np.array(parameters["means"])
    distances = (differences**2 / variances).sum(axis=2)
    return _posterior(distances, np.log(variances).sum(axis=1), parameters)


def _qda_scores(parameters: Dict[str, Any], inputs: np.ndarray) -> np.ndarray:
    classes = zip(parameters["means"], parameters["covariances"])
    measured = [_mahalanobis(inputs - np.array(mean), np.array(covariance)) for mean, covariance in classes]
    distances, log_determinants = zip(*measured)
    return _posterior(np.column_stack(distances), np.array(log_determinants), parameters)


def _mahalanobis(differences: np.ndarray, covariance: np.ndarray) -> Tuple[np.ndarray, float]:
    """Squared distances and log|Σ|. Scaled to unit variances first, or columns of different size cost digits."""
    spread = np.sqrt(np.diag(covariance))
    lower = np.linalg.cholesky(covariance / np.outer(spread, spread))
    whitened = np.linalg.solve(lower, (differences / spread).T)
    return (whitened**2).sum(axis=0), 2 * float(np.log(np.diag(lower) * spread).sum())


def _posterior(distances: np.ndarray, log_determinants: np.ndarray, parameters: Dict[str, Any]) -> np.ndarray:
    with np.errstate(divide="ignore"):  # log 0 is -inf: a class of prior 0 has probability 0
        log_priors = np.log(np.array(parameters["priors"]))
    return softmax(log_priors - 0.5 * (log_determinants + distances))


# ----------------------------------------------------------------------------------------------- nearest prototypes


def is_nearest_prototype(estimator: Any) -> bool:
    """Fitted in the manner of sklearn-lvq, whatever its class is called."""
    return hasattr(estimator, "w_") and hasattr(estimator, "c_w_")


def nearest_prototype(estimator: Any, where: str) -> Head:
    """GLVQ and its kin, RSLVQ and its kin: trained in different ways, they all predict by the nearest prototype.

    There is no method that gives distances, so the probes are computed from the fitted attributes, and the estimator's
    own predictions for the same rows must agree with them.
    """
    prototypes = fitted_numbers(estimator, "w_", where)
    labels = np.asarray(fitted(estimator, "c_w_", where)).ravel().tolist()
    if prototypes.ndim != 2 or len(labels) != len(prototypes):
        raise UnsupportedEstimator(where, f"{len(labels)} labels in c_w_ for w_ of shape {prototypes.shape}")
    classes = np.asarray(getattr(estimator, "classes_", np.unique(labels))).tolist()
    _check_labels(labels, classes, where)
    indices = [classes.index(label) for label in labels]
    omegas, relevance = _relevance(estimator, prototypes, indices, classes, where)

    def score(whole: Any, rows: Any) -> np.ndarray:
        inputs = _inputs_of_last(whole, rows)
        pairs = zip(prototypes, omegas)
        distances = [(((inputs - at) @ omega.T) ** 2).sum(axis=1) for at, omega in pairs]
        scores = _nearest_of_each(np.column_stack(distances), np.array(indices), len(classes))
        _check_predictions(np.asarray(whole.predict(rows)).ravel().tolist(), scores, classes, where)
        return scores

    parameters = {"prototypes": prototypes.tolist(), **relevance}
    return Head("lvq", parameters, score, classes, indices, prototypes)


def _check_labels(labels: Sequence[Any], classes: Sequence[Any], where: str) -> None:
    for label in labels:
        if label not in classes:
            raise UnsupportedEstimator(where, f"a prototype has the label {label!r}, the classes are {classes}")
    for label in classes:
        if label not in labels:
            raise UnsupportedEstimator(where, f"class {label!r} has no prototype, so that it has no score")


def _relevance(
    estimator: Any, prototypes: np.ndarray, indices: List[int], classes: List[Any], where: str
) -> Tuple[List[np.ndarray], Dict[str, Any]]:
    """The matrix Ω of each prototype, where the distance is |Ω(x - w)|², and ΩᵀΩ as the document has it."""
    count, width = prototypes.shape
    given = [name for name in ("omega_", "omegas_", "lambda_") if getattr(estimator, name, None) is not None]
    if len(given) > 1:
        raise UnsupportedEstimator(where, f"{class_name(estimator)} with both {' and '.join(given)} is not supported")
    if not given:
        return [np.eye(width)] * count, {}
    read = OMEGAS[given[0]](estimator, where)
    for omega in read:
        if omega.ndim != 2 or omega.shape[1] != width:
            raise UnsupportedEstimator(where, f"{given[0]} has shape {omega.shape} for {width} columns")
    products = [(omega.T @ omega).tolist() for omega in read]
    if given != ["omegas_"]:
        return read * count, {"relevance": products[0]}
    if len(read) not in (count, len(classes)):
        reason = f"{len(read)} matrices in omegas_ for {count} prototypes of {len(classes)} classes"
        raise UnsupportedEstimator(where, reason)
    # Where both counts are the same the matrices belong to the prototypes: so do sklearn-lvq and the loader.
    return (read if len(read) == count else [read[k] for k in indices]), {"relevances": products}


def _diagonal_omega(estimator: Any, where: str) -> List[np.ndarray]:
    """GRLVQ: one weight per column."""
    weights = fitted_numbers(estimator, "lambda_", where)
    if (weights < 0).any():
        raise UnsupportedEstimator(where, f"lambda_ has a negative weight in column {int(np.argmax(weights < 0))}")
    return [np.diag(np.sqrt(weights))]


OMEGAS: Dict[str, Callable[[Any, str], List[np.ndarray]]] = {
    "omega_": lambda estimator, where: [fitted_numbers(estimator, "omega_", where)],
    "omegas_": lambda estimator, where: fitted_arrays(estimator, "omegas_", where),
    "lambda_": _diagonal_omega,
}


def _inputs_of_last(estimator: Any, rows: Any) -> np.ndarray:
    """What the last estimator of a pipeline gets to see."""
    if class_name(estimator) == "Pipeline":
        for _, step in estimator.steps[:-1]:
            rows = rows if step is None or isinstance(step, str) else step.transform(rows)
        return _inputs_of_last(estimator.steps[-1][1], rows)
    return np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows, dtype=float)


def _nearest_of_each(distances: np.ndarray, indices: np.ndarray, classes: int) -> np.ndarray:
    return np.column_stack([-distances[:, indices == k].min(axis=1) for k in range(classes)])


def _check_predictions(predicted: List[Any], scores: np.ndarray, classes: List[Any], where: str) -> None:
    for row, label in enumerate(predicted):
        own, best = scores[row, classes.index(label)], scores[row].max()
        if not own >= best - TIE * abs(own):
            nearest = classes[int(scores[row].argmax())]
            raise ProbeMismatch(
                f"{where}: predicts {label!r} for a row whose nearest prototype, by w_ and the matrices, "
                f"is of class {nearest!r}"
            )


def _lvq_scores(parameters: Dict[str, Any], inputs: np.ndarray) -> np.ndarray:
    prototypes = np.array(parameters["prototypes"])
    indices = np.array([parameters["classes"].index(label) for label in parameters["labels"]])
    matrices = _matrices(parameters, indices, prototypes.shape)
    differences = [inputs - at for at in prototypes]
    distances = [((delta @ matrix) * delta).sum(axis=1) for delta, matrix in zip(differences, matrices)]
    return _nearest_of_each(np.column_stack(distances), indices, len(parameters["classes"]))


def _matrices(parameters: Dict[str, Any], indices: np.ndarray, shape: Tuple[int, int]) -> List[np.ndarray]:
    if "relevances" not in parameters:
        return [np.array(parameters.get("relevance", np.eye(shape[1])))] * shape[0]
    matrices = [np.array(matrix) for matrix in parameters["relevances"]]
    return matrices if len(matrices) == shape[0] else [matrices[k] for k in indices]


# ------------------------------------------------------------------------------------------- what the exporter adds

LVQ_MODELS = ("GlvqModel", "GrlvqModel", "GmlvqModel", "LgmlvqModel", "RslvqModel", "MrslvqModel", "LmrslvqModel")

QUADRATIC_HEADS: Dict[str, Callable[[Any, str], Head]] = {
    "GaussianNB": gaussian_naive_bayes,
    "QuadraticDiscriminantAnalysis": quadratic_discriminant_analysis,
    **{name: nearest_prototype for name in LVQ_MODELS},
}

QUADRATIC_SCORES: Dict[str, Callable[[Dict[str, Any], np.ndarray], np.ndarray]] = {
    "gaussian-naive-bayes": _naive_bayes_scores,
    "qda": _qda_scores,
    "lvq": _lvq_scores,
}
