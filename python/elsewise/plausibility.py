"""What tells which rows are plausible, for the background of a document..

    isolation forest   path lengths, on the columns of the document before any preprocessing
    mixture            Σ_k w_k N(x; μ_k, Σ_k), on named numbers in their own units
    autoencoder        layers from the inputs of the model back to themselves
"""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence

import numpy as np

from .head import UnsupportedEstimator, class_name, fitted, fitted_numbers, innermost, require_finite
from .machines import network_layers
from .trees import TREE_HEADS

# The types of features that a density may be of.
DENSITY_TYPES = ("continuous", "integer")


def _require_class(estimator: Any, wanted: str, where: str) -> None:
    if class_name(estimator) != wanted:
        raise UnsupportedEstimator(where, f"{class_name(estimator)} is no {wanted}")


# -------------------------------------------------------------------------------------------------- isolation forest


def isolation_forest(forest: Any, columns: int) -> Dict[str, Any]:
    """`columns`: how many the document has before any preprocessing."""
    _require_class(forest, "IsolationForest", "isolation_forest")
    parameters = TREE_HEADS["IsolationForest"](forest, "isolation_forest").parameters
    if forest.n_features_in_ != columns:
        raise ValueError(f"isolation_forest: has {forest.n_features_in_} columns, the document has {columns}")
    require_finite(parameters, "background.isolationForest")
    return parameters


# ----------------------------------------------------------------------------------------------------------- mixture


def mixture_features(mixture: Any, features: Sequence[Dict[str, Any]]) -> List[str]:
    """The names of a mixture's columns: as fitted, else all numbers of the document in their order."""
    _require_class(innermost(mixture), "GaussianMixture", "mixture")
    numbers = [feature["name"] for feature in features if feature["type"] in DENSITY_TYPES]
    width = int(fitted(mixture, "n_features_in_", "mixture"))
    names = getattr(mixture, "feature_names_in_", None)
    if names is None:
        if width != len(numbers):
            reason = f"has {width} columns, the document has {len(numbers)} continuous and integer features"
            raise ValueError(f"mixture: {reason}: {numbers}")
        return numbers
    for name in names:
        if name not in numbers:
            raise ValueError(f"mixture: {str(name)!r} is no continuous or integer feature of the document")
    return [str(name) for name in names]


def gaussian_mixture(mixture: Any, names: Sequence[str], matrix: np.ndarray, offset: np.ndarray) -> Dict[str, Any]:
    """A mixture of z = A x + b as a mixture of x: means A⁻¹ (μ - b), covariances A⁻¹ Σ A⁻ᵀ."""
    means = fitted_numbers(mixture, "means_", "mixture")
    if matrix.shape != (len(names), len(names)) or np.linalg.matrix_rank(_balanced(matrix)) < len(names):
        raise UnsupportedEstimator("mixture", f"its {means.shape[1]} columns do not tell the {len(names)} features apart")
    covariances = [_pulled_back(matrix, covariance) for covariance in _covariances(mixture, means)]
    document = {
        "features": list(names),
        "weights": fitted_numbers(mixture, "weights_", "mixture").tolist(),
        "means": [np.linalg.solve(matrix, mean - offset).tolist() for mean in means],
        "covariances": [covariance.tolist() for covariance in covariances],
    }
    require_finite(document, "background.mixture")
    return document


def _balanced(matrix: np.ndarray) -> np.ndarray:
    """With columns of length 1: features of very different sizes are no reason for a low rank."""
    lengths = np.linalg.norm(matrix, axis=0)
    return matrix / np.where(lengths > 0, lengths, 1)


def _covariances(mixture: Any, means: np.ndarray) -> List[np.ndarray]:
    """A full matrix for each component."""
    given = fitted_numbers(mixture, "covariances_", "mixture")
    count, size = means.shape
    full = {
        "full": lambda: list(given),
        "tied": lambda: [given] * count,
        "diag": lambda: [np.diag(variances) for variances in given],
        "spherical": lambda: [variance * np.eye(size) for variance in given],
    }
    return full[mixture.covariance_type]()


def _pulled_back(matrix: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    own = np.linalg.solve(matrix, np.linalg.solve(matrix, covariance).T)
    return (own + own.T) / 2


# ------------------------------------------------------------------------------------------------------- autoencoder


def autoencoder(network: Any, places: Sequence[int], inputs: int, encoder_layers: Optional[int]) -> Dict[str, Any]:
    """`places`: where each column that reaches the last estimator is among the `inputs` of the document's model."""
    _require_class(network, "MLPRegressor", "autoencoder")
    layers = network_layers(network, "autoencoder")
    width, units = len(layers[0]["weights"][0]), len(layers[-1]["bias"])
    if width != units:
        raise ValueError(f"autoencoder: has {width} inputs and {units} outputs: fit it to give back its inputs")
    if width != inputs or len(places) != inputs:
        raise ValueError(f"autoencoder: has {width} inputs, the model has {inputs} after preprocessing")
    if encoder_layers is not None and not 1 <= encoder_layers <= len(layers):
        raise ValueError(f"encoder_layers: {encoder_layers}, the autoencoder has {len(layers)} layers")
    document = {"layers": _in_order(layers, np.argsort(places))}
    return document if encoder_layers is None else {"encoderLayers": int(encoder_layers), **document}


def _in_order(layers: List[Dict[str, Any]], order: np.ndarray) -> List[Dict[str, Any]]:
    """The same network, with inputs and outputs in another order."""
    ordered = [dict(layer) for layer in layers]
    first, last = ordered[0], ordered[-1]
    first["weights"] = [[row[i] for i in order] for row in first["weights"]]
    last["weights"] = [last["weights"][i] for i in order]
    last["bias"] = [last["bias"][i] for i in order]
    return ordered
