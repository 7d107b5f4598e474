"""One mixed table of everyday data and every estimator that scikit-learn's users reach for.

    python3 fit_everyday.py FOLDER          fits and exports: NAME.model.json, NAME.expected.json (scores of 1,000 unseen rows), refusals.json
    python3 fit_everyday.py FOLDER judge    reads NAME.answers.json, rows by feature, and writes what scikit-learn itself predicts for them
    python3 fit_everyday.py --table         prints the table of docs/scikit-learn.md
"""

from __future__ import annotations

import json
import pickle
import re
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Dict, List

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

import numpy as np
from everyday_estimators import ELSEWHERE, REFUSED, WORKS, Entry
from export_sklearn import export_model, save

FITTED, UNSEEN = 600, 1000
FITTED_HERE = {**WORKS, **(ELSEWHERE if find_spec("lightgbm") else {})}
NAMES = ["housing", "purpose", "age", "income", "debt", "loans", "guarantor"]


def table(holes: bool, purposeless: bool) -> Any:
    """Rows of the two kinds of text, whole numbers, amounts and a yes or no; and whether the loan was paid back."""
    random = np.random.default_rng(7)
    n = FITTED + UNSEEN
    X = np.empty((n, len(NAMES)), dtype=object)
    X[:, 0] = random.choice(["own", "rent", "free"], n, p=[0.5, 0.35, 0.15])
    X[:, 1] = random.choice(["car", "education", "furniture", "repairs"], n)
    X[:, 2] = random.integers(18, 80, n)
    X[:, 3] = np.round(random.gamma(4, 700, n), 2)
    X[:, 4] = np.round(random.gamma(2, 900, n), 2)
    X[:, 5] = random.integers(0, 5, n)
    X[:, 6] = random.integers(0, 2, n)
    wealth = X[:, 3].astype(float) - 0.5 * X[:, 4].astype(float) + 700 * (X[:, 0] == "own") - 250 * X[:, 5].astype(float)
    wealth = wealth + 300 * X[:, 6].astype(float) + random.normal(0, 300, n)
    if holes:
        for column in (3, 4):
            X[random.random(n) < 0.1, column] = float("nan")
    if purposeless:
        X[random.random(n) < 0.1, 1] = float("nan")
    return X, wealth


def target_of(entry: Entry, wealth: np.ndarray) -> np.ndarray:
    if entry.target == "number":
        return np.maximum(wealth, 1)
    if entry.target == "three":
        return np.digitize(wealth, np.quantile(wealth, [0.4, 0.75]))
    return (wealth > np.quantile(wealth, 0.6)).astype(int)


def chosen_columns(entry: Entry, X: np.ndarray) -> np.ndarray:
    chosen = X[:, [NAMES.index(name) for name in entry.columns or NAMES]]
    return chosen.astype(float) if entry.columns else chosen


def fit(entry: Entry) -> Any:
    X, wealth = table(entry.holes, entry.purposeless)
    X, y = chosen_columns(entry, X), target_of(entry, wealth)
    return entry.make().fit(X[:FITTED], y[:FITTED]), X, y


def exported(name: str, entry: Entry, estimator: Any, X: np.ndarray, y: np.ndarray) -> Dict[str, Any]:
    names = entry.columns or NAMES
    return export_model(estimator, name=name, feature_names=names, X=X[:FITTED], y=y[:FITTED])


def scores_of(estimator: Any, X: np.ndarray) -> List[List[float]]:
    if hasattr(estimator, "predict_proba"):
        return estimator.predict_proba(X).tolist()
    if not hasattr(estimator, "decision_function"):
        return estimator.predict(X).reshape(-1, 1).tolist()
    decision = estimator.decision_function(X)
    return (np.column_stack([-decision, decision]) if decision.ndim == 1 else decision).tolist()


def as_sent(value: Any) -> Any:
    return None if isinstance(value, float) and value != value else value


def as_records(entry: Entry, X: np.ndarray) -> List[Dict[str, Any]]:
    return [dict(zip(entry.columns or NAMES, map(as_sent, row))) for row in X.tolist()]


def run(name: str, entry: Entry, folder: Path) -> None:
    estimator, X, y = fit(entry)
    document = exported(name, entry, estimator, X, y)
    unseen = X[FITTED:]
    expected = {
        "fitted": as_records(entry, X[:FITTED]),
        "rows": as_records(entry, unseen),
        "predictions": [str(p) for p in estimator.predict(unseen)] if entry.target != "number" else [],
        "scores": scores_of(estimator, unseen),
    }
    save(document, folder / f"{name}.model.json")
    (folder / f"{name}.expected.json").write_text(json.dumps(expected, allow_nan=False))
    (folder / f"{name}.pickle").write_bytes(pickle.dumps(estimator))


def refusal(name: str, entry: Entry) -> Dict[str, Any]:
    estimator, X, y = fit(entry)
    try:
        exported("refused", entry, estimator, X, y)
    except ValueError as error:
        return {"type": type(error).__name__, "message": str(error)}
    return {"type": None, "message": "was not refused"}


def judge(folder: Path) -> None:
    """The answers as rows of the form the estimator was fitted on, and its own predictions for them."""
    for path in sorted(folder.glob("*.answers.json")):
        name = path.name[: -len(".answers.json")]
        entry, answers = FITTED_HERE[name], json.loads(path.read_text())
        estimator = pickle.loads((folder / f"{name}.pickle").read_bytes())
        cells = [[row[key] if row[key] is not None else float("nan") for key in entry.columns or NAMES] for row in answers]
        rows = np.array(cells, dtype=float if entry.columns else object).reshape(len(answers), -1)
        predicted = estimator.predict(rows).tolist() if len(answers) else []
        judged = predicted if entry.target == "number" else [str(p) for p in predicted]
        (folder / f"{name}.judged.json").write_text(json.dumps(judged))


def markdown() -> str:
    """The table of the documentation: what each estimator becomes, or what to do instead."""
    lines = ["| estimator | exported | becomes, or what to do instead |", "| --- | --- | --- |"]
    for name, entry in {**WORKS, **ELSEWHERE}.items():
        family = entry.becomes
        if name in FITTED_HERE:
            estimator, X, y = fit(entry)
            family = exported(name, entry, estimator, X, y)["family"]
        lines.append(f"| {entry.title or name} | works | `{family}`{entry.note and ': ' + entry.note} |")
    for name, entry in REFUSED.items():
        reason = re.sub(r"^\S+: (\w+ is not supported as [a-z ]+: )?", "", refusal(name, entry)["message"])
        lines.append(f"| {entry.title or name} | refused | {reason.replace('|', '/')} |")
    return "\n".join(lines)


def main(arguments: List[str]) -> None:
    warnings.simplefilter("ignore")  # convergence is not tested here
    if arguments == ["--table"]:
        print(markdown())
        return
    folder = Path(arguments[0])
    if arguments[1:] == ["judge"]:
        judge(folder)
        return
    for name, entry in FITTED_HERE.items():
        run(name, entry, folder)
    (folder / "refusals.json").write_text(json.dumps({name: refusal(name, entry) for name, entry in REFUSED.items()}))
    (folder / "table.md").write_text(markdown())


if __name__ == "__main__":
    main(sys.argv[1:])
