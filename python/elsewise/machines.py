"""Neighbours, kernel machines and networks: as heads, and their scores from a document..

    knn          shares of the votes of the k nearest samples, or the mean of their numbers
    kernel-svm   Σ c_i K(v_i, x) + b; several classes: one such sum for each pair, and votes
    mlp          layers of activation(W a + b)
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List

import numpy as np

from .head import (
    Head,
    UnsupportedEstimator,
    class_name,
    fitted,
    fitted_arrays,
    fitted_numbers,
    innermost,
    probabilities,
)

# Distances that differ by less than this share may be in another order in scikit-learn.
SAME_DISTANCE = 1e-9


def _predictions(estimator: Any, rows: Any) -> np.ndarray:
    return np.asarray(estimator.predict(rows), dtype=float).reshape(-1, 1)


def _dense(values: Any) -> Any:
    return values.toarray() if hasattr(values, "toarray") else values


# ------------------------------------------------------------------------------------------------------- neighbours

METRICS = {"euclidean": "euclidean", "l2": "euclidean", "manhattan": "manhattan", "l1": "manhattan", "cityblock": "manhattan"}


def k_neighbors(estimator: Any, where: str) -> Head:
    samples = np.asarray(_dense(fitted(estimator, "_fit_X", where)), dtype=float)
    labels = np.asarray(fitted(estimator, "_y", where))
    if labels.ndim > 1 and labels.shape[1] > 1:
        raise UnsupportedEstimator(where, f"{class_name(estimator)} with {labels.shape[1]} outputs is not supported: fit an estimator for each output")
    parameters = {
        "samples": samples.tolist(),
        "k": int(estimator.n_neighbors),
        "metric": _metric(estimator, where),
        "weights": _weights(estimator, where),
    }
    if not hasattr(estimator, "classes_"):
        numbers = labels.astype(float).ravel().tolist()
        return Head("knn", {**parameters, "labels": numbers}, _predictions, centres=samples, is_doubtful=_ties)
    classes = np.asarray(estimator.classes_).tolist()
    votes = labels.astype(int).ravel().tolist()
    return Head("knn", parameters, probabilities, classes, votes, centres=samples, is_doubtful=_ties)


def _metric(estimator: Any, where: str) -> str:
    used = fitted(estimator, "effective_metric_", where)
    metric = METRICS.get(used) if isinstance(used, str) else None
    # Newer versions keep weights of columns with the metric.
    if metric is None or any(value is not None for value in (estimator.effective_metric_params_ or {}).values()):
        known = "euclidean and manhattan"
        raise UnsupportedEstimator(where, f"{class_name(estimator)} with the metric {used!r}: supported are {known}")
    return metric


def _weights(estimator: Any, where: str) -> str:
    weights = estimator.weights or "uniform"
    if weights not in ("uniform", "distance"):
        raise UnsupportedEstimator(where, f"{class_name(estimator)} with weights by a function is not supported: use weights='distance'")
    return weights


def _distances(parameters: Dict[str, Any], inputs: np.ndarray) -> np.ndarray:
    differences = inputs[:, np.newaxis] - np.array(parameters["samples"])
    if parameters["metric"] == "manhattan":
        return np.abs(differences).sum(axis=2)
    return (differences * differences).sum(axis=2)  # squared, as they are compared


def _ties(parameters: Dict[str, Any], inputs: np.ndarray) -> np.ndarray:
    """Rows whose last neighbour is no nearer than the next sample: which of the two scikit-learn takes is left open."""
    k = parameters["k"]
    nearest = np.sort(_distances(parameters, inputs), axis=1)
    if k == nearest.shape[1]:
        return np.zeros(len(inputs), dtype=bool)
    return nearest[:, k] - nearest[:, k - 1] <= SAME_DISTANCE * nearest[:, k]


def _knn_scores(parameters: Dict[str, Any], inputs: np.ndarray) -> np.ndarray:
    compared = _distances(parameters, inputs)
    nearest = np.argsort(compared, axis=1, kind="stable")[:, : parameters["k"]]
    distances = np.take_along_axis(compared, nearest, axis=1)
    weights = _neighbour_weights(parameters, distances)
    classes = parameters["classes"]
    if not classes:
        values = np.array(parameters["labels"])[nearest]
        return ((values * weights).sum(axis=1) / weights.sum(axis=1))[:, np.newaxis]
    votes = np.array([classes.index(label) for label in parameters["labels"]])[nearest]
    sums = np.column_stack([(weights * (votes == k)).sum(axis=1) for k in range(len(classes))])
    return sums / sums.sum(axis=1, keepdims=True)


def _neighbour_weights(parameters: Dict[str, Any], compared: np.ndarray) -> np.ndarray:
    if parameters["weights"] == "uniform":
        return np.ones_like(compared)
    with np.errstate(divide="ignore"):
        weights = 1 / (compared if parameters["metric"] == "manhattan" else np.sqrt(compared))
    at_zero = np.isinf(weights)
    return np.where(at_zero.any(axis=1, keepdims=True), at_zero, weights)


# -------------------------------------------------------------------------------------------------- kernel machines


def support_vectors(estimator: Any, where: str) -> Head:
    parameters = {
        "supportVectors": np.asarray(_dense(fitted(estimator, "support_vectors_", where)), dtype=float).tolist(),
        "kernel": _kernel(estimator, where),
    }
    coefficients = np.asarray(_dense(fitted(estimator, "dual_coef_", where)), dtype=float)
    intercept = fitted_numbers(estimator, "intercept_", where)
    centres = np.array(parameters["supportVectors"])
    one = {**parameters, "dualCoefficients": coefficients[0].tolist(), "intercept": float(intercept[0])}
    if not hasattr(estimator, "classes_"):
        return Head("kernel-svm", one, _predictions, centres=centres)
    classes = np.asarray(estimator.classes_).tolist()
    if len(classes) == 2:
        return Head("kernel-svm", one, _pair_scores, classes, centres=centres)
    if estimator.break_ties:
        raise UnsupportedEstimator(where, f"{class_name(estimator)}(break_ties=True) decides by other scores than its votes: use break_ties=False")
    several = {
        **parameters,
        "dualCoefficients": coefficients.tolist(),
        "intercept": intercept.tolist(),
        "supportCounts": np.asarray(estimator.n_support_).tolist(),
    }
    return Head("kernel-svm", several, _pair_scores, classes, centres=centres)


def _kernel(estimator: Any, where: str) -> Dict[str, Any]:
    kind = estimator.kernel
    if kind not in ("linear", "rbf", "poly", "sigmoid"):
        shown = kind if isinstance(kind, str) else "a function"
        raise UnsupportedEstimator(where, f"{class_name(estimator)} with the kernel {shown} is not supported: use linear, rbf, poly or sigmoid")
    if kind == "linear":
        return {"type": kind}
    form = {"type": kind, "gamma": float(fitted(estimator, "_gamma", where))}
    if kind == "rbf":
        return form
    form["coef0"] = float(estimator.coef0)
    return {**form, "degree": int(estimator.degree)} if kind == "poly" else form


def _pair_scores(estimator: Any, rows: Any) -> np.ndarray:
    decision = np.asarray(estimator.decision_function(rows), dtype=float)
    if decision.ndim == 1:
        return np.column_stack([-decision, decision])
    last = innermost(estimator)
    return decision if last.decision_function_shape == "ovr" else _one_against_rest(decision, len(last.classes_))


def _one_against_rest(pairs: np.ndarray, classes: int) -> np.ndarray:
    """Votes of pairs, and their values squeezed below a third: scikit-learn's decision_function_shape='ovr'."""
    votes, sums = np.zeros((len(pairs), classes)), np.zeros((len(pairs), classes))
    for column, (i, j) in enumerate((i, j) for i in range(classes) for j in range(i + 1, classes)):
        value = pairs[:, column]
        sums[:, i] += value
        sums[:, j] -= value
        votes[value >= 0, i] += 1
        votes[value < 0, j] += 1
    return votes + sums / (3 * (np.abs(sums) + 1))


