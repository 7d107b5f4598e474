"""The models of LightGBM, see fitting.py."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

import lightgbm as lgb
import numpy as np
import pandas as pd
from fitting import Answers, Case, decide, write_cases
from people import TRAINED, Data, choose_rows, make_labels, make_people, wealth, with_codes

MISSING = Data(missing=True)
SETS = Data(missing=True, categories=True)
CLASSES = {"num_class": 3}
BAGS = {"bagging_freq": 1, "bagging_fraction": 0.6}
FEW_CODES = {"min_data_per_group": 5, "cat_smooth": 1, "max_cat_to_onehot": 1}

CASES: Dict[str, Case] = {
    "binary": Case("gbdt", "binary", target="binary"),
    "binary-missing": Case("gbdt", "binary", target="binary", data=MISSING),
    "binary-no-missing": Case("gbdt", "binary", {"use_missing": False}, "binary", MISSING, note="use_missing=false"),
    "binary-zero": Case("gbdt", "binary", {"zero_as_missing": True}, "binary", MISSING, note="zero_as_missing"),
    "binary-zero-categories": Case("gbdt", "binary", {**FEW_CODES, "zero_as_missing": True}, "binary", SETS, note="zero_as_missing"),
    "binary-sets": Case("gbdt", "binary", FEW_CODES, "binary", SETS, note="sets"),
    "binary-one-hot": Case("gbdt", "binary", {**FEW_CODES, "max_cat_to_onehot": 99}, "binary", SETS, note="one-hot"),
    "binary-sigmoid": Case("gbdt", "binary", {"sigmoid": 2.5}, "binary", MISSING, note="sigmoid 2.5"),
    "binary-early": Case("gbdt", "binary", {"learning_rate": 1, "num_leaves": 31}, "binary", rounds=60, stop_early=True, note="early stopping"),
    "binary-from-zero": Case("gbdt", "binary", {"boost_from_average": False}, "binary", note="boost_from_average=false"),
    "dart": Case("dart", "binary", {"drop_rate": 0.5, "skip_drop": 0}, "binary", MISSING, rounds=15),
    "dart-multiclass": Case("dart", "multiclass", {**CLASSES, "drop_rate": 0.5}, "multi", MISSING),
    "rf": Case("rf", "binary", BAGS, "binary", MISSING),
    "rf-multiclass": Case("rf", "multiclass", {**BAGS, **CLASSES}, "multi", SETS, note="sets"),
    "rf-regression": Case("rf", "regression", BAGS, data=MISSING),
    "goss": Case("goss", "binary", {}, "binary", SETS, note="sets"),
    "goss-regression": Case("goss", "regression", data=MISSING),
    "multiclass": Case("gbdt", "multiclass", CLASSES, "multi", MISSING),
    "multiclass-sets": Case("gbdt", "multiclass", {**CLASSES, **FEW_CODES}, "multi", SETS, note="sets"),
    "multiclassova": Case("gbdt", "multiclassova", {**CLASSES, "sigmoid": 1.5}, "multi", MISSING, note="sigmoid 1.5"),
    "multiclassova-zero": Case("gbdt", "multiclassova", {**CLASSES, "zero_as_missing": True}, "multi", MISSING, note="zero_as_missing"),
    "cross-entropy": Case("gbdt", "cross_entropy", target="share", data=MISSING),
    "cross-entropy-lambda": Case("gbdt", "cross_entropy_lambda", target="share", data=MISSING),
    "regression": Case("gbdt", "regression", data=MISSING),
    "regression-sets": Case("gbdt", "regression", FEW_CODES, data=SETS, note="sets"),
    "regression-zero": Case("gbdt", "regression", {"zero_as_missing": True}, data=MISSING, note="zero_as_missing"),
    "regression-sqrt": Case("gbdt", "regression", {"reg_sqrt": True}, data=MISSING, note="reg_sqrt"),
    "regression-l1": Case("gbdt", "regression_l1", data=MISSING),
    "huber": Case("gbdt", "huber", data=MISSING),
    "fair": Case("gbdt", "fair", data=MISSING),
    "quantile": Case("gbdt", "quantile", {"alpha": 0.8}, data=MISSING),
    "mape": Case("gbdt", "mape", target="positive", data=MISSING),
    "poisson": Case("gbdt", "poisson", target="count", data=MISSING),
    "gamma": Case("gbdt", "gamma", target="positive", data=MISSING),
    "tweedie": Case("gbdt", "tweedie", {"tweedie_variance_power": 1.3}, "count", MISSING),
    "lambdarank": Case("gbdt", "lambdarank", target="count", data=MISSING),
    "xendcg": Case("gbdt", "rank_xendcg", target="count"),
    "linear-tree": Case("gbdt", "regression", {"linear_tree": True}, since=(3, 2), refused="linear trees", note="linear_tree"),
}


def sample(case: Case, rng: np.random.RandomState) -> lgb.Dataset:
    frame = make_people(rng, TRAINED, case.data)
    labels = make_labels(case.target, wealth(frame, rng), rng)
    group = [20] * (TRAINED // 20) if case.target == "count" and "rank" in case.objective or case.objective == "rank_xendcg" else None
    return lgb.Dataset(with_codes(frame), labels, group=group, params={"verbosity": -1}, free_raw_data=False)


def train(case: Case, rng: np.random.RandomState) -> lgb.Booster:
    parameters = {"num_leaves": 9, "min_data_in_leaf": 5, "learning_rate": 0.3, "seed": 1, "num_threads": 1, "verbosity": -1}
    parameters.update(boosting=case.model, objective=case.objective, **case.parameters)
    stopping = {}
    matrix = sample(case, rng)
    if case.stop_early:
        stopping = {"valid_sets": [sample(case, rng)], "callbacks": [lgb.early_stopping(3, verbose=False)]}
    return lgb.train(parameters, matrix, case.rounds, **stopping)


def thresholds(dump: Dict[str, Any]) -> Dict[str, List[float]]:
    """Of splits that are no sets, by feature."""
    found: Dict[str, List[float]] = {}
    open_nodes = [tree["tree_structure"] for tree in dump["tree_info"]]
    while open_nodes:
        node = open_nodes.pop()
        if "split_feature" not in node:
            continue
        if node["decision_type"] == "<=":
            found.setdefault(dump["feature_names"][node["split_feature"]], []).append(float(node["threshold"]))
        open_nodes += [node["left_child"], node["right_child"]]
    return found


def fit(name: str, case: Case, rng: np.random.RandomState, folder: Path, count: int) -> Tuple[List[str], Optional[Answers]]:
    booster = train(case, rng)
    files = [f"{name}.txt", f"{name}.dump.json"]
    booster.save_model(str(folder / files[0]))
    dump = booster.dump_model()
    (folder / files[1]).write_text(json.dumps(dump))
    if case.refused:
        # A dump of 3.2 does not say that its trees are linear.
        return files[: 1 if lgb.__version__.startswith("3.2.") else 2], None
    rows = choose_rows(rng, count, case.data, thresholds(dump))
    asked = with_codes(rows)
    sums, scores = booster.predict(asked, raw_score=True), booster.predict(asked)
    margins = sums * case.parameters.get("sigmoid", 1) / (booster.num_trees() / booster.num_model_per_iteration() if case.model == "rf" else 1)
    is_class = case.objective.startswith(("binary", "multi", "cross_entropy")) and case.objective != "cross_entropy_lambda"
    return files, Answers(rows, scores, margins, decide(margins) if is_class else None)


write_cases("lightgbm", lgb.__version__, CASES, fit)
