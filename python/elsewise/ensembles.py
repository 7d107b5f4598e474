"""Ensembles of trees and forests as one tree-ensemble, added up in the order in which scikit-learn does it.

    Bagging     mean over members of their class shares
    Voting      soft: mean of the members' shares by weight; hard: a vote of each tree, times its weight
    AdaBoost    Σ w_t v_t / Σ w_t  over trees, divided by K - 1, behind softmax. v_t is a vote (SAMME), or
                (K - 1) (log p - mean log p)  of the tree's shares (SAMME.R)

Shares add up. Probabilities behind a sigmoid do not: these ensembles are refused.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from .head import Head, UnsupportedEstimator, class_name, fitted, probabilities, quietly
from .refusals import BLACK_BOX
from .trees import TREE_SCORES, Tree, TreeHead, single_tree, takes_missing, tree_head

# The last estimator, or a member, and its place -> what it becomes.
HeadOf = Callable[[Any, str], Head]
# The trees of a member, and its weight.
Member = Tuple[List[Tree], float]

SINGLE_TREES = ("DecisionTreeClassifier", "ExtraTreeClassifier")
SHARES_ONLY = f"use DecisionTree, RandomForest or ExtraTrees in its place; {BLACK_BOX}"


def bagging_classifier(estimator: Any, where: str, head_of: HeadOf) -> TreeHead:
    outputs, width = len(fitted(estimator, "classes_", where)), int(estimator.n_features_in_)
    members = []
    for i, (member, features) in enumerate(zip(estimator.estimators_, estimator.estimators_features_)):
        head = _shares(member, f"{where}.estimators_[{i}]", head_of, class_name(estimator))
        trees = head.on_inputs(features, width).trees
        members.append(([_with_classes(tree, member.classes_, outputs) for tree in trees], 1.0))
    return _mean_of(members, "identity", estimator)


def voting_classifier(estimator: Any, where: str, head_of: HeadOf) -> TreeHead:
    members = fitted(estimator, "estimators_", where)
    weights = _weights(estimator)
    if weights is not None and (min(weights) < 0 or not sum(weights) > 0):
        raise UnsupportedEstimator(where, f"VotingClassifier(weights={weights}) has votes below 0, or none: use weights from 0 on; {BLACK_BOX}")
    if estimator.voting == "hard":
        return _hard_votes(estimator, members, weights, where)
    heads = [_shares(m, f"{where}.estimators_[{i}]", head_of, class_name(estimator)) for i, m in enumerate(members)]
    own = [1.0] * len(heads) if weights is None else weights
    return _mean_of([(head.trees, weight) for head, weight in zip(heads, own)], "identity", estimator)


def _weights(estimator: Any) -> Optional[List[float]]:
    weights = estimator._weights_not_none  # those of dropped members are left out
    return None if weights is None else [float(weight) for weight in weights]


def _shares(member: Any, where: str, head_of: HeadOf, ensemble: str) -> TreeHead:
    """A member whose probabilities are a mean over trees."""
    head = head_of(member, where)
    is_mean = isinstance(head, TreeHead) and head.parameters.get("aggregation", "mean") == "mean" and "members" not in head.parameters
    if not is_mean or head.family not in ("decision-tree", "tree-ensemble") or head.parameters.get("link", "identity") != "identity":
        reason = f"the probabilities of {class_name(member)} are no mean over trees, so {ensemble} over it is not supported"
        raise UnsupportedEstimator(where, f"{reason}: {SHARES_ONLY}")
    return head


def _with_classes(tree: Tree, own: Sequence[int], outputs: int) -> Tree:
    """A member that was fitted on few rows may not know all classes."""
    if len(own) == outputs:
        return tree
    values = np.zeros((len(tree["left"]), outputs))
    values[:, own] = tree["value"]
    return {**tree, "value": values.tolist()}


def _mean_of(members: List[Member], link: str, estimator: Any) -> TreeHead:
    """The mean of the members' means by weight; of single trees alike it is the mean of a forest."""
    trees = [tree for own, _ in members for tree in own]
    parameters: Dict[str, Any] = {"trees": trees, "aggregation": "mean", "link": link}
    if any(len(own) > 1 or weight != 1 for own, weight in members):
        parameters["members"] = [{"trees": len(own), "weight": weight} for own, weight in members]
    return _finished(parameters, probabilities, estimator)


def _finished(parameters: Dict[str, Any], score: Any, estimator: Any) -> TreeHead:
    classes, width = np.asarray(estimator.classes_).tolist(), int(estimator.n_features_in_)
    head = tree_head("tree-ensemble", parameters, score, classes, width)
    return head if takes_missing(estimator) else head.refusing_missing()


