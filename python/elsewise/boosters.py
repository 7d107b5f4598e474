"""XGBoost and LightGBM as last estimators of a pipeline: their trees, from what the libraries themselves write as JSON.

    XGBoost     float32(x) < t  goes left, which is  float32(x) <= the number of float32 before t;  sums in float32, from the base score
    LightGBM    x <= t  goes left in float64;  sums in float64, in the order of the trees

Both are read by attributes: neither library is imported. Splits by sets of categories belong to models that were trained without a
pipeline before them: `models import` reads these.
"""

from __future__ import annotations

import json
from typing import Any, Callable, Dict, List, Tuple

import numpy as np

from .head import Head, UnsupportedEstimator, class_name, probabilities
from .tables import is_missing
from .trees import Tree, boosted_head

IMPORT = "save the model and run `elsewise models import FILE --from {0} --background CSV --output FILE`"
XGBOOST_IMPORT, LIGHTGBM_IMPORT = IMPORT.format("xgboost"), IMPORT.format("lightgbm")
DENSE = "takes the zeros of a sparse matrix as missing values: use ColumnTransformer(sparse_threshold=0) or OneHotEncoder(sparse_output=False)"


def _predictions(estimator: Any, rows: Any) -> np.ndarray:
    return np.asarray(estimator.predict(rows), dtype=float).reshape(-1, 1)


def _head(estimator: Any, trees: List[Tree], base: Any, link: str, outputs: int, **more: Any) -> Head:
    is_classifier = hasattr(estimator, "classes_")
    classes = np.asarray(estimator.classes_).tolist() if is_classifier else None
    score = probabilities if is_classifier else _predictions
    width = int(estimator.n_features_in_)
    base = np.broadcast_to(np.atleast_1d(np.asarray(base, dtype=float)), (outputs,)).copy()
    return boosted_head(trees, base, link, width, score=score, classes=classes, **more)


# ---------------------------------------------------------------------------------------------------------- XGBoost


def _logit(score: np.float32) -> float:
    one = np.float32(1)
    return float(np.float32(-np.log(np.float64(one / score - one))))


def _as_is(score: np.float32) -> float:
    return float(score)


# By objective: the link, and from a base score to its margin, in the library's float32.
XGBOOST_OBJECTIVES: Dict[str, Tuple[str, Callable[[np.float32], float]]] = {
    "binary:logistic": ("logit", _logit),
    **dict.fromkeys(("multi:softprob", "multi:softmax"), ("softmax", _as_is)),
    **dict.fromkeys(("reg:squarederror", "reg:absoluteerror", "reg:pseudohubererror", "reg:squaredlogerror"), ("identity", _as_is)),
    **dict.fromkeys(("count:poisson", "reg:gamma", "reg:tweedie"), ("exp", lambda score: float(np.float32(np.log(score))))),
}


def xgboost(estimator: Any, where: str) -> Head:
    if not is_missing(estimator.missing):
        raise UnsupportedEstimator(where, f"{class_name(estimator)}(missing={estimator.missing!r}): train with missing=nan")
    learner = json.loads(bytes(estimator.get_booster().save_raw("json")).decode())["learner"]
    booster, objective = learner["gradient_booster"], learner["objective"]["name"]
    if booster["name"] not in ("gbtree", "dart"):
        raise UnsupportedEstimator(where, f"the booster {booster['name']!r} has no trees: use LogisticRegression or Ridge")
    if objective not in XGBOOST_OBJECTIVES:
        raise UnsupportedEstimator(where, f"the objective {objective!r}; known are {', '.join(XGBOOST_OBJECTIVES)}: use one of these")
    forest = booster["gbtree"]["model"] if booster["name"] == "dart" else booster["model"]
    weights = booster.get("weight_drop") or [1.0] * len(forest["trees"])
    link, to_margin = XGBOOST_OBJECTIVES[objective]
    outputs = max(1, int(learner["learner_model_param"]["num_class"]))
    used = _used_trees(learner, forest, outputs)
    trees = [_xgboost_tree(tree, weight, where) for tree, weight in zip(forest["trees"][:used], weights)]
    scores = str(learner["learner_model_param"]["base_score"]).strip("[]").split(",")
    base = [to_margin(np.float32(score)) for score in scores]
    owners = forest["tree_info"][:used]
    more = {"owners": owners, "accumulate": "float32", "precision": "float32", "dense_only": DENSE}
    return _head(estimator, trees, base, link, outputs, **more)


def _used_trees(learner: Dict[str, Any], forest: Dict[str, Any], outputs: int) -> int:
    """All, or those up to the best iteration of a training that stopped early."""
    best = learner.get("attributes", {}).get("best_iteration")
    if best is None:
        return len(forest["trees"])
    ends, iteration = forest.get("iteration_indptr"), int(best) + 1
    if ends:
        return int(ends[iteration])
    return iteration * int(forest["gbtree_model_param"]["num_parallel_tree"]) * outputs


