"""Trains the networks of the bench with scikit-learn, on data sets that come with it.

    python3 train_networks.py FOLDER

writes for each case FOLDER/CASE/model.json as export_sklearn writes it, policy.json, and rows.ndjson: rows that the network puts into
another class than the target. Each network has one hidden layer of relu units behind a scaler.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Callable, Dict, Tuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from export_sklearn import export_model, save

ROWS = 100
UNITS = (8, 32)
DEADLINE_MS = 2000

Rows = Tuple[np.ndarray, np.ndarray]


def two_classes(load: Callable[[], Any], wanted: int) -> Callable[[], Rows]:
    def read() -> Rows:
        bunch = load()
        return bunch.data, (bunch.target == wanted).astype(int)

    return read


def diabetes() -> Rows:
    """A progression below the median is wanted."""
    bunch = load_diabetes(scaled=False)
    return bunch.data, (bunch.target < np.median(bunch.target)).astype(int)


# name: (rows and labels, the wanted label being 1)
DATA: Dict[str, Callable[[], Rows]] = {
    "iris": two_classes(load_iris, 1),
    "diabetes": diabetes,
    "wine": two_classes(load_wine, 0),
    "cancer": two_classes(load_breast_cancer, 1),
}


def train(name: str, units: int, folder: Path) -> None:
    columns, labels = DATA[name]()
    network = MLPClassifier((units,), max_iter=3000, alpha=1e-3, random_state=1)
    model = make_pipeline(StandardScaler(), network).fit(columns, labels)
    names = [f"x{c}" for c in range(columns.shape[1])]
    document = export_model(
        model, name=folder.name, feature_names=names, class_names=["no", "yes"], X=columns, y=labels, background_rows=200, probes=10
    )
    folder.mkdir(parents=True, exist_ok=True)
    save(document, folder / "model.json")
    rejected = np.flatnonzero(model.predict(columns) == 0)[:ROWS]
    lines = [{"id": f"r-{row}", "features": dict(zip(names, columns[row].tolist()))} for row in rejected.tolist()]
    (folder / "rows.ndjson").write_text("".join(json.dumps(line) + "\n" for line in lines))
    policy = {
        "schema": "elsewise.policy/v1",
        "target": "yes",
        "cost": {"norm": "l1", "weights": "mad"},
        "deadlineMs": DEADLINE_MS,
    }
    (folder / "policy.json").write_text(json.dumps(policy) + "\n")


if __name__ == "__main__":
    for data in DATA:
        for units in UNITS:
            train(data, units, Path(sys.argv[1]) / f"{data}-{units}")
