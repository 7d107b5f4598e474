"""Estimators over the outputs of others, where all of it is one linear function, or one sum of trees.

    VotingRegressor, BaggingRegressor    Σ_i w_i f_i(x) / Σ_i w_i
    Stacking                             g(f_1(x), ..., f_m(x), and x with passthrough) of a linear model g

Each f_i is  bias + W x  or  bias + Σ over trees of their leaves:  class shares of forests, decisions before a link, predictions. A linear
function of these is of the same kind, unless lines and trees meet.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Callable, Dict, List, Sequence

import numpy as np

from .ensembles import HeadOf
from .head import Head, UnsupportedEstimator, class_name, fitted
from .refusals import BLACK_BOX
from .steps import LINEAR_LINKS
from .trees import Tree, TreeHead, step_sum, takes_missing

NO_SUM = f"use linear models alone, or trees and forests alone; {BLACK_BOX}"


@dataclass(frozen=True)
class Sums:
    """Outputs  bias + weights x + Σ over trees,  whose leaves have a number for each output."""

    weights: np.ndarray
    bias: np.ndarray
    trees: List[Tree]

    def only(self, outputs: slice) -> Sums:
        trees = [{**tree, "value": np.array(tree["value"])[:, outputs].tolist()} for tree in self.trees]
        return Sums(self.weights[outputs], self.bias[outputs], trees)

    def on_inputs(self, places: Sequence[int], width: int) -> Sums:
        """The same sums, where input i has become input places[i] of `width`; several may have become one."""
        spread = np.zeros((len(self.weights), width))
        np.add.at(spread, (slice(None), places), self.weights)
        moved = np.array(places, dtype=int)
        trees = [{**tree, "feature": np.where(np.array(tree["left"]) < 0, 0, moved[tree["feature"]]).tolist()} for tree in self.trees]
        return Sums(spread, self.bias, trees)


def combined(matrix: np.ndarray, offset: np.ndarray, members: Sequence[Sums]) -> Sums:
    """offset + matrix (outputs of all members, one after the other)."""
    weights, bias, trees, first = 0.0, offset, [], 0
    for member in members:
        own = matrix[:, first : first + len(member.bias)]
        first += len(member.bias)
        weights, bias = weights + own @ member.weights, bias + own @ member.bias
        trees += [{**tree, "value": (np.array(tree["value"]) @ own.T).tolist()} for tree in member.trees]
    return Sums(weights, bias, trees)


# ---------------------------------------------------------------------------------------------------------- regressors


def voting_regressor(estimator: Any, where: str, head_of: HeadOf) -> Head:
    members = fitted(estimator, "estimators_", where)
    weights = estimator._weights_not_none
    weights = np.ones(len(members)) if weights is None else np.array(weights, dtype=float)
    sums = [_predicted(member, f"{where}.estimators_[{i}]", head_of) for i, member in enumerate(members)]
    return _mean(estimator, where, sums, weights)


def bagging_regressor(estimator: Any, where: str, head_of: HeadOf) -> Head:
    members, width = fitted(estimator, "estimators_", where), int(estimator.n_features_in_)
    sums = [_predicted(member, f"{where}.estimators_[{i}]", head_of) for i, member in enumerate(members)]
    sums = [own.on_inputs(features, width) for own, features in zip(sums, estimator.estimators_features_)]
    return _mean(estimator, where, sums, np.ones(len(members)))


def _mean(estimator: Any, where: str, sums: List[Sums], weights: np.ndarray) -> Head:
    total = combined(weights[np.newaxis] / weights.sum(), np.zeros(1), sums)
    score = lambda whole, rows: np.asarray(whole.predict(rows), dtype=float).reshape(-1, 1)  # noqa: E731
    return _finished(Head("linear-regression", {}, score), "identity", total, estimator, where)


def _predicted(member: Any, where: str, head_of: HeadOf) -> Sums:
    return _sums_of(member, "predict", where, head_of)


# ------------------------------------------------------------------------------------------------------------ stacking



def stacking(estimator: Any, where: str, head_of: HeadOf) -> Head:
    place = f"{where}.final_estimator_"
    last = head_of(fitted(estimator, "final_estimator_", where), place)
    link = LINEAR_LINKS.get(last.family)
    if link is None or last.parameters.get("normalization", "softmax") == "sigmoid":
        way_out = f"use LogisticRegression, or Ridge for numbers; {BLACK_BOX}"
        raise UnsupportedEstimator(place, f"{class_name(estimator.final_estimator_)} over other estimators is not supported: {way_out}")
    if last.parameters.get("normalization") == "none":
        link = "identity"
    matrix = np.atleast_2d(np.array(last.parameters["weights"], dtype=float))
    offset = np.atleast_1d(np.array(last.parameters["bias"], dtype=float))
    classes = np.asarray(estimator.classes_).tolist() if last.classes is not None else None
    total = combined(matrix, offset, _stacked(estimator, where, head_of))
    return _finished(replace(last, classes=classes), link, total, estimator, where)


def _stacked(estimator: Any, where: str, head_of: HeadOf) -> List[Sums]:
    """What the last estimator reads, in its order."""
    found = []
    for i, (member, method) in enumerate(zip(estimator.estimators_, estimator.stack_method_)):
        own = _sums_of(member, method, f"{where}.estimators_[{i}]", head_of)
        # Of two shares the first says nothing new, and scikit-learn leaves it out.
        found.append(own.only(slice(1, None)) if method == "predict_proba" and len(own.bias) == 2 else own)
    if estimator.passthrough:
        width = int(estimator.n_features_in_)
        found.append(Sums(np.eye(width), np.zeros(width), []))
    return found


def _finished(last: Head, link: str, total: Sums, estimator: Any, where: str) -> Head:
    width = int(estimator.n_features_in_)
    if not total.trees:
        one = last.family not in ("softmax-regression", "lda")
        weights, bias = (total.weights[0], total.bias[0]) if one else (total.weights, total.bias)
        return replace(last, parameters={**last.parameters, "weights": weights.tolist(), "bias": bias.tolist()})
    if np.any(total.weights != 0):
        raise UnsupportedEstimator(where, f"{class_name(estimator)} over linear functions and trees at once is not supported: {NO_SUM}")
    if last.family == "hyperplane":
        total = combined(np.array([[-1.0], [1.0]]), np.zeros(2), [total])
    head = step_sum([], total.bias, link, width, grids=total.trees, score=last.score, classes=last.classes)
    return head if takes_missing(estimator) else head.refusing_missing()


# ------------------------------------------------------------------------------------------------- members as such sums


def _sums_of(member: Any, method: str, where: str, head_of: HeadOf) -> Sums:
    head = head_of(member, where)
    kind = "trees" if isinstance(head, TreeHead) else head.family
    read = READERS.get((method, kind))
    is_whole = not getattr(head, "codes", None) and head.precision == "float64" and getattr(member, "loss", None) != "exponential"
    sums = read(head, member) if read and is_whole else None
    if sums is None:
        shown = f"{method} of {class_name(member)}"
        if getattr(head, "codes", None):
            shown += "(categorical_features)"
        raise UnsupportedEstimator(where, f"{shown} is no linear function and no sum over trees: {NO_SUM}")
    return sums


def _line(head: Head, member: Any) -> Sums:
    """Linear classifiers decide, and regressors predict, by coef_ x + intercept_."""
    coef = member.coef_.toarray() if hasattr(member.coef_, "toarray") else member.coef_
    weights = np.atleast_2d(np.asarray(coef, dtype=float))
    return Sums(weights, np.broadcast_to(np.asarray(member.intercept_, dtype=float), (len(weights),)), [])


def _tree_sum(head: TreeHead, links: Sequence[str]) -> Any:
    """base + Σ over trees before the link; None behind another link."""
    parameters = head.parameters
    if head.family not in ("decision-tree", "tree-ensemble"):
        return None
    if parameters.get("link", "identity") not in links or parameters.get("accumulate", "float64") != "float64":
        return None
    factors = _factors(head)
    owners, base = parameters.get("treeClass"), np.atleast_1d(np.asarray(parameters.get("base", 0.0), dtype=float))
    outputs = len(base) if owners else len(head.trees[0]["value"][0])
    trees = [_own_outputs(tree, np.eye(outputs)[owners[i]] if owners else None, factors[i]) for i, tree in enumerate(head.trees)]
    width = 0 if head.centres is None else head.centres.shape[1]
    return Sums(np.zeros((outputs, width)), np.broadcast_to(base, (outputs,)), trees)


def _factors(head: TreeHead) -> List[float]:
    """What the leaves of each tree count."""
    parameters, count = head.parameters, len(head.trees)
    members = parameters.get("members", [{"trees": count, "weight": 1.0}])
    if parameters.get("aggregation") != "mean":
        return [1.0] * count
    total = sum(member["weight"] for member in members)
    return [member["weight"] / member["trees"] / total for member in members for _ in range(member["trees"])]


def _own_outputs(tree: Tree, place: Any, factor: float) -> Tree:
    values = np.array(tree["value"]) * factor
    return {**tree, "value": (values if place is None else values * place).tolist()}


Reader = Callable[[Any, Any], Any]

# By what is asked of a member and what it is.
READERS: Dict[Any, Reader] = {
    ("predict", "linear-regression"): _line,
    ("predict", "trees"): lambda head, _: _tree_sum(head, ("identity",)) if head.classes is None else None,
    ("predict_proba", "trees"): lambda head, _: _tree_sum(head, ("identity",)),
    ("decision_function", "trees"): lambda head, _: _tree_sum(head, ("logit", "softmax")),
    **{("decision_function", family): _line for family in ("logistic-regression", "softmax-regression", "lda", "hyperplane")},
}