def _xgboost_tree(tree: Dict[str, Any], weight: float, where: str) -> Tree:
    if tree.get("categories_nodes"):
        raise UnsupportedEstimator(where, f"splits by categories of XGBoost: {XGBOOST_IMPORT}")
    left = np.array(tree["left_children"])
    leaf = left < 0
    conditions = np.array(tree["split_conditions"], dtype=np.float32)
    values = np.where(leaf, conditions * np.float32(weight), np.float32(0)).astype(float)
    below = np.nextafter(conditions, np.float32(-np.inf)).astype(float)
    return {
        "feature": np.where(leaf, 0, tree["split_indices"]).tolist(),
        "threshold": np.where(leaf, 0.0, below).tolist(),
        "left": np.where(leaf, -1, left).tolist(),
        "right": np.where(leaf, -1, tree["right_children"]).tolist(),
        "value": values[:, np.newaxis].tolist(),
        "comparison": "<=",
        "precision": "float32",
        "missing": ["left" if goes_left else "right" for goes_left in tree["default_left"]],
    }


# --------------------------------------------------------------------------------------------------------- LightGBM

LIGHTGBM_LINKS: Dict[str, str] = {
    **dict.fromkeys(("binary", "cross_entropy"), "logit"),
    "multiclass": "softmax",
    **dict.fromkeys(("regression", "regression_l1", "huber", "fair", "quantile", "mape"), "identity"),
    **dict.fromkeys(("poisson", "gamma", "tweedie"), "exp"),
}


def lightgbm(estimator: Any, where: str) -> Head:
    dump = estimator.booster_.dump_model(num_iteration=getattr(estimator, "best_iteration_", None) or -1)
    objective, *settings = dump["objective"].split(" ")
    if objective not in LIGHTGBM_LINKS or "sqrt" in settings:
        raise UnsupportedEstimator(where, f"the objective {dump['objective']!r}; known are {', '.join(LIGHTGBM_LINKS)}: use one of these")
    outputs = int(dump["num_tree_per_iteration"])
    sigmoid = next((float(setting[8:]) for setting in settings if setting.startswith("sigmoid:")), 1.0)
    divisor = len(dump["tree_info"]) / outputs if dump.get("average_output") else 1.0
    trees = [_lightgbm_tree(tree["tree_structure"], sigmoid / divisor, where) for tree in dump["tree_info"]]
    owners = [t % outputs for t in range(len(trees))]
    return _head(estimator, trees, 0.0, LIGHTGBM_LINKS[objective], outputs, owners=owners, accumulate="float64")


def _lightgbm_tree(structure: Dict[str, Any], scale: float, where: str) -> Tree:
    """Nodes in the order of a walk: a node, then all below its left child, then all below its right child."""
    tree: Tree = {key: [] for key in ("feature", "threshold", "left", "right", "value", "missing")}

    def add(node: Dict[str, Any]) -> int:
        place = len(tree["left"])
        split, side = _lightgbm_split(node, where) if "split_index" in node else (0.0, "right")
        is_leaf = "split_index" not in node
        for key, value in (("feature", 0 if is_leaf else node["split_feature"]), ("threshold", split), ("missing", side)):
            tree[key].append(value)
        tree["value"].append([node["leaf_value"] * scale if is_leaf else 0.0])
        tree["left"].append(-1)
        tree["right"].append(-1)
        if not is_leaf:
            tree["left"][place] = add(node["left_child"])
            tree["right"][place] = add(node["right_child"])
        elif "leaf_coeff" in node:
            raise UnsupportedEstimator(where, "linear trees of LightGBM: train with linear_tree=False")
        return place

    add(structure)
    return {**tree, "comparison": "<=", "precision": "float64"}


def _lightgbm_split(node: Dict[str, Any], where: str) -> Tuple[float, str]:
    if node["decision_type"] != "<=":
        raise UnsupportedEstimator(where, f"splits by categories of LightGBM: {LIGHTGBM_IMPORT}")
    threshold = float(node["threshold"])
    by_default = "left" if node["default_left"] else "right"
    if node["missing_type"] == "Zero":
        raise UnsupportedEstimator(where, "zeros as missing values of LightGBM: train with zero_as_missing=False")
    # Without missing values in training, a missing value counts as 0.
    return threshold, by_default if node["missing_type"] == "NaN" else ("left" if threshold >= 0 else "right")


BOOSTER_HEADS: Dict[str, Callable[[Any, str], Head]] = {
    **dict.fromkeys(("XGBClassifier", "XGBRegressor", "XGBRFClassifier", "XGBRFRegressor"), xgboost),
    **dict.fromkeys(("LGBMClassifier", "LGBMRegressor"), lightgbm),
}
