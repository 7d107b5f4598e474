"""Models with a mixture or an autoencoder in their background, for sklearn-plausibility.test.ts:

    python3 fit_plausibility.py FOLDER

writes NAME.json for every case, cases.json with what scikit-learn says of rows that nothing was fitted on, and refusals.json.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path
from typing import Any, Callable, Dict, List, Sequence

from fit_sklearn import (
    DEBT,
    INCOME,
    SMALL,
    Data,
    bundled,
    credit,
    error_of,
    framed,
    logistic,
    mixed,
    one_column_each,
    scaled,
)

import numpy as np
from sklearn.datasets import load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.mixture import BayesianGaussianMixture, GaussianMixture
from sklearn.model_selection import GridSearchCV
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from export_sklearn import export_model, save

NUMBERS = ["age", "income", "debt", "region"]


def gaussians(kind: str = "full") -> GaussianMixture:
    return GaussianMixture(n_components=3, covariance_type=kind, random_state=0)


def export(estimator: Any, data: Data, **options: Any) -> Dict[str, Any]:
    X, y = data.fitted()
    return export_model(estimator.fit(X, y), name="plausible", feature_names=data.names, X=X, y=y, background_rows=200, **options)


# ---------------------------------------------------------------------------------------------------------- mixtures


def numbers_of(data: Data, names: Sequence[str]) -> Data:
    chosen = [data.names.index(name) for name in names]
    return Data(data.X[:, chosen].astype(float), data.y, list(names))


def log_volume(steps: Sequence[Any]) -> float:
    """The logarithm of how much the steps stretch a volume: a density of their outputs is one of their inputs after that."""
    lengths = [step.scale_ if hasattr(step, "scale_") else np.sqrt(step.explained_variance_) for step in steps]
    return -float(sum(np.log(length).sum() for length in lengths))


def mixture_case(model: Any, data: Data, own: Data, mixture: Any) -> Dict[str, Any]:
    """`own`: the columns that the mixture is fitted on."""
    mixture.fit(own.fitted()[0])
    found = getattr(mixture, "best_estimator_", mixture)
    *steps, last = [step for _, step in found.steps] if hasattr(found, "steps") else [found]
    rows = own.unseen()
    return {
        "document": export(model, data, mixture=mixture),
        "rows": [dict(zip(own.names, row)) for row in np.asarray(rows, dtype=float).tolist()],
        "values": (found.score_samples(rows) + log_volume(steps)).tolist(),
        "peak": float(last.score_samples(last.means_).max() + log_volume(steps)),
    }


def mixture_cases() -> Dict[str, Dict[str, Any]]:
    wine, whole = bundled(load_wine), credit(holes=False)
    cases = {}
    for kind in ("full", "tied", "diag", "spherical"):
        cases[kind] = mixture_case(scaled(logistic()), wine, wine, gaussians(kind))
        behind = make_pipeline(StandardScaler(), gaussians(kind))
        cases[f"{kind}-scaled"] = mixture_case(logistic(), wine, wine, behind)
    turned = make_pipeline(StandardScaler(), PCA(whiten=True), gaussians())
    cases["whitened"] = mixture_case(logistic(), wine, wine, turned)
    wished = GridSearchCV(GaussianMixture(random_state=0), {"n_components": [2, 3]})
    cases["searched"] = mixture_case(scaled(logistic()), wine, wine, wished)
    encoded = mixed(logistic())
    cases["all-numbers"] = mixture_case(encoded, whole, numbers_of(whole, NUMBERS), gaussians("diag"))
    named = framed(numbers_of(whole, ["debt", "income"]))
    cases["named"] = mixture_case(mixed(logistic()), whole, named, make_pipeline(StandardScaler(), gaussians()))
    return cases


# ------------------------------------------------------------------------------------------------------ autoencoders


def network(*units: int, **options: Any) -> MLPRegressor:
    return MLPRegressor(units, max_iter=60, random_state=0, **options)


def autoencoder_case(model: Any, data: Data, encoder: MLPRegressor, **options: Any) -> Dict[str, Any]:
    X, y = data.fitted()
    inputs = np.asarray(model.fit(X, y)[:-1].transform(X), dtype=float)
    encoder.fit(inputs, inputs)
    rows = np.asarray(model[:-1].transform(data.unseen()), dtype=float)
    return {
        "document": export(model, data, autoencoder=encoder, **options),
        "rows": [dict(zip(data.names, row)) for row in data.unseen().tolist()],
        "values": np.mean((encoder.predict(rows) - rows) ** 2, axis=1).tolist(),
    }


def autoencoder_cases() -> Dict[str, Dict[str, Any]]:
    wine, iris = bundled(load_wine), bundled(load_iris)
    turned = one_column_each(RandomForestClassifier(**SMALL), (StandardScaler(), [2, 0]), ("passthrough", [3, 1]))
    return {
        "tanh": autoencoder_case(scaled(logistic()), wine, network(8, 3, 8, activation="tanh"), encoder_layers=1),
        "relu": autoencoder_case(scaled(logistic()), wine, network(8, 4, 8)),
        "categories": autoencoder_case(mixed(logistic()), credit(holes=False), network(4, activation="logistic")),
        "trees": autoencoder_case(turned, iris, network(3, activation="tanh")),
    }


# ---------------------------------------------------------------------------------------------------------- refusals


def refusals() -> Dict[str, Callable[[], Any]]:
    iris, whole = bundled(load_iris), credit(holes=False)
    narrow = np.random.default_rng(3).normal(size=(60, 3))
    guarantors = framed(numbers_of(whole, ["age", "guarantor"]))
    strange = framed(Data(iris.X, iris.y, ["a", "b", "c", "d"]))

    def with_mixture(mixture: Any, data: Data = iris) -> Callable[[], Any]:
        model = logistic() if data is iris else mixed(logistic())
        return lambda: export(model, data, mixture=mixture)

    def with_network(inputs: np.ndarray, outputs: np.ndarray, **options: Any) -> Callable[[], Any]:
        return lambda: export(logistic(), iris, autoencoder=network(3).fit(inputs, outputs), **options)

    dropped = one_column_each(RandomForestClassifier(**SMALL), ("passthrough", [2, 0]))
    return {
        "mixture-of-another-class": with_mixture(BayesianGaussianMixture(n_components=2).fit(iris.X)),
        "mixture-behind-of-another-class": with_mixture(scaled(logistic()).fit(iris.X, iris.y)),
        "mixture-not-fitted": with_mixture(gaussians()),
        "mixture-columns": with_mixture(gaussians().fit(narrow)),
        "mixture-columns-of-types": with_mixture(gaussians("diag").fit(whole.X[:, [INCOME, DEBT]]), whole),
        "mixture-unknown-name": with_mixture(gaussians().fit(strange.X)),
        "mixture-of-a-boolean": with_mixture(gaussians().fit(guarantors.X), whole),
        "mixture-of-fewer-columns": with_mixture(make_pipeline(PCA(2), gaussians()).fit(iris.X)),
        "mixture-imputes": with_mixture(make_pipeline(SimpleImputer(), gaussians()).fit(iris.X)),
        "mixture-encodes": with_mixture(encoding_mixture(np.round(iris.X))),
        "autoencoder-of-another-class": lambda: export(logistic(), iris, autoencoder=MLPClassifier((3,))),
        "autoencoder-not-fitted": lambda: export(logistic(), iris, autoencoder=network(3)),
        "autoencoder-inputs": with_network(narrow, narrow),
        "autoencoder-outputs": with_network(iris.X, iris.X[:, :3]),
        "autoencoder-of-dropped-columns": lambda: export(
            dropped, iris, autoencoder=network(3).fit(iris.X[:, [2, 0]], iris.X[:, [2, 0]])
        ),
        "encoder-of-too-many-layers": with_network(iris.X, iris.X, encoder_layers=3),
        "encoder-of-no-layers": with_network(iris.X, iris.X, encoder_layers=0),
        "encoder-without-autoencoder": lambda: export(logistic(), iris, encoder_layers=1),
    }


def encoding_mixture(X: np.ndarray) -> Any:
    name = "sparse_output" if "sparse_output" in OneHotEncoder().get_params() else "sparse"
    return make_pipeline(OneHotEncoder(**{name: False}), gaussians("diag")).fit(X)


def main(folder: Path) -> None:
    warnings.simplefilter("ignore")  # convergence is not what is tested here
    found: Dict[str, List[str]] = {}
    for kind, cases in {"mixture": mixture_cases(), "autoencoder": autoencoder_cases()}.items():
        found[kind] = list(cases)
        for name, case in cases.items():
            save(case.pop("document"), folder / f"{kind}-{name}.model.json")
            (folder / f"{kind}-{name}.expected.json").write_text(json.dumps(case))
    (folder / "cases.json").write_text(json.dumps(found))
    errors = {name: error_of(action) for name, action in refusals().items()}
    (folder / "refusals.json").write_text(json.dumps(errors, indent=1))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
