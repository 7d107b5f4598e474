"""Trains the tree ensembles of the bench with scikit-learn and XGBoost, on seeded data.

    python3 train_forests.py FOLDER

writes for each case FOLDER/CASE/rows.ndjson: people whom the model rejects and was not trained on; policy.json; and the
model: model.json as export_sklearn writes it, or, of XGBoost, model.xgboost.json as XGBoost saves it with about.json,
what a document has besides (features, classes, background, probes); forest-models.mjs puts those two together. And
FOLDER/large.xgboost.json, 500 trees of depth 8: a file to be imported.

The credit data are made up in the manner of the German ones: a person's unseen standing moves skewed amounts, codes, yes/no
and categories alike, the label depends on some of them and on much that nobody sees; three of ten are rejected.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Dict, List, Sequence, Tuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

import numpy as np
import xgboost as xgb
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

from export_sklearn import export_model, save

ROWS = 100
# So many that a measurement of rows per second takes seconds.
BULK_ROWS = 3000
SAMPLES = 200
PROBES = 25
QUANTILE_LEVELS = np.linspace(0, 1, 21)
REJECTED_SHARE = 0.3
CREDIT_CLASSES = ["rejected", "approved"]

# ------------------------------------------------------------------------------------------------------------- data


@dataclass
class Data:
    """Cells are by feature; a category is its position among the feature's categories. Label 1 is the wanted one."""

    features: List[Dict[str, Any]]
    classes: List[str]
    cells: np.ndarray
    labels: np.ndarray
    trained: np.ndarray

    def columns(self) -> np.ndarray:
        """What a model sees: a column for each category."""
        return np.column_stack([self._columns_of(f) for f in range(len(self.features))])

    def _columns_of(self, f: int) -> np.ndarray:
        categories = self.features[f].get("categories")
        return self.cells[:, f] if categories is None else self.cells[:, [f]] == np.arange(len(categories))

    def values(self, row: int) -> List[Any]:
        """A row as a document has it."""
        return [value_of(feature, cell) for feature, cell in zip(self.features, self.cells[row].tolist())]


def value_of(feature: Dict[str, Any], cell: float) -> Any:
    kinds: Dict[str, Callable[[float], Any]] = {
        "categorical": lambda code: feature["categories"][int(code)],
        "boolean": bool,
        "integer": int,
        "continuous": float,
    }
    return kinds[feature["type"]](cell)


Standing = np.ndarray
Column = Callable[[np.random.Generator, Standing], np.ndarray]


def amount(median: float, spread: float, pull: float, step: float = 1) -> Column:
    """Skewed: the logarithm is what is normal."""

    def draw(random: np.random.Generator, standing: Standing) -> np.ndarray:
        logarithm = np.log(median) + spread * (pull * standing + np.sqrt(1 - pull**2) * random.normal(size=len(standing)))
        return np.round(np.exp(logarithm) / step) * step

    return draw


def code(shares: Sequence[float], pull: float, first: int = 0) -> Column:
    """One of several, the later ones for people of high standing when `pull` is positive."""

    def draw(random: np.random.Generator, standing: Standing) -> np.ndarray:
        mixed = pull * standing + np.sqrt(1 - pull**2) * random.normal(size=len(standing))
        return first + np.searchsorted(np.quantile(mixed, np.cumsum(shares)[:-1] / np.sum(shares)), mixed)

    return draw


def yes(share: float, pull: float) -> Column:
    return code([1 - share, share], pull)


def categories(count: int, pull: float) -> Column:
    """In an order that says nothing."""

    def draw(random: np.random.Generator, standing: Standing) -> np.ndarray:
        shares = 1 / np.arange(1, count + 1)
        return random.permutation(count)[code(shares, pull)(random, standing)]

    return draw


# name: (type, column, weight in the label)
CreditColumn = Tuple[str, Column, float]

