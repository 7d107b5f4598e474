"""Fits one XGBoost model per case and writes what XGBoost itself says about rows it has not seen.

    python3 fit_xgboost.py FOLDER

writes CASE.json and CASE.ubj (the model) and CASE.expected.json: rows (null: missing), scores as predicted, margins,
and the leaf that each row falls into in each tree.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Optional

try:
    import numpy as np
    import xgboost as xgb
except ImportError as error:
    sys.exit(f"{sys.executable}: {error}. To get XGBoost: apt-get install python3-xgboost")

FEATURES = 6
TRAINED = 400
UNSEEN = 200
CATEGORIES = 5


@dataclass
class Case:
    """`target` makes the labels from the features and some noise."""

    parameters: Dict[str, Any]
    target: str = "binary"
    rounds: int = 12
    missing_share: float = 0.0
    categorical: bool = False
    named: bool = False
    stop_early: bool = False


CASES = {
    "binary": Case({"objective": "binary:logistic", "max_depth": 4}),
    "binary-base-score": Case({"objective": "binary:logistic", "base_score": 0.3}, named=True),
    "binary-raw": Case({"objective": "binary:logitraw", "base_score": 0.3}),
    "binary-missing": Case({"objective": "binary:logistic"}, missing_share=0.2),
    "binary-pruned": Case({"objective": "binary:logistic", "gamma": 2, "tree_method": "exact"}),
    "binary-early-stop": Case({"objective": "binary:logistic", "eta": 1, "max_depth": 8}, rounds=60, stop_early=True),
    "binary-categories": Case(
        {"objective": "binary:logistic", "tree_method": "hist", "max_cat_to_onehot": 1}, categorical=True, missing_share=0.1
    ),
    "binary-one-hot-categories": Case(
        {"objective": "binary:logistic", "tree_method": "hist", "max_cat_to_onehot": 100}, categorical=True
    ),
    "multi": Case({"objective": "multi:softprob", "num_class": 3}, target="multi"),
    "multi-parallel": Case({"objective": "multi:softmax", "num_class": 3, "num_parallel_tree": 2, "subsample": 0.6}, "multi"),
    "regression": Case({"objective": "reg:squarederror", "base_score": 7.25}, target="number"),
    "absolute": Case({"objective": "reg:absoluteerror", "tree_method": "hist"}, target="number"),
    "poisson": Case({"objective": "count:poisson", "base_score": 2.5}, target="count"),
    "gamma": Case({"objective": "reg:gamma"}, target="count"),
    "tweedie": Case({"objective": "reg:tweedie"}, target="count"),
    "dart": Case({"objective": "binary:logistic", "booster": "dart", "rate_drop": 0.4}, rounds=25),
    "dart-multi": Case({"objective": "multi:softprob", "booster": "dart", "rate_drop": 0.4, "num_class": 3}, "multi"),
    "parallel": Case({"objective": "reg:squarederror", "num_parallel_tree": 4, "subsample": 0.5}, target="number"),
}


def make_rows(rng: np.random.RandomState, count: int, case: Case) -> np.ndarray:
    """Half of the numbers lie on a coarse grid, so that many of them are thresholds themselves."""
    rows = rng.normal(size=(count, FEATURES))
    rows[:, ::2] = np.round(rows[:, ::2], 1)
    if case.categorical:
        rows[:, 0] = rng.randint(CATEGORIES, size=count)
    rows[rng.random_sample(rows.shape) < case.missing_share] = np.nan
    return rows


def make_labels(rng: np.random.RandomState, rows: np.ndarray, case: Case) -> np.ndarray:
    known = np.nan_to_num(rows)
    bump = np.asarray([1.5, -2.0, 0.5, 2.0, -1.0])[known[:, 0].astype(int)] if case.categorical else known[:, 0]
    signal = bump + known[:, 1] * known[:, 2] - 0.5 * known[:, 3] + rng.normal(scale=0.3, size=len(rows))
    if case.target == "binary":
        return (signal > 0).astype(int)
    if case.target == "multi":
        return np.digitize(signal, [-0.6, 0.6])
    return signal if case.target == "number" else 1 + rng.poisson(np.exp(0.4 * np.clip(signal, -4, 4)))


def to_matrix(rows: np.ndarray, case: Case, labels: Optional[np.ndarray] = None) -> xgb.DMatrix:
    names = [f"feature {f}" for f in range(FEATURES)] if case.named else None
    types = ["c"] + ["q"] * (FEATURES - 1) if case.categorical else None
    return xgb.DMatrix(rows, labels, feature_names=names, feature_types=types, enable_categorical=case.categorical)


def fit(case: Case, rng: np.random.RandomState) -> xgb.Booster:
    train, held_out = (
        to_matrix(rows, case, make_labels(rng, rows, case)) for rows in (make_rows(rng, TRAINED, case) for _ in range(2))
    )
    stopping = {"evals": [(held_out, "unseen")], "early_stopping_rounds": 3, "verbose_eval": False}
    parameters = {"max_depth": 3, "eta": 0.4, "seed": 1, "nthread": 1, "verbosity": 0, **case.parameters}
    return xgb.train(parameters, train, case.rounds, **(stopping if case.stop_early else {}))


def describe(booster: xgb.Booster, rows: np.ndarray, case: Case) -> Dict[str, Any]:
    matrix = to_matrix(rows, case)
    count = booster.best_iteration + 1 if case.stop_early else booster.num_boosted_rounds()
    used = (0, count)
    column = lambda values: values.reshape(len(rows), -1).astype(float).tolist()  # noqa: E731
    return {
        "rows": [[None if np.isnan(value) else value for value in row] for row in rows.tolist()],
        "scores": column(booster.predict(matrix, iteration_range=used)),
        "margins": column(booster.predict(matrix, output_margin=True, iteration_range=used)),
        "leaves": column(booster.predict(matrix, pred_leaf=True, iteration_range=used)),
        "rounds": booster.num_boosted_rounds(),
        "used": count,
    }


def main(folder: Path) -> None:
    for seed, (name, case) in enumerate(CASES.items()):
        rng = np.random.RandomState(seed)
        booster = fit(case, rng)
        for suffix in ("json", "ubj"):
            booster.save_model(str(folder / f"{name}.{suffix}"))
        expected = describe(booster, make_rows(rng, UNSEEN, case), case)
        (folder / f"{name}.expected.json").write_text(json.dumps(expected))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
