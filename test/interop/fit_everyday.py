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
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Dict, List

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

import numpy as np
import sklearn
from everyday_estimators import ELSEWHERE, REFUSED, WORKS, Entry
from elsewise.features import layout_of
from export_sklearn import export_model, save

FITTED, UNSEEN = 600, 1000
# How many of the unseen rows have an amount at a cut.
AT_CUTS = 300
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


def as_fitted(entry: Entry, X: np.ndarray) -> Any:
    """The rows in the form that the estimator was fitted on."""
    if not entry.framed:
        return X
    import pandas

    frame = pandas.DataFrame(X, columns=NAMES)
    return frame.astype({name: "float64" if i > 1 else "category" for i, name in enumerate(NAMES)})


def fit(entry: Entry) -> Any:
    X, wealth = table(entry.holes, entry.purposeless)
    X, y = chosen_columns(entry, X), target_of(entry, wealth)
    return entry.make().fit(as_fitted(entry, X[:FITTED]), y[:FITTED]), X, y


def exported(name: str, entry: Entry, estimator: Any, X: np.ndarray, y: np.ndarray) -> Dict[str, Any]:
    names = None if entry.framed else entry.columns or NAMES
    return export_model(estimator, name=name, feature_names=names, X=as_fitted(entry, X[:FITTED]), y=y[:FITTED])


def scores_of(estimator: Any, X: np.ndarray) -> List[List[float]]:
    if hasattr(estimator, "predict_proba"):
        return estimator.predict_proba(X).tolist()
    if not hasattr(estimator, "decision_function"):
        if hasattr(estimator, "classes_"):
            return shares_of_votes(estimator, X)
        return estimator.predict(X).reshape(-1, 1).tolist()
    decision = estimator.decision_function(X)
    return (np.column_stack([-decision, decision]) if decision.ndim == 1 else decision).tolist()


def shares_of_votes(estimator: Any, X: np.ndarray) -> List[List[float]]:
    """The part of a vote's members that is for each class."""
    votes = estimator.transform(X)
    return [[np.mean(row == k) for k in range(len(estimator.classes_))] for row in votes]


def as_sent(value: Any) -> Any:
    return None if isinstance(value, float) and value != value else value


def as_records(entry: Entry, X: np.ndarray) -> List[Dict[str, Any]]:
    return [dict(zip(entry.columns or NAMES, map(as_sent, row))) for row in X.tolist()]


@cache
def made(name: str) -> Any:
    """A fitted estimator, its rows, and its document."""
    entry = FITTED_HERE[name]
    estimator, X, y = fit(entry)
    return estimator, X, exported(name, entry, estimator, X, y)


def at_cuts(document: Dict[str, Any], X: np.ndarray) -> np.ndarray:
    """The rows, the last of them with an amount at a cut of a tree, or at the next double below or above."""
    cuts = cuts_of(document)
    random, rows = np.random.default_rng(1), X.copy()
    for i in range(len(rows) - AT_CUTS, len(rows)) if cuts else ():
        feature, cut = cuts[random.integers(len(cuts))]
        rows[i, feature] = float(random.choice([cut, np.nextafter(cut, -np.inf), np.nextafter(cut, np.inf)]))
    return rows


def cuts_of(document: Dict[str, Any]) -> List[Any]:
    """The splits on amounts, in the units of the data."""
    layout = layout_of(document["features"])
    parameters, steps = document["parameters"], document["preprocessing"]
    scale = next((step for step in steps if step["type"] == "scale"), {"mean": [0] * len(layout), "scale": [1] * len(layout)})
    if not {"tree", "trees"} & parameters.keys() or any(step["type"] not in ("impute", "scale") for step in steps):
        return []
    splits = []
    for tree in parameters.get("trees") or [parameters["tree"]]:
        for place, cut, left in zip(tree["feature"], tree["threshold"], tree["left"]):
            feature = layout[place][0]
            if left >= 0 and abs(cut) < 1e300 and document["features"][feature]["type"] == "continuous":
                splits.append((feature, cut * scale["scale"][place] + scale["mean"][place]))
    return splits


def run(name: str, entry: Entry, folder: Path) -> None:
    estimator, X, document = made(name)
    unseen = at_cuts(document, X[FITTED:])
    given = as_fitted(entry, unseen)
    expected = {
        "fitted": as_records(entry, X[:FITTED]),
        "rows": as_records(entry, unseen),
        "predictions": [str(p) for p in estimator.predict(given)] if entry.target != "number" else [],
        "scores": scores_of(estimator, given),
    }
    save(document, folder / f"{name}.model.json")
    (folder / f"{name}.expected.json").write_text(json.dumps(expected, allow_nan=False))
    (folder / f"{name}.pickle").write_bytes(pickle.dumps(estimator))


@cache
def refusal(name: str) -> Dict[str, Any]:
    entry = REFUSED[name]
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
        predicted = estimator.predict(as_fitted(entry, rows)).tolist() if len(answers) else []
        judged = predicted if entry.target == "number" else [str(p) for p in predicted]
        (folder / f"{name}.judged.json").write_text(json.dumps(judged))


def markdown() -> str:
    """The table of the documentation: what each estimator becomes, or what to do instead."""
    lines = ["| estimator | exported | becomes, or what to do instead |", "| --- | --- | --- |"]
    for name, entry in {**WORKS, **ELSEWHERE}.items():
        family = entry.becomes
        if name in FITTED_HERE:
            family = made(name)[2]["family"]
        lines.append(f"| {entry.title or name} | works | `{family}`{entry.note and ': ' + entry.note} |")
    for name, entry in REFUSED.items():
        reason = re.sub(r"^\S+: (\w+ is not supported as [a-z ]+: )?", "", refusal(name)["message"])
        lines.append(f"| {entry.title or name} | refused | {reason.replace('|', '/')} |")
    return "\n".join(lines)


OBJECTIVES = {"two": "two classes", "three": "three classes", "number": "regression"}


def cell(name: str, entry: Entry) -> Dict[str, Any]:
    """What a row of the matrix says of an estimator, but for its outcome."""
    kind = "numbers" if entry.columns else "text and numbers"
    data = kind + ", missing values" * (entry.holes or entry.purposeless)
    title = re.sub(r", three classes$", "", entry.title or re.sub("-.*", "", name))
    return {"library": "scikit-learn", "version": sklearn.__version__, "model": title, "objective": OBJECTIVES[entry.target], "data": data}


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
    (folder / "refusals.json").write_text(json.dumps({name: refusal(name) for name in REFUSED}))
    (folder / "table.md").write_text(markdown())
    (folder / "matrix.json").write_text(json.dumps({name: cell(name, entry) for name, entry in {**FITTED_HERE, **REFUSED}.items()}))


if __name__ == "__main__":
    main(sys.argv[1:])