def _kernel_values(parameters: Dict[str, Any], inputs: np.ndarray) -> np.ndarray:
    vectors, kernel = np.array(parameters["supportVectors"]), parameters["kernel"]
    if kernel["type"] == "rbf":
        squares = ((inputs[:, np.newaxis] - vectors) ** 2).sum(axis=2)
        return np.exp(-kernel["gamma"] * squares)
    products = inputs @ vectors.T
    if kernel["type"] == "linear":
        return products
    inner = kernel["gamma"] * products + kernel["coef0"]
    return inner ** kernel["degree"] if kernel["type"] == "poly" else np.tanh(inner)


def _kernel_scores(parameters: Dict[str, Any], inputs: np.ndarray) -> np.ndarray:
    values = _kernel_values(parameters, inputs)
    coefficients = np.array(parameters["dualCoefficients"])
    if "supportCounts" not in parameters:
        sums = values @ coefficients + parameters["intercept"]
        return np.column_stack([-sums, sums]) if parameters["classes"] else sums[:, np.newaxis]
    ends = np.cumsum([0, *parameters["supportCounts"]])
    classes = len(parameters["supportCounts"])
    own = [slice(ends[k], ends[k + 1]) for k in range(classes)]
    sums = [
        values[:, own[i]] @ coefficients[j - 1, own[i]] + values[:, own[j]] @ coefficients[i, own[j]]
        for i in range(classes)
        for j in range(i + 1, classes)
    ]
    return _one_against_rest(np.column_stack(sums) + np.array(parameters["intercept"]), classes)