AMOUNTS: Dict[str, CreditColumn] = {
    "duration": ("integer", amount(18, 0.6, -0.3), -0.9),
    "amount": ("continuous", amount(2300, 0.8, -0.2), -0.5),
    "income": ("continuous", amount(2600, 0.45, 0.6, 10), 0.8),
    "debt": ("continuous", amount(1500, 1.0, -0.4, 10), -0.6),
    "age": ("integer", amount(34, 0.3, 0.2), 0.4),
    "months_employed": ("integer", amount(40, 0.9, 0.4), 0.4),
    "months_at_address": ("integer", amount(50, 0.8, 0.1), 0.1),
}
CODES: Dict[str, CreditColumn] = {
    "checking": ("integer", code([27, 27, 6, 40], 0.5), 1.1),
    "history": ("integer", code([4, 5, 53, 9, 29], 0.4), 0.7),
    "savings": ("integer", code([60, 10, 6, 5, 19], 0.4), 0.5),
    "rate": ("integer", code([14, 23, 16, 47], -0.2, first=1), -0.4),
    "job": ("integer", code([2, 20, 63, 15], 0.4), 0.1),
    "credits": ("integer", code([63, 33, 3, 1], 0.0, first=1), -0.1),
    "dependents": ("integer", code([84, 16], 0.0, first=1), 0.0),
    "skill": ("integer", code([20, 40, 30, 10], 0.3), 0.1),
}
SWITCHES: Dict[str, CreditColumn] = {
    "phone": ("boolean", yes(0.4, 0.3), 0.1),
    "foreign": ("boolean", yes(0.04, 0.0), -0.1),
    "guarantor": ("boolean", yes(0.1, 0.0), 0.4),
    "coapplicant": ("boolean", yes(0.06, 0.0), 0.0),
    "other_plans": ("boolean", yes(0.19, -0.2), -0.4),
    "insured": ("boolean", yes(0.3, 0.4), 0.2),
    "online": ("boolean", yes(0.5, 0.0), 0.0),
}
ONE_HOT_LIKE: Dict[str, CreditColumn] = {
    "car": ("boolean", yes(0.33, 0.0), 0.1),
    "furniture": ("boolean", yes(0.18, 0.0), -0.1),
    "television": ("boolean", yes(0.28, 0.1), 0.2),
    "business": ("boolean", yes(0.1, 0.1), -0.1),
    "owns_home": ("boolean", yes(0.7, 0.4), 0.4),
    "rents_home": ("boolean", yes(0.18, -0.3), -0.2),
}
CATEGORIES: Dict[str, CreditColumn] = {
    "purpose": ("categorical", categories(7, 0.1), 0.3),
    "housing": ("categorical", categories(3, 0.4), 0.4),
    "marital": ("categorical", categories(4, 0.1), 0.1),
    "region": ("categorical", categories(6, 0.2), 0.1),
    "sector": ("categorical", categories(8, 0.3), 0.2),
    "property": ("categorical", categories(4, 0.4), 0.3),
    "channel": ("categorical", categories(3, 0.0), 0.0),
    "bank": ("categorical", categories(5, 0.1), 0.1),
}
PLAIN_COLUMNS = {**AMOUNTS, **CODES, **SWITCHES, **ONE_HOT_LIKE}
LEFT_OUT = ["months_at_address", "skill", "online", "business"]
MIXED_COLUMNS = {**AMOUNTS, **CODES, **SWITCHES, **CATEGORIES}
FEW_COLUMNS = {**AMOUNTS, "checking": CODES["checking"]}
NOISE = 1.5


def credit(columns: Dict[str, CreditColumn], trained: int, others: int, seed: int) -> Data:
    random = np.random.default_rng(seed)
    count = trained + others
    standing = random.normal(size=count)
    cells = np.column_stack([draw(random, standing) for _, draw, _ in columns.values()]).astype(float)
    merit = NOISE * random.logistic(size=count)
    for f, (kind, _, weight) in enumerate(columns.values()):
        merit += weight * standardised(random, cells[:, f], kind)
    labels = (merit > np.quantile(merit, REJECTED_SHARE)).astype(int)
    features = [describe(name, kind, cells[:, f]) for f, (name, (kind, _, _)) in enumerate(columns.items())]
    return Data(features, CREDIT_CLASSES, cells, labels, np.arange(count) < trained)


