"""The models of CatBoost, see fitting.py."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

import catboost
import numpy as np
import pandas as pd
from fitting import Answers, Case, decide, write_cases
from people import CATEGORIES, TRAINED, Data, choose_rows, make_labels, make_people, wealth

MISSING = Data(missing=True)
ONE_HOT = Data(missing=True, categories=True)
WIDE = {"one_hot_max_size": 20}

CASES: Dict[str, Case] = {
    "logloss": Case("SymmetricTree", "Logloss", target="binary"),
    "logloss-missing": Case("SymmetricTree", "Logloss", target="binary", data=MISSING),
    "logloss-nan-max": Case("SymmetricTree", "Logloss", {"nan_mode": "Max"}, "binary", MISSING, note="nan_mode Max"),
    "logloss-forbidden": Case("SymmetricTree", "Logloss", {"nan_mode": "Forbidden"}, "binary", note="nan_mode Forbidden"),
    "logloss-categories": Case("SymmetricTree", "Logloss", WIDE, "binary", ONE_HOT, note="one-hot"),
    "logloss-depthwise": Case("Depthwise", "Logloss", WIDE, "binary", ONE_HOT, note="one-hot"),
    "logloss-lossguide": Case("Lossguide", "Logloss", {**WIDE, "max_leaves": 9}, "binary", ONE_HOT, note="one-hot"),
    "logloss-early": Case("SymmetricTree", "Logloss", {"learning_rate": 1, "depth": 8}, "binary", rounds=60, stop_early=True, note="early stopping"),
    "logloss-deep": Case("SymmetricTree", "Logloss", {"depth": 12}, "binary", MISSING, rounds=3, note="depth 12"),
    "logloss-words": Case("SymmetricTree", "Logloss", {}, "words", MISSING, note="labels of text"),
    "cross-entropy": Case("SymmetricTree", "CrossEntropy", target="share", data=MISSING),
    "focal": Case("SymmetricTree", "Focal:focal_alpha=0.4;focal_gamma=2", target="binary", since=(1, 2, 2)),
    "multiclass": Case("SymmetricTree", "MultiClass", {}, "multi", MISSING),
    "multiclass-categories": Case("SymmetricTree", "MultiClass", WIDE, "multi", ONE_HOT, note="one-hot"),
    "multiclass-depthwise": Case("Depthwise", "MultiClass", {}, "multi", MISSING),
    "multiclass-words": Case("Lossguide", "MultiClass", WIDE, "three words", ONE_HOT, note="one-hot, labels of text"),
    "one-vs-all": Case("SymmetricTree", "MultiClassOneVsAll", WIDE, "multi", ONE_HOT, note="one-hot"),
    "rmse": Case("SymmetricTree", "RMSE", {}, data=MISSING),
    "rmse-categories": Case("SymmetricTree", "RMSE", WIDE, data=ONE_HOT, note="one-hot"),
    "rmse-lossguide": Case("Lossguide", "RMSE", {}, data=MISSING),
    "rmse-nan-max": Case("Depthwise", "RMSE", {"nan_mode": "Max"}, data=MISSING, note="nan_mode Max"),
    "rmse-scaled": Case("SymmetricTree", "RMSE", {}, data=MISSING, note="scale and bias"),
    "mae": Case("SymmetricTree", "MAE", {}, data=MISSING),
    "quantile": Case("SymmetricTree", "Quantile:alpha=0.8", {}, data=MISSING),
    "huber": Case("SymmetricTree", "Huber:delta=0.5", {}, data=MISSING),
    "expectile": Case("SymmetricTree", "Expectile:alpha=0.3", {}, data=MISSING),
    "lq": Case("SymmetricTree", "Lq:q=3", {}, data=MISSING),
    "mape": Case("SymmetricTree", "MAPE", {}, "positive", MISSING),
    "log-cosh": Case("SymmetricTree", "LogCosh", {}, data=MISSING),
    "log-lin-quantile": Case("SymmetricTree", "LogLinQuantile", {}, "positive", MISSING),
    "poisson": Case("SymmetricTree", "Poisson", {}, "count", MISSING),
    "tweedie": Case("SymmetricTree", "Tweedie:variance_power=1.3", {}, "count", MISSING),
    "cox": Case("SymmetricTree", "Cox", {}, "positive", MISSING),
    "survival-aft": Case("SymmetricTree", "SurvivalAft:dist=Normal", {}, "bounds", MISSING),
    "query-rmse": Case("SymmetricTree", "QueryRMSE", {}, "count", MISSING),
    "yeti-rank": Case("SymmetricTree", "YetiRank", {}, "count", MISSING),
    "multi-rmse": Case("SymmetricTree", "MultiRMSE", {}, "several", MISSING, output=1, note="output 1 of 3"),
    "multi-quantile": Case("SymmetricTree", "MultiQuantile:alpha=0.2,0.5,0.9", {}, data=MISSING, output=2, note="output 2 of 3"),
    "multi-logloss": Case("SymmetricTree", "MultiLogloss", {}, "labels", MISSING, output=0, note="output 0 of 3"),
    "multi-cross-entropy": Case("SymmetricTree", "MultiCrossEntropy", {}, "labels", MISSING, output=2, note="output 2 of 3"),
    "uncertainty": Case("SymmetricTree", "RMSEWithUncertainty", {}, data=MISSING, refused="RMSEWithUncertainty"),
    "ctrs": Case("SymmetricTree", "Logloss", {"one_hot_max_size": 2}, "binary", ONE_HOT, refused="one_hot_max_size", note="target statistics"),
    "threshold": Case("SymmetricTree", "Logloss", {}, "binary", refused="set_probability_threshold", note="probability threshold 0.3"),
}

WORDS = np.array(["refused", "unclear", "granted"])


def labels_of(case: Case, worth: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    if case.target == "words":
        return WORDS[2 * make_labels("binary", worth, rng)]
    if case.target == "three words":
        return WORDS[make_labels("multi", worth, rng)]
    if case.target == "bounds":
        positive = make_labels("positive", worth, rng)
        return np.stack([positive, np.where(positive > 1.2, -1, positive)], axis=1)
    return make_labels(case.target, worth, rng)


def to_pool(frame: pd.DataFrame, case: Case, labels: Optional[np.ndarray] = None) -> catboost.Pool:
    names = [name for name in CATEGORIES if name in frame]
    ranks = case.objective in ("QueryRMSE", "YetiRank")
    return catboost.Pool(frame, labels, cat_features=names, group_id=np.arange(len(frame)) // 20 if ranks else None)


def sample(case: Case, rng: np.random.RandomState) -> catboost.Pool:
    frame = make_people(rng, TRAINED, case.data)
    return to_pool(frame, case, labels_of(case, wealth(frame, rng), rng))


def train(case: Case, rng: np.random.RandomState) -> Tuple[catboost.CatBoost, catboost.Pool]:
    tree = {} if case.model == "Lossguide" else {"depth": 4}
    parameters = {"loss_function": case.objective, "grow_policy": case.model, "iterations": case.rounds, "learning_rate": 0.4, **tree}
    parameters.update(random_seed=1, thread_count=1, verbose=False, allow_writing_files=False, **case.parameters)
    has_threshold = case.note.startswith("probability")
    model = catboost.CatBoostClassifier(**parameters) if has_threshold else catboost.CatBoost(parameters)
    pool = sample(case, rng)
    model.fit(pool, **({"eval_set": sample(case, rng), "early_stopping_rounds": 3} if case.stop_early else {}))
    if case.note == "scale and bias":
        model.set_scale_and_bias(2.5, -0.75)
    if has_threshold:
        model.set_probability_threshold(0.3)
    return model, pool


def thresholds(model: Dict[str, Any]) -> Dict[str, List[float]]:
    infinite = 1e38
    return {f["feature_id"]: [b for b in f["borders"] if abs(b) < infinite] for f in model["features_info"]["float_features"]}


EXPONENTS = ("Poisson", "Tweedie", "LogLinQuantile")
PROBABILITIES = ("Logloss", "CrossEntropy", "Focal", "MultiClass", "MultiClassOneVsAll", "MultiLogloss", "MultiCrossEntropy")


def predict(model: catboost.CatBoost, pool: catboost.Pool, case: Case, kind: str) -> np.ndarray:
    predicted = np.asarray(model.predict(pool, prediction_type=kind))
    if case.output is not None:
        return predicted[:, case.output]
    return predicted[:, 1] if kind == "Probability" and predicted.shape[1] == 2 else predicted


def decisions(model: catboost.CatBoost, pool: catboost.Pool, case: Case, margins: np.ndarray) -> List[int]:
    """The library's own classes, where the model has names for them and not several labels."""
    classes = [] if case.output is not None else list(model.classes_)
    if not classes:
        return decide(margins)
    return [classes.index(label) for label in np.asarray(model.predict(pool, prediction_type="Class")).reshape(-1)]


def fit(name: str, case: Case, rng: np.random.RandomState, folder: Path, count: int) -> Tuple[List[str], Optional[Answers]]:
    model, pool = train(case, rng)
    files = [f"{name}.json", f"{name}.cbm"]
    model.save_model(str(folder / files[0]), format="json", pool=pool)
    model.save_model(str(folder / files[1]))
    if case.refused:
        return files, None
    rows = choose_rows(rng, count, case.data, thresholds(json.loads((folder / files[0]).read_text())))
    asked = to_pool(rows, case)
    loss = case.objective.split(":")[0]
    margins = predict(model, asked, case, "RawFormulaVal")
    kind = "Exponent" if loss in EXPONENTS else "Probability" if loss in PROBABILITIES else "RawFormulaVal"
    decided = decisions(model, asked, case, margins) if kind == "Probability" else None
    return files, Answers(rows, predict(model, asked, case, kind), margins, decided)


write_cases("catboost", catboost.__version__, CASES, fit)