# --------------------------------------------------------------------------------------------------------- networks

ACTIVATIONS: Dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "relu": lambda z: np.maximum(z, 0),
    "tanh": np.tanh,
    "logistic": lambda z: 0.5 * (1 + np.tanh(0.5 * z)),
    "identity": lambda z: z,
    "softmax": lambda z: np.exp(z - z.max(axis=1, keepdims=True))
    / np.exp(z - z.max(axis=1, keepdims=True)).sum(axis=1, keepdims=True),
}


def network(estimator: Any, where: str) -> Head:
    layers = network_layers(estimator, where)
    outputs = len(layers[-1]["bias"])
    if not hasattr(estimator, "classes_"):
        if outputs > 1:
            raise UnsupportedEstimator(where, f"{class_name(estimator)} with {outputs} outputs is not supported: fit an estimator for each output")
        return Head("mlp", {"layers": layers}, _predictions)
    classes = np.asarray(estimator.classes_).tolist()
    last = layers[-1]["activation"]
    if outputs != (1 if len(classes) == 2 else len(classes)) or (last == "logistic" and len(classes) > 2):
        raise UnsupportedEstimator(where, f"{class_name(estimator)} with several labels per row is not supported: fit an estimator for each label")
    return Head("mlp", {"layers": layers}, probabilities, classes)


def network_layers(estimator: Any, where: str) -> List[Dict[str, Any]]:
    """Weights [output][input], bias and activation of each layer."""
    weights = fitted_arrays(estimator, "coefs_", where)
    biases = fitted_arrays(estimator, "intercepts_", where)
    last = fitted(estimator, "out_activation_", where)
    names = [estimator.activation] * (len(weights) - 1) + [last]
    if any(name not in ACTIVATIONS for name in names):
        raise UnsupportedEstimator(where, f"{class_name(estimator)} with the activations {names} is not supported: use relu, tanh, logistic or identity")
    return [_layer(*parts) for parts in zip(weights, biases, names)]


def _layer(weights: np.ndarray, bias: np.ndarray, activation: str) -> Dict[str, Any]:
    return {"weights": weights.T.tolist(), "bias": bias.tolist(), "activation": activation}


def _mlp_scores(parameters: Dict[str, Any], inputs: np.ndarray) -> np.ndarray:
    for layer in parameters["layers"]:
        sums = inputs @ np.array(layer["weights"]).T + np.array(layer["bias"])
        inputs = ACTIVATIONS[layer["activation"]](sums)
    is_pair = len(parameters["classes"]) == 2 and inputs.shape[1] == 1
    return np.column_stack([1 - inputs, inputs]) if is_pair else inputs


MACHINE_HEADS: Dict[str, Callable[[Any, str], Head]] = {
    "KNeighborsClassifier": k_neighbors,
    "KNeighborsRegressor": k_neighbors,
    "SVC": support_vectors,
    "NuSVC": support_vectors,
    "SVR": support_vectors,
    "NuSVR": support_vectors,
    "MLPClassifier": network,
    "MLPRegressor": network,
}

MACHINE_SCORES: Dict[str, Callable[[Dict[str, Any], np.ndarray], np.ndarray]] = {
    "knn": _knn_scores,
    "kernel-svm": _kernel_scores,
    "mlp": _mlp_scores,
}