def standardised(random: np.random.Generator, values: np.ndarray, kind: str) -> np.ndarray:
    """Of an amount the logarithm counts; of a category a number of its own."""
    if kind == "categorical":
        values = random.normal(size=int(values.max()) + 1)[values.astype(int)]
    elif values.max() > 10:
        values = np.log1p(values)
    return (values - values.mean()) / values.std()


def describe(name: str, kind: str, values: np.ndarray) -> Dict[str, Any]:
    if kind == "categorical":
        return {"name": name, "type": kind, "categories": [f"{name}-{k}" for k in range(int(values.max()) + 1)]}
    if kind == "boolean":
        return {"name": name, "type": kind}
    number = int if kind == "integer" else float
    return {"name": name, "type": kind, "min": number(values.min()), "max": number(values.max())}


def cancer() -> Data:
    """Half of either class is trained on, so that a hundred malignant ones are left."""
    bunch = load_breast_cancer()
    order = np.random.default_rng(1).permutation(len(bunch.target))
    cells, labels = bunch.data[order], bunch.target[order]
    trained = np.zeros(len(labels), dtype=bool)
    for label in (0, 1):
        own = np.flatnonzero(labels == label)
        trained[own[: len(own) // 2]] = True
    features = [{"name": str(name), "type": "continuous"} for name in bunch.feature_names]
    return Data(features, [str(name) for name in bunch.target_names], cells, labels, trained)


def wide() -> Data:
    cells, labels = make_classification(
        3000, 50, n_informative=15, n_redundant=10, weights=[REJECTED_SHARE], flip_y=0.05, random_state=1
    )
    features = [{"name": f"x{f}", "type": "continuous"} for f in range(50)]
    return Data(features, CREDIT_CLASSES, np.round(cells, 4), labels, np.arange(3000) < 2000)


# ----------------------------------------------------------------------------------------------------------- models


def forest(trees: int, depth: int) -> Any:
    return RandomForestClassifier(trees, max_depth=depth, random_state=1, n_jobs=1)


def boosting(trees: int, depth: int) -> Any:
    return GradientBoostingClassifier(n_estimators=trees, max_depth=depth, random_state=1)


def xgboosting(trees: int, depth: int) -> Any:
    return xgb.XGBClassifier(n_estimators=trees, max_depth=depth, learning_rate=0.1, random_state=1, n_jobs=1)


CREDIT_RULES: Dict[str, Dict[str, Any]] = {
    "age": {"change": "increase"},
    "foreign": {"change": "never"},
    "dependents": {"change": "never"},
    "marital": {"change": "never"},
    "history": {"change": "increase"},
    "months_employed": {"change": "increase", "step": 6},
    "duration": {"step": 3},
    "amount": {"step": 50},
}
PLAIN = lambda: credit(PLAIN_COLUMNS, 2000, 1000, seed=1)  # noqa: E731
SHORTER = lambda: credit({k: v for k, v in PLAIN_COLUMNS.items() if k not in LEFT_OUT}, 2000, 1000, seed=2)  # noqa: E731
MIXED = lambda: credit(MIXED_COLUMNS, 2000, 1500, seed=3)  # noqa: E731
FEW = lambda rows: lambda: credit(FEW_COLUMNS, 2000, rows, seed=4)  # noqa: E731


@dataclass
class Case:
    data: Callable[[], Data]
    estimator: Any
    rules: Dict[str, Dict[str, Any]]
    deadline_ms: int = 1000
    rows: int = ROWS


CASES: Dict[str, Case] = {
    "credit-rf": Case(PLAIN, forest(100, 8), CREDIT_RULES),
    "credit-rf5": Case(SHORTER, forest(100, 5), CREDIT_RULES),
    "credit-gb": Case(PLAIN, boosting(100, 5), CREDIT_RULES),
    "credit-xgb8": Case(MIXED, xgboosting(100, 6), CREDIT_RULES),
    "cancer-gb": Case(cancer, boosting(100, 3), {}),
    "cancer-rf": Case(cancer, forest(50, 5), {}, deadline_ms=10_000),
    "small": Case(FEW(1500), boosting(30, 4), CREDIT_RULES),
    "bulk": Case(FEW(25_000), xgboosting(120, 4), CREDIT_RULES, rows=BULK_ROWS),
    "wide": Case(wide, xgboosting(300, 6), {}, deadline_ms=300),
}

# ---------------------------------------------------------------------------------------------------------- writing


def train(name: str, folder: Path) -> None:
    case = CASES[name]
    data = case.data()
    columns = data.columns().astype(float)
    model = case.estimator.fit(columns[data.trained], data.labels[data.trained])
    folder.mkdir(parents=True, exist_ok=True)
    write = write_xgboost if isinstance(model, xgb.XGBClassifier) else write_sklearn
    write(name, folder, data, columns, model)
    predicted = model.predict(columns)
    rejected = np.flatnonzero((predicted == 0) & (data.labels == 0) & ~data.trained)[: case.rows]
    write_rows(folder / "rows.ndjson", data, rejected)
    write_json(folder / "policy.json", policy_of(name, case, data))
    agreed = (predicted == data.labels)[~data.trained].mean()
    print(f"{name}: {columns.shape[1]} columns, right about {agreed:.3f} of unseen rows, {len(rejected)} rows")


def write_sklearn(name: str, folder: Path, data: Data, columns: np.ndarray, model: Any) -> None:
    document = export_model(
        model,
        name=name,
        feature_names=[feature["name"] for feature in data.features],
        feature_types=[feature["type"] for feature in data.features],
        class_names=data.classes,
        X=columns[data.trained],
        y=data.labels[data.trained],
        background_rows=SAMPLES,
        probes=PROBES,
    )
    save({**document, "features": data.features}, folder / "model.json")


def write_xgboost(name: str, folder: Path, data: Data, columns: np.ndarray, model: Any) -> None:
    model.save_model(str(folder / "model.xgboost.json"))
    chosen = np.flatnonzero(data.trained)[:SAMPLES]
    probed = np.flatnonzero(~data.trained)[:PROBES]
    scores = model.predict_proba(columns[probed]).astype(float).tolist()
    about = {
        "name": name,
        "features": data.features,
        "classes": data.classes,
        "background": {
            **statistics(data),
            "samples": [data.values(row) for row in chosen],
            "labels": [data.classes[k] for k in model.predict(columns[chosen])],
        },
        "probes": {"rows": [data.values(row) for row in probed], "scores": scores, "precision": "float32"},
    }
    write_json(folder / "about.json", about)


def statistics(data: Data) -> Dict[str, Any]:
    numbers = {
        feature["name"]: data.cells[data.trained, f]
        for f, feature in enumerate(data.features)
        if feature["type"] != "categorical"
    }
    return {
        "mad": {name: float(np.median(np.abs(v - np.median(v)))) for name, v in numbers.items()},
        "std": {name: float(np.std(v)) for name, v in numbers.items()},
        "quantiles": {name: np.quantile(v, QUANTILE_LEVELS).tolist() for name, v in numbers.items()},
    }


def train_large(path: Path) -> None:
    random = np.random.default_rng(1)
    columns = random.normal(size=(8000, 30))
    labels = columns[:, 0] + columns[:, 1] * columns[:, 2] + random.logistic(size=len(columns)) > 0
    model = xgb.XGBClassifier(
        n_estimators=500, max_depth=8, learning_rate=0.05, min_child_weight=0, tree_method="hist", random_state=1
    )
    model.fit(columns, labels).save_model(str(path))


def policy_of(name: str, case: Case, data: Data) -> Dict[str, Any]:
    names = [feature["name"] for feature in data.features]
    return {
        "schema": "elsewise.policy/v1",
        "name": name,
        "target": data.classes[1],
        "cost": {"norm": "l1", "weights": "mad"},
        "features": {feature: rule for feature, rule in case.rules.items() if feature in names},
        "deadlineMs": case.deadline_ms,
    }


def write_rows(path: Path, data: Data, rows: np.ndarray) -> None:
    names = [feature["name"] for feature in data.features]
    lines = [{"id": f"r-{row}", "features": dict(zip(names, data.values(row)))} for row in rows.tolist()]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, allow_nan=False) + "\n")


if __name__ == "__main__":
    target = Path(sys.argv[1])
    for case_name in CASES:
        train(case_name, target / case_name)
    train_large(target / "large.xgboost.json")
