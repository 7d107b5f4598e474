"""Trees and their ensembles: as heads, and their scores from a document..

    decision-tree      the class shares, or the number, at the leaf that a row falls into
    tree-ensemble      mean of the leaves (forests), or base + their sum and a link (boosting)
    isolation-forest   minus offset, minus 2 to the power of -(mean of the leaves): positive for an inlier.
                       A leaf holds the length of its path, divided by the one expected for the rows of a tree

scikit-learn's own trees round a row to float32 and compare it with a threshold in float64; histogram boosting compares
in float64. Sums are made here, and by the loader, in the order in which scikit-learn makes them: they agree to the bit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from .head import (
    Head,
    Score,
    UnsupportedEstimator,
    class_name,
    fitted,
    fitted_numbers,
    probabilities,
    quietly,
    require_finite,
    softmax,
)

Tree = Dict[str, Any]

# Stands for a threshold of infinity, which JSON does not have: every number is below it, only a missing value is not.
LARGEST = float(np.finfo(float).max)
# How many points among the thresholds a row without X is mixed of.
CENTRES = 4
# A category of histogram boosting is a whole number below this.
CODES = 256
# An offset that is a quantile of scores is often the score of a row, which then is an inlier: whatever the last digit.
TIE = 1e-12
INLIER_NAMES = ["outlier", "inlier"]


@dataclass(frozen=True)
class TreeHead(Head):
    """A head of trees. Each split reads one input, so that inputs can be renumbered."""

    # Known codes of an input that is split by sets of categories.
    codes: Optional[Dict[int, List[int]]] = None
    # The only names that the classes can have, where the family has them.
    fixed_names: Optional[List[str]] = None
    # The library's own sum is no sum of these trees: their order is free.
    in_any_order: bool = False

    def on_inputs(self, places: Sequence[int], width: int) -> TreeHead:
        """The same trees, where input i has become input places[i] of `width`."""
        moved = np.array(places, dtype=int)
        codes = {places[i]: known for i, known in (self.codes or {}).items()}
        renumbered = self.with_trees(lambda tree: {**tree, "feature": _renumbered(tree, moved)})
        return replace(renumbered, centres=_among_thresholds(renumbered.trees, width), codes=codes)

    @property
    def trees(self) -> List[Tree]:
        return self.parameters["trees"] if "trees" in self.parameters else [self.parameters["tree"]]

    def refusing_missing(self) -> TreeHead:
        return self.with_trees(lambda tree: {**tree, "missing": "error"})

    def with_trees(self, change: Callable[[Tree], Tree]) -> TreeHead:
        parameters = dict(self.parameters)
        if "tree" in parameters:
            parameters["tree"] = change(parameters["tree"])
        else:
            parameters["trees"] = [change(tree) for tree in parameters["trees"]]
        return replace(self, parameters=parameters)


def _renumbered(tree: Tree, places: np.ndarray) -> List[int]:
    return np.where(np.array(tree["left"]) < 0, 0, places[tree["feature"]]).tolist()


def tree_head(
    family: str, parameters: Dict[str, Any], score: Score, classes: Optional[List[Any]], width: int, **more: Any
) -> TreeHead:
    trees = parameters["trees"] if "trees" in parameters else [parameters["tree"]]
    return TreeHead(family, parameters, score, classes, centres=_among_thresholds(trees, width), **more)


def _among_thresholds(trees: List[Tree], width: int) -> np.ndarray:
    """Points among the thresholds of each column and a little beyond: rows between them fall into different leaves."""
    random = np.random.default_rng(0)
    nodes = [np.column_stack([tree["feature"], tree["threshold"], tree["left"]]) for tree in trees]
    feature, threshold, left = np.concatenate(nodes).T
    centres = np.zeros((CENTRES, width))
    for column in range(width):
        own = threshold[(feature == column) & (left >= 0) & (np.abs(threshold) < LARGEST)]
        if len(own):
            low, high = own.min(), own.max()
            beyond = high - low or abs(low) or 1.0
            centres[:, column] = random.uniform(low - beyond, high + beyond, CENTRES)
    return centres


def _numbers(estimator: Any, rows: Any) -> np.ndarray:
    return np.asarray(estimator.predict(rows), dtype=float).reshape(-1, 1)


def _both_sides(estimator: Any, rows: Any) -> np.ndarray:
    decision = np.asarray(estimator.decision_function(rows), dtype=float)
    return np.column_stack([-decision, decision])


# --------------------------------------------------------------------------------------------------- trees, forests


def is_classifier(estimator: Any) -> bool:
    return class_name(estimator).endswith("Classifier")


def single_tree(estimator: Any, where: str) -> TreeHead:
    fitted(estimator, "tree_", where)
    _refuse_several_outputs(estimator, where)
    tree = _tree(estimator, _leaf_values(estimator, where), takes_missing(estimator))
    task = "classification" if is_classifier(estimator) else "regression"
    return tree_head("decision-tree", {"tree": tree, "task": task}, *_asked(estimator))


def forest(estimator: Any, where: str) -> TreeHead:
    members = fitted(estimator, "estimators_", where)
    _refuse_several_outputs(estimator, where)
    missing = takes_missing(estimator)
    trees = [_tree(m, _leaf_values(m, f"{where}.estimators_[{i}]"), missing) for i, m in enumerate(members)]
    parameters = {"trees": trees, "aggregation": "mean", "link": "identity"}
    return tree_head("tree-ensemble", parameters, *_asked(estimator))


def _asked(estimator: Any) -> Tuple[Score, Optional[List[Any]], int]:
    """How it is asked for its scores, its classes, and how many inputs it has."""
    if is_classifier(estimator):
        return probabilities, np.asarray(estimator.classes_).tolist(), int(estimator.n_features_in_)
    return _numbers, None, int(estimator.n_features_in_)


def _refuse_several_outputs(estimator: Any, where: str) -> None:
    if estimator.n_outputs_ != 1:
        reason = f"{class_name(estimator)} with {estimator.n_outputs_} outputs is not supported: fit an estimator for each output"
        raise UnsupportedEstimator(where, reason)


def takes_missing(estimator: Any) -> bool:
    """Newer trees know where a missing value goes, but not all estimators made of them let it pass: so ask."""
    try:
        quietly(estimator.predict, np.full((1, estimator.n_features_in_), np.nan))
    except ValueError:
        return False
    return True


def _leaf_values(estimator: Any, where: str) -> np.ndarray:
    """Outputs by node: class shares (class weights are in them), or one number."""
    values = np.asarray(estimator.tree_.value, dtype=float)[:, 0]
    require_finite(values.tolist(), f"{where}.tree_.value")
    if not is_classifier(estimator):
        return values
    total = values.sum(axis=1, keepdims=True)
    # Since scikit-learn 1.3 they are shares already, and are not divided again: nor here, to the last bit.
    if np.allclose(total, 1, rtol=0, atol=1e-9):
        return values
    return values / np.where(total == 0, 1, total)


def _tree(estimator: Any, values: np.ndarray, missing: bool, features: Optional[np.ndarray] = None) -> Tree:
    """A tree of sklearn.tree; `features`: the column that it knows as its i-th, if they are not the same."""
    tree = estimator.tree_
    feature = np.asarray(tree.feature)
    leaf = np.asarray(tree.children_left) < 0
    if features is not None:
        feature = np.asarray(features)[np.where(leaf, 0, feature)]
    return {
        "feature": np.where(leaf, 0, feature).tolist(),
        "threshold": _thresholds(tree.threshold, leaf),
        "left": np.asarray(tree.children_left).tolist(),
        "right": np.asarray(tree.children_right).tolist(),
        "value": _at_leaves(values, leaf),
        "comparison": "<=",
        "precision": "float32",
        "missing": _sides(tree.missing_go_to_left) if missing else "error",
    }


def _thresholds(thresholds: Any, leaf: np.ndarray) -> List[float]:
    # min: a split into missing values and all others has the threshold infinity.
    return np.where(leaf, 0.0, np.minimum(np.asarray(thresholds, dtype=float), LARGEST)).tolist()


def _at_leaves(values: np.ndarray, leaf: np.ndarray) -> List[List[float]]:
    """Nothing reads the values of inner nodes; zeros are shorter."""
    return np.where(leaf[:, np.newaxis], values, 0.0).tolist()


def _sides(goes_left: Any) -> List[str]:
    return ["left" if left else "right" for left in np.asarray(goes_left).tolist()]


# --------------------------------------------------------------------------------------------------------- boosting

# Losses of classifiers by what their sum of trees is multiplied with before the sigmoid, or softmax.
CLASSIFIER_LOSSES: Dict[str, Dict[str, float]] = {
    "GradientBoostingClassifier": {"log_loss": 1.0, "deviance": 1.0, "exponential": 2.0},
    "HistGradientBoostingClassifier": dict.fromkeys(
        ("log_loss", "auto", "binary_crossentropy", "categorical_crossentropy"), 1.0
    ),
}

# Losses of regressors by the link, under their present and their former names.
IDENTITY_LOSSES = (
    *("squared_error", "absolute_error", "huber", "quantile"),
    *("ls", "lad", "least_squares", "least_absolute_deviation"),
)
REGRESSOR_LINKS: Dict[str, str] = {
    **dict.fromkeys(IDENTITY_LOSSES, "identity"),
    **dict.fromkeys(("poisson", "gamma"), "exp"),
}


def gradient_boosting(estimator: Any, where: str) -> TreeHead:
    stages = np.asarray(fitted(estimator, "estimators_", where))
    link, factor = _link(estimator, where)
    base = factor * _initial(estimator, stages.shape[1], where)
    missing = takes_missing(estimator)
    rate = factor * estimator.learning_rate
    trees = [_tree(member, rate * member.tree_.value[:, 0], missing) for member in stages.ravel()]
    return _boosted(estimator, trees, base, link, where)


def _link(estimator: Any, where: str) -> Tuple[str, float]:
    kind, loss = class_name(estimator), estimator.loss
    if not is_classifier(estimator):
        return _of_loss(REGRESSOR_LINKS, kind, loss, where), 1.0
    factor = _of_loss(CLASSIFIER_LOSSES[kind], kind, loss, where)
    return ("logit" if len(estimator.classes_) == 2 else "softmax"), factor


def _of_loss(table: Dict[str, Any], kind: str, loss: Any, where: str) -> Any:
    # In some versions a loss may be an object of the caller's.
    if not isinstance(loss, str) or loss not in table:
        shown = loss if isinstance(loss, str) else class_name(loss)
        raise UnsupportedEstimator(where, f"{kind}(loss={shown!r}) is not supported; supported are {', '.join(table)}")
    return table[loss]


def _initial(estimator: Any, outputs: int, where: str) -> np.ndarray:
    """What the sum of trees starts from, by output: only a constant can be written down."""
    init = fitted(estimator, "init_", where)
    if isinstance(init, str) and init == "zero":
        return np.zeros(outputs)
    kind = class_name(init)
    if kind not in ("DummyClassifier", "DummyRegressor"):
        reason = f"{kind} is not supported to start from: fit with init=None or 'zero'"
        raise UnsupportedEstimator(f"{where}.init", reason)
    if init.strategy == "stratified":
        raise UnsupportedEstimator(f"{where}.init", "DummyClassifier(strategy='stratified') starts from random numbers")
    # Newer versions centre the logarithms of several shares, so ask.
    row = np.zeros((1, estimator.n_features_in_))
    return np.asarray(quietly(estimator._raw_predict_init, row), dtype=float).ravel()


def _boosted(estimator: Any, trees: List[Tree], base: np.ndarray, link: str, where: str, **more: Any) -> TreeHead:
    """Trees in the order of stages, and within one of outputs: so does scikit-learn add them up."""
    require_finite(base.tolist(), f"{where}: the start of the sum")
    parameters = {"trees": trees, "aggregation": "sum", "base": base.tolist(), "link": link}
    if len(base) > 1:
        parameters["treeClass"] = [i % len(base) for i in range(len(trees))]
    return tree_head("tree-ensemble", parameters, *_asked(estimator), **more)


def boosted_head(
    trees: List[Tree], base: np.ndarray, link: str, width: int, *, owners: Sequence[int], accumulate: str, **more: Any
) -> TreeHead:
    """base + the sum of trees, each of which adds to the output that owns it."""
    parameters = {"trees": trees, "aggregation": "sum", "base": base.tolist(), "link": link, "accumulate": accumulate}
    if len(base) > 1:
        parameters["treeClass"] = list(owners)
    return TreeHead("tree-ensemble", parameters, centres=_among_thresholds(trees, width), **more)


def histogram_boosting(estimator: Any, where: str) -> TreeHead:
    stages = fitted(estimator, "_predictors", where)
    link, factor = _link(estimator, where)
    base = factor * np.atleast_1d(fitted_numbers(estimator, "_baseline_prediction", where)).ravel()
    codes = _known_codes(estimator)
    trees = [_histogram_tree(predictor, codes) for stage in stages for predictor in stage]
    return _boosted(estimator, trees, base, link, where, codes=codes)


def _known_codes(estimator: Any) -> Dict[int, List[int]]:
    """By column that is split by sets: the categories that there were in training."""
    # Newer versions put the columns of categories first.
    categorical = getattr(estimator, "_is_categorical_remapped", getattr(estimator, "is_categorical_", None))
    columns = [] if categorical is None else np.flatnonzero(categorical).tolist()
    # For such a column these are no thresholds but the values themselves.
    values = estimator._bin_mapper.bin_thresholds_
    return {column: sorted(int(value) for value in values[column]) for column in columns}


def _histogram_tree(predictor: Any, codes: Dict[int, List[int]]) -> Tree:
    nodes = predictor.nodes
    leaf = nodes["is_leaf"].astype(bool)
    tree = {
        "feature": np.where(leaf, 0, nodes["feature_idx"]).tolist(),
        "threshold": _thresholds(nodes["num_threshold"], leaf),
        "left": np.where(leaf, -1, nodes["left"].astype(int)).tolist(),
        "right": np.where(leaf, -1, nodes["right"].astype(int)).tolist(),
        "value": _at_leaves(nodes["value"][:, np.newaxis], leaf),
        "comparison": "<=",
        "precision": "float64",
        "missing": _sides(nodes["missing_go_to_left"]),
    }
    if not (nodes["is_categorical"].astype(bool) & ~leaf).any():
        return tree
    sets = [_left_codes(predictor, node, codes) if c else None for node, c in zip(nodes, nodes["is_categorical"])]
    return {**tree, "categories": sets}


def _left_codes(predictor: Any, node: Any, codes: Dict[int, List[int]]) -> List[int]:
    """The categories that go left. Those that training has not seen go where missing values go."""
    words = predictor.raw_left_cat_bitsets[node["bitset_idx"]].tolist()
    left = {code for code in range(CODES) if words[code // 32] >> code % 32 & 1}
    if node["missing_go_to_left"]:
        left |= set(range(CODES)).difference(codes[int(node["feature_idx"])])
    return sorted(left)


# ---------------------------------------------------------------------------------------------------- step functions

# A column, its cuts, and the values between them: a row of outputs for each interval.
StepFunction = Tuple[int, Sequence[float], np.ndarray]


def step_sum(steps: Sequence[StepFunction], base: np.ndarray, link: str, width: int, grids: Sequence[Tree] = (), **more: Any) -> TreeHead:
    """base + Σ_s v_s(x_column) over step functions: a tree for each, whose leaves hold all outputs. `grids`: further trees."""
    trees = [step_tree(*step) for step in steps] + list(grids)
    parameters: Dict[str, Any] = {"trees": trees, "aggregation": "sum", "base": base.tolist(), "link": link}
    return TreeHead("tree-ensemble", parameters, centres=_among_thresholds(trees, width), **more)


def step_tree(column: int, cuts: Sequence[float], values: np.ndarray) -> Tree:
    tree = _Growing(values.shape[1])
    tree.chain(column, cuts, lambda k: tree.leaf(values[k]), 0, len(values))
    return tree.grown()


def grid_tree(first: Tuple[int, Any, Any], second: Tuple[int, Any, Any], weights: np.ndarray) -> Tree:
    """weights * v(x_a) * u(x_b)  of two step functions (column, cuts, values): the cuts of b below each value of v."""
    (a, cuts, values), (b, own_cuts, own_values) = first, second
    tree = _Growing(len(weights))
    below = lambda i: tree.chain(b, own_cuts, lambda k: tree.leaf(weights * values[i] * own_values[k]), 0, len(own_values))  # noqa: E731
    tree.chain(a, cuts, below, 0, len(values))
    return tree.grown()


class _Growing:
    """A tree that is put together from its root."""

    def __init__(self, outputs: int):
        self.nodes: Tree = {key: [] for key in ("feature", "threshold", "left", "right", "value")}
        self.nothing = [0.0] * outputs

    def leaf(self, outputs: np.ndarray) -> int:
        return self._node(0, 0.0, outputs.tolist())

    def split(self, column: int, cut: float, low: Callable[[], int], high: Callable[[], int]) -> int:
        place = self._node(column, cut, self.nothing)
        self.nodes["left"][place], self.nodes["right"][place] = low(), high()
        return place

    def chain(self, column: int, cuts: Sequence[float], ends: Callable[[int], int], low: int, high: int) -> int:
        """The values low to high - 1 of a step function, halved until one is left."""
        if high - low == 1:
            return ends(low)
        middle = (low + high) // 2
        below, above = ((lambda i, k: lambda: self.chain(column, cuts, ends, i, k))(*part) for part in ((low, middle), (middle, high)))
        return self.split(column, float(cuts[middle - 1]), below, above)

    def grown(self, missing: Any = "error") -> Tree:
        return {**self.nodes, "comparison": "<=", "precision": "float64", "missing": missing}

    def _node(self, column: int, cut: float, value: List[float]) -> int:
        for key, entry in (("feature", column), ("threshold", cut), ("left", -1), ("right", -1), ("value", value)):
            self.nodes[key].append(entry)
        return len(self.nodes["left"]) - 1


def joined(head: TreeHead) -> TreeHead:
    """One tree for each input instead of several, where each tree reads one input and the library keeps no order of the sum."""
    if not head.in_any_order:
        return head
    own: Dict[int, List[Tree]] = {}
    for tree in head.trees:
        own.setdefault(next(f for f, left in zip(tree["feature"], tree["left"]) if left >= 0), []).append(tree)
    return replace(head, parameters={**head.parameters, "trees": [_joined(column, own[column]) for column in sorted(own)]})


def _joined(column: int, trees: List[Tree]) -> Tree:
    thresholds = {t for tree in trees for t, left in zip(tree["threshold"], tree["left"]) if left >= 0 and abs(t) < LARGEST}
    cuts = sorted(thresholds)
    inputs = np.zeros((len(cuts) + 2, column + 1))
    inputs[:, column] = [*cuts, LARGEST, np.nan]
    *values, absent = _summed(trees, inputs)
    if np.isnan(absent).any():
        return step_tree(column, cuts, np.array(values))
    # A missing value has a leaf of its own: no number goes left at the first split.
    tree = _Growing(len(absent))
    numbers = lambda: tree.chain(column, cuts, lambda k: tree.leaf(values[k]), 0, len(values))  # noqa: E731
    tree.split(column, -LARGEST, lambda: tree.leaf(absent), numbers)
    return tree.grown(["left", *["right"] * (len(tree.nodes["left"]) - 1)])


# -------------------------------------------------------------------------------------------------- isolation forest


def isolation_forest(estimator: Any, where: str) -> TreeHead:
    members = fitted(estimator, "estimators_", where)
    width = int(estimator.n_features_in_)
    missing = takes_missing(estimator)
    expected = _expected_path(np.array([estimator.max_samples_]))[0]
    if not expected > 0:
        raise UnsupportedEstimator(where, "IsolationForest with one row per tree tells no rows apart")
    trees = []
    for member, columns in zip(members, estimator.estimators_features_):
        # With all columns at hand scikit-learn uses them in their own order, whatever is listed.
        chosen = columns if len(columns) != width else None
        trees.append(_tree(member, _path_lengths(member.tree_)[:, np.newaxis] / expected, missing, chosen))
    parameters = {"trees": trees, "offset": float(estimator.offset_) - TIE}
    return tree_head("isolation-forest", parameters, _both_sides, [-1, 1], width, fixed_names=INLIER_NAMES)


def _path_lengths(tree: Any) -> np.ndarray:
    """By node: its depth, and the path that would be expected if its rows were split further."""
    depth = np.zeros(tree.node_count)
    for node in range(tree.node_count):  # a child comes after its parent
        for child in (tree.children_left[node], tree.children_right[node]):
            if child >= 0:
                depth[child] = depth[node] + 1
    return depth + _expected_path(np.asarray(tree.n_node_samples))


def _expected_path(samples: np.ndarray) -> np.ndarray:
    """Of an unsuccessful search in a binary tree of so many samples: 2 H(n - 1) - 2 (n - 1) / n, H by its logarithm."""
    n = np.maximum(samples, 3).astype(float)
    many = 2 * (np.log(n - 1) + np.euler_gamma) - 2 * (n - 1) / n
    return np.where(samples <= 1, 0.0, np.where(samples == 2, 1.0, many))


# -------------------------------------------------------------------------------------------- scores from a document


def _outputs(tree: Tree, inputs: np.ndarray) -> np.ndarray:
    """[row][output] of the leaf that each row falls into; NaN where a split meets a missing value it has no way for."""
    feature, left, right = (np.array(tree[key], dtype=int) for key in ("feature", "left", "right"))
    threshold, values = np.array(tree["threshold"], dtype=float), np.array(tree["value"], dtype=float)
    sets = {n: codes for n, codes in enumerate(tree.get("categories", [])) if codes is not None}
    missing = tree["missing"]
    missing_left = np.array([missing] * len(left) if isinstance(missing, str) else missing) == "left"
    with np.errstate(over="ignore"):
        cells = inputs.astype(np.float32).astype(float) if tree["precision"] == "float32" else inputs
    at, lost = np.zeros(len(inputs), dtype=int), np.zeros(len(inputs), dtype=bool)
    while (left[at] >= 0).any():
        rows = np.flatnonzero(left[at] >= 0)
        nodes = at[rows]
        cell = cells[rows, feature[nodes]]
        goes_left = cell < threshold[nodes] if tree["comparison"] == "<" else cell <= threshold[nodes]
        for node in sets.keys() & set(nodes.tolist()):
            goes_left[nodes == node] = np.isin(cell[nodes == node], sets[node])
        absent = np.isnan(cell)
        goes_left = np.where(absent, missing_left[nodes], goes_left)
        lost[rows] |= absent & (missing == "error" if isinstance(missing, str) else False)
        at[rows] = np.where(goes_left, left[nodes], right[nodes])
    return np.where(lost[:, np.newaxis], np.nan, values[at])


def _summed(
    trees: List[Tree], inputs: np.ndarray, base: Any = 0.0, owners: Optional[List[int]] = None, accumulate: str = "float64"
) -> np.ndarray:
    """Added up tree by tree: in another order the last digits would be others."""
    base = np.atleast_1d(np.asarray(base, dtype=accumulate))
    outputs = len(base) if owners is not None else len(trees[0]["value"][0])
    total = np.tile(np.broadcast_to(base, (outputs,)), (len(inputs), 1))
    for i, tree in enumerate(trees):
        if owners is None:
            total += _outputs(tree, inputs).astype(accumulate)
        else:
            total[:, owners[i]] += _outputs(tree, inputs)[:, 0].astype(accumulate)
    return total.astype(float)


def _ensemble_scores(parameters: Dict[str, Any], inputs: np.ndarray) -> np.ndarray:
    trees = parameters["trees"]
    accumulate = parameters.get("accumulate", "float64")
    if "members" in parameters:
        return LINKS[parameters["link"]](_weighted_mean(trees, parameters["members"], inputs))
    total = _summed(trees, inputs, parameters.get("base", 0.0), parameters.get("treeClass"), accumulate)
    scores = LINKS[parameters["link"]](total / len(trees) if parameters["aggregation"] == "mean" else total)
    is_one_sum = scores.shape[1] == 1 and len(parameters.get("classes", [])) == 2
    return np.column_stack([-scores, scores]) if is_one_sum else scores


def _weighted_mean(trees: List[Tree], members: List[Dict[str, Any]], inputs: np.ndarray) -> np.ndarray:
    total, first = 0.0, 0
    for member in members:
        own = trees[first : first + member["trees"]]
        total, first = total + _summed(own, inputs) / len(own) * member["weight"], first + len(own)
    return total / sum(member["weight"] for member in members)


def _isolation_scores(parameters: Dict[str, Any], inputs: np.ndarray) -> np.ndarray:
    mean = _summed(parameters["trees"], inputs)[:, 0] / len(parameters["trees"])
    decision = -(2.0**-mean) - parameters["offset"]
    return np.column_stack([-decision, decision])


def _logit_link(z: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):  # e^-z may be infinite; the quotient is then 0, as it should
        probability = 1 / (1 + np.exp(-z[:, 0]))
    return np.column_stack([1 - probability, probability])


LINKS: Dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "identity": lambda z: z,
    "logit": _logit_link,
    "softmax": softmax,
    "exp": np.exp,
}


# ------------------------------------------------------------------------------------------- what the exporter adds

TREE_HEADS: Dict[str, Callable[[Any, str], Head]] = {
    **{f"{kind}{task}": single_tree for kind in ("DecisionTree", "ExtraTree") for task in ("Classifier", "Regressor")},
    **{f"{kind}{task}": forest for kind in ("RandomForest", "ExtraTrees") for task in ("Classifier", "Regressor")},
    **{f"GradientBoosting{task}": gradient_boosting for task in ("Classifier", "Regressor")},
    **{f"HistGradientBoosting{task}": histogram_boosting for task in ("Classifier", "Regressor")},
    "IsolationForest": isolation_forest,
}

TREE_SCORES: Dict[str, Callable[[Dict[str, Any], np.ndarray], np.ndarray]] = {
    "decision-tree": lambda parameters, inputs: _outputs(parameters["tree"], inputs),
    "tree-ensemble": _ensemble_scores,
    "isolation-forest": _isolation_scores,
}