# ------------------------------------------------------------------------------------------------------ votes of trees


def _hard_votes(estimator: Any, members: Sequence[Any], weights: Optional[List[float]], where: str) -> TreeHead:
    outputs = len(estimator.classes_)
    votes = [_votes(member, f"{where}.estimators_[{i}]", "VotingClassifier(voting='hard')") for i, member in enumerate(members)]
    own = np.ones(len(members)) if weights is None else np.array(weights)
    trees = [_with_leaves(tree, weight * values) for (tree, values), weight in zip(votes, own)]
    # The library compares the sums of weights, and a quotient of two different sums may be the same.
    aggregation = "mean" if weights is None else "sum"
    divisor = len(members) if weights is None else 1

    def counted(whole: Any, rows: Any) -> np.ndarray:
        labels = np.asarray(whole.transform(rows))
        return sum(np.eye(outputs)[column] * weight for column, weight in zip(labels.T, own)) / divisor

    return _finished({"trees": trees, "aggregation": aggregation, "link": "identity"}, counted, estimator)


def _votes(member: Any, where: str, ensemble: str) -> Tuple[Tree, np.ndarray]:
    """A single tree, and by node a one for its largest class: of equal ones the first."""
    tree = _single(member, where, ensemble)
    counts = np.asarray(member.tree_.value, dtype=float)[:, 0]
    return tree, np.eye(counts.shape[1])[counts.argmax(axis=1)]


def _single(member: Any, where: str, ensemble: str) -> Tree:
    if class_name(member) not in SINGLE_TREES:
        reason = f"the vote of {class_name(member)} is no sum over trees, so {ensemble} over it is not supported"
        raise UnsupportedEstimator(where, f"{reason}: use DecisionTreeClassifier in its place; {BLACK_BOX}")
    return single_tree(member, where).parameters["tree"]


def _with_leaves(tree: Tree, values: np.ndarray) -> Tree:
    leaf = np.array(tree["left"]) < 0
    return {**tree, "value": np.where(leaf[:, np.newaxis], values, 0.0).tolist()}


# ----------------------------------------------------------------------------------------------------------- AdaBoost


def ada_boost(estimator: Any, where: str, _: HeadOf) -> TreeHead:
    weights = [float(weight) for weight in fitted(estimator, "estimator_weights_", where)]
    members, outputs = estimator.estimators_, len(estimator.classes_)
    if outputs < 2 or not sum(weights) > 0:
        raise UnsupportedEstimator(where, f"AdaBoostClassifier that tells no classes apart: fit it on rows of two classes or more; {BLACK_BOX}")
    trees = [_single(member, f"{where}.estimators_[{i}]", "AdaBoostClassifier") for i, member in enumerate(members)]
    if getattr(estimator, "algorithm", "SAMME") == "SAMME.R":
        values = [_log_shares(np.array(tree["value"])) for tree in trees]
        return _boosted(estimator, trees, values, [1.0] * len(trees))
    votes = [_votes(member, where, "AdaBoostClassifier")[1] for member in members]
    return _as_it_counts(estimator, [_boosted(estimator, trees, [np.where(v > 0, 1.0, lost) for v in votes], weights) for lost in (-1 / (outputs - 1), 0.0)])


def _log_shares(shares: np.ndarray) -> np.ndarray:
    """(K - 1) (log p - mean log p), in the order of scikit-learn's own arithmetic."""
    outputs = shares.shape[1]
    logs = np.log(np.clip(shares, np.finfo(float).eps, None))
    return (outputs - 1) * (logs - (1.0 / outputs) * logs.sum(axis=1)[:, np.newaxis])


def _boosted(estimator: Any, trees: List[Tree], values: List[np.ndarray], weights: List[float]) -> TreeHead:
    """Two classes whose sums are opposite numbers are one sum. Its double is the decision of scikit-learn."""
    link, scaled = "softmax", [v / (v.shape[1] - 1) for v in values]
    if all(v.shape[1] == 2 and (v[:, 0] == -v[:, 1]).all() for v in values):
        link, scaled = "logit", [2 * v[:, 1:] for v in values]
    return _mean_of([([_with_leaves(tree, v)], weight) for tree, v, weight in zip(trees, scaled, weights)], link, estimator)


def _as_it_counts(estimator: Any, heads: List[TreeHead]) -> TreeHead:
    """What a lost vote counts depends on the version: the head that gives the estimator's own probabilities."""
    rows = heads[0].centres
    own = quietly(probabilities, estimator, rows)
    return min(heads, key=lambda head: np.abs(TREE_SCORES[head.family](head.parameters, rows) - own).max())
