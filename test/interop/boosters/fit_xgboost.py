"""The models of XGBoost, see fitting.py."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

import numpy as np
import pandas as pd
import xgboost as xgb
from fitting import Answers, Case, decide, write_cases
from people import TRAINED, Data, choose_rows, make_labels, make_people, wealth, with_codes

VERSION = tuple(int(part) for part in xgb.__version__.split(".")[:2])
MISSING = Data(missing=True)
SETS = Data(missing=True, categories=True)
HIST = {"tree_method": "hist" if VERSION >= (1, 7) else "approx"}
CLASSES = {"num_class": 3}
DROP = {"booster": "dart", "rate_drop": 0.4}
LABELS = ("binary:hinge", "multi:softmax")

CASES: Dict[str, Case] = {
    "logistic": Case("gbtree", "binary:logistic", target="binary"),
    "logistic-missing": Case("gbtree", "binary:logistic", target="binary", data=MISSING),
    "logistic-base-score": Case("gbtree", "binary:logistic", {"base_score": 0.3}, "binary", note="base_score 0.3"),
    "logistic-early": Case("gbtree", "binary:logistic", {"eta": 1, "max_depth": 7}, "binary", rounds=60, stop_early=True, note="early stopping"),
    "logistic-forest": Case("gbtree", "binary:logistic", {"num_parallel_tree": 3, "subsample": 0.6}, "binary", note="parallel trees"),
    "logistic-exact": Case("gbtree", "binary:logistic", {"tree_method": "exact", "gamma": 1}, "binary", note="pruned"),
    "logistic-sets": Case("gbtree", "binary:logistic", {**HIST, "max_cat_to_onehot": 1}, "binary", SETS, (1, 6), note="sets"),
    "logistic-one-hot": Case("gbtree", "binary:logistic", {**HIST, "max_cat_to_onehot": 99}, "binary", SETS, (1, 6), note="one-hot"),
    "logitraw": Case("gbtree", "binary:logitraw", {"base_score": 0.3}, "binary", MISSING),
    "hinge": Case("gbtree", "binary:hinge", {}, "binary", MISSING),
    "softprob": Case("gbtree", "multi:softprob", CLASSES, "multi", MISSING),
    "softprob-sets": Case("gbtree", "multi:softprob", {**CLASSES, **HIST, "max_cat_to_onehot": 1}, "multi", SETS, (1, 6), note="sets"),
    "softmax": Case("gbtree", "multi:softmax", {**CLASSES, "num_parallel_tree": 2, "subsample": 0.7}, "multi", note="parallel trees"),
    "softprob-early": Case("gbtree", "multi:softprob", {**CLASSES, "eta": 1}, "multi", rounds=60, stop_early=True, note="early stopping"),
    "squarederror": Case("gbtree", "reg:squarederror", {"base_score": 7.25}, data=MISSING),
    "squarederror-sets": Case("gbtree", "reg:squarederror", {**HIST, "max_cat_to_onehot": 1}, data=SETS, since=(1, 6), note="sets"),
    "squaredlogerror": Case("gbtree", "reg:squaredlogerror", target="positive"),
    "pseudohubererror": Case("gbtree", "reg:pseudohubererror", data=MISSING, since=(1, 2)),
    "absoluteerror": Case("gbtree", "reg:absoluteerror", HIST, data=MISSING, since=(1, 7)),
    "quantileerror": Case("gbtree", "reg:quantileerror", {**HIST, "quantile_alpha": 0.8}, since=(2, 0)),
    "quantiles": Case("gbtree", "reg:quantileerror", {**HIST, "quantile_alpha": [0.2, 0.5, 0.8]}, since=(2, 0), output=2, note="output 2 of 3"),
    "reg-logistic": Case("gbtree", "reg:logistic", target="share", data=MISSING),
    "poisson": Case("gbtree", "count:poisson", {"base_score": 1.5}, "count", MISSING),
    "gamma": Case("gbtree", "reg:gamma", target="positive", data=MISSING),
    "tweedie": Case("gbtree", "reg:tweedie", {"tweedie_variance_power": 1.3}, "count", MISSING),
    "cox": Case("gbtree", "survival:cox", target="positive", data=MISSING),
    "aft": Case("gbtree", "survival:aft", {"aft_loss_distribution": "normal"}, "positive", MISSING, (1, 2)),
    "pairwise": Case("gbtree", "rank:pairwise", target="count", data=MISSING),
    "ndcg": Case("gbtree", "rank:ndcg", target="count"),
    "map": Case("gbtree", "rank:map", target="binary"),
    "dart": Case("dart", "binary:logistic", DROP, "binary", MISSING, rounds=15),
    "dart-forest": Case("dart", "binary:logistic", {**DROP, "normalize_type": "forest", "one_drop": 1}, "binary", rounds=15, note="normalize_type forest"),
    "dart-softprob": Case("dart", "multi:softprob", {**DROP, **CLASSES}, "multi", MISSING, rounds=15),
    "dart-squarederror": Case("dart", "reg:squarederror", {**DROP, "base_score": 0.7}, data=MISSING, rounds=15),
    "dart-poisson": Case("dart", "count:poisson", DROP, "count", rounds=15),
    "linear-logistic": Case("gblinear", "binary:logistic", {}, "binary", MISSING),
    "linear-logitraw": Case("gblinear", "binary:logitraw", {}, "binary"),
    "linear-softprob": Case("gblinear", "multi:softprob", CLASSES, "multi", MISSING),
    "linear-squarederror": Case("gblinear", "reg:squarederror", {"base_score": 1.5}, data=MISSING),
    "linear-poisson": Case("gblinear", "count:poisson", {"updater": "coord_descent"}, "count"),
    "linear-reg-logistic": Case("gblinear", "reg:logistic", {}, "share"),
    "targets": Case("gbtree", "reg:squarederror", HIST, "several", MISSING, (1, 6), output=1, note="output 1 of 3"),
    "labels": Case("gbtree", "binary:logistic", HIST, "labels", MISSING, (1, 6), output=0, note="output 0 of 3"),
    "vector-leaves": Case("gbtree", "reg:squarederror", {**HIST, "multi_strategy": "multi_output_tree"}, "several", MISSING, (2, 0), output=2, note="vector leaves, output 2 of 3"),
    "vector-classes": Case("gbtree", "multi:softprob", {**HIST, **CLASSES, "multi_strategy": "multi_output_tree"}, "multi", MISSING, (2, 0), note="vector leaves"),
    "binary-file": Case("gbtree", "binary:logistic", target="binary", until=(2, 1), refused="the old binary format", note="binary file"),
    "dump": Case("gbtree", "binary:logistic", target="binary", refused="dump_model", note="dump_model"),
    "several-outputs": Case("gbtree", "reg:squarederror", HIST, "several", since=(1, 6), refused="--output-index", note="no output named"),
}


def to_matrix(frame: pd.DataFrame, case: Case, labels: Optional[np.ndarray] = None) -> xgb.DMatrix:
    options = {"enable_categorical": True} if case.data.categories else {}
    matrix = xgb.DMatrix(with_codes(frame), **({} if labels is None else {"label": labels}), **options)
    if labels is not None and case.objective == "survival:aft":
        matrix.set_float_info("label_lower_bound", labels)
        matrix.set_float_info("label_upper_bound", np.where(labels > 1.2, np.inf, labels))
    if labels is not None and case.objective.startswith("rank:"):
        matrix.set_group([20] * (len(frame) // 20))
    return matrix


def train(case: Case, rng: np.random.RandomState) -> xgb.Booster:
    def sample() -> xgb.DMatrix:
        frame = make_people(rng, TRAINED, case.data)
        return to_matrix(frame, case, make_labels(case.target, wealth(frame, rng), rng))

    matrix = sample()
    stopping = {"evals": [(sample(), "unseen")], "early_stopping_rounds": 3, "verbose_eval": False} if case.stop_early else {}
    booster = {} if case.model == "dart" else {"booster": case.model}
    tree = {} if case.model == "gblinear" else {"max_depth": 4}
    parameters = {**tree, **booster, "eta": 0.4, "seed": 1, "nthread": 1, "verbosity": 0, "objective": case.objective, **case.parameters}
    return xgb.train(parameters, matrix, case.rounds, **stopping)


def thresholds(model: Dict[str, Any], columns: List[str]) -> Dict[str, List[float]]:
    """Of splits that are no sets, by feature."""
    found: Dict[str, List[float]] = {}
    booster = model["learner"]["gradient_booster"]
    for tree in booster.get("gbtree", booster)["model"].get("trees", []):
        sets = set(tree.get("categories_nodes", []))
        for node, left in enumerate(tree["left_children"]):
            if left >= 0 and node not in sets:
                found.setdefault(columns[tree["split_indices"][node]], []).append(tree["split_conditions"][node])
    return found


def predict(booster: xgb.Booster, matrix: xgb.DMatrix, case: Case, **options: Any) -> np.ndarray:
    if case.stop_early:
        best = booster.best_iteration + 1
        options.update({"iteration_range": (0, best)} if VERSION >= (1, 4) else {"ntree_limit": booster.best_ntree_limit})
    predicted = booster.predict(matrix, **options)
    return predicted if case.output is None else predicted[:, case.output]


def fit(name: str, case: Case, rng: np.random.RandomState, folder: Path, count: int) -> Tuple[List[str], Optional[Answers]]:
    booster = train(case, rng)
    if name == "dump":
        booster.dump_model(str(folder / "dump.json"), dump_format="json")
        return ["dump.json"], None
    endings = ["bin"] if name == "binary-file" else ["json", "ubj"] if VERSION >= (1, 6) else ["json"]
    files = [f"{name}.{ending}" for ending in endings]
    for file in files:
        booster.save_model(str(folder / file))
    if case.refused:
        return files, None
    found = thresholds(json.loads((folder / files[0]).read_text()), case.data.columns)
    rows = choose_rows(rng, count, case.data, found)
    matrix = to_matrix(rows, case)
    margins = predict(booster, matrix, case, output_margin=True)
    scores = predict(booster, matrix, case)
    if case.objective in LABELS:
        return files, Answers(rows, None, margins, scores.astype(int).tolist())
    is_class = case.objective.split(":")[0] in ("binary", "multi") or case.objective == "reg:logistic"
    return files, Answers(rows, scores, margins, decide(margins) if is_class else None)


write_cases("xgboost", xgb.__version__, CASES, fit)
