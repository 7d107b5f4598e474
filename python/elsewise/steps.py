"""Models behind discretized columns (Binarizer, KBinsDiscretizer, products of these), written on the columns of X themselves.

    trees           v(x) <= t  holds on one side of a cut of x, where v rises or falls: the split moves to that cut. Where
                    v <= t holds in several runs of values (a one-hot bin), the split becomes a chain of splits. Behind logarithms and
                    powers, too: bisection with numpy's own arithmetic finds the last number of a side
    linear models   Σ_j w_j v_j(x_j) + b  is a sum of trees of one column, where each v_j is a step function or reads 0 and 1 only. A product
                    w v_i(x_i) v_j(x_j)  is a tree with the cuts of one column above those of the other
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from typing import Any, Callable, Dict, List, Sequence, Tuple

import numpy as np

from .columns import Linear, ModelColumn, Product, Stepped
from .evaluation import curve_of
from .head import Head, UnsupportedEstimator
from .trees import LARGEST, Tree, TreeHead, grid_tree, step_sum

# By family of linear models: the link of the sum.
LINEAR_LINKS = {
    "logistic-regression": "logit",
    "softmax-regression": "softmax",
    "lda": "softmax",
    "hyperplane": "identity",
    "linear-regression": "identity",
    "poisson-regression": "exp",
}


def without_steps(head: Head, columns: List[Any], features: List[Dict[str, Any]]) -> Tuple[Head, List[Linear]]:
    """The same model, where no column is discretized any more."""
    stepped = [column for column in columns if isinstance(column, (Stepped, Product))]
    is_bent = isinstance(head, TreeHead) and any(_is_bent(column) for column in columns)
    if not stepped and not is_bent:
        return head, columns
    if isinstance(head, TreeHead):
        for column in stepped:
            if isinstance(column, Product):
                raise UnsupportedEstimator("estimator", f"trees behind products of columns: {column.way_out}")
        return _moved_splits(head, columns), [_whole(column) for column in columns]
    if any(_is_bent(column) for column in columns):
        raise UnsupportedEstimator("estimator", f"has functions of numbers beside discretized columns: {stepped[0].way_out}")
    if head.family not in LINEAR_LINKS or head.parameters.get("normalization", "softmax") != "softmax":
        reason = f"{head.family} behind a discretized column or a product is not supported: {stepped[0].way_out}"
        raise UnsupportedEstimator("estimator", reason)
    return _summed_steps(head, columns, features)


def _is_bent(column: Any) -> bool:
    return isinstance(column, Linear) and column.curve is not None


def _whole(column: Any) -> Linear:
    if isinstance(column, Stepped):
        return Linear({(column.feature, None): 1.0}, fills=column.fills)
    return Linear(dict.fromkeys(column.terms, 1.0), fills=column.fills) if _is_bent(column) else column


# ------------------------------------------------------------------------------------------------------------ trees


def _moved_splits(head: TreeHead, columns: Sequence[Any]) -> TreeHead:
    return head.with_trees(lambda tree: _moved_tree(tree, columns))


def _moved_tree(tree: Tree, columns: Sequence[Any]) -> Tree:
    """In double precision: a cut of a discretized column is not to be rounded."""
    narrow = tree["precision"] == "float32"
    moved = {**tree, "precision": "float64", **{key: list(entries) for key, entries in tree.items() if isinstance(entries, list)}}
    for node in np.flatnonzero(np.array(tree["left"]) >= 0).tolist():
        column = columns[tree["feature"][node]]
        if _is_bent(column):
            _unbend(moved, node, column, narrow)
        elif narrow and not isinstance(column, Stepped):
            moved["threshold"][node] = _last_rounded(tree["threshold"][node])
    return _Unbinned(moved, columns, narrow).tree if any(isinstance(column, Stepped) for column in columns) else moved


# A split that takes a bin out of the middle becomes several splits, and the tree behind one of its sides stands there twice.
MOST_NODES = 20_000
SWAPPED = {"left": "right", "right": "left"}


@dataclass(frozen=True)
class _Known:
    """What the splits above say of a feature:  low < x <= high,  and whether a missing value comes here."""

    low: float = -np.inf
    high: float = np.inf
    missing: bool = True


# The numbers up to an end, after those of the run before, go to a side.
Run = Tuple[str, float]


class _Unbinned:
    """A tree whose splits on discretized columns are splits at cuts. Where the splits above decide one, only that side stays."""

    def __init__(self, tree: Tree, columns: Sequence[Any], narrow: bool):
        sides = tree["missing"]
        self.old = {**tree, "missing": [sides] * len(tree["left"])} if isinstance(sides, str) and sides in SWAPPED else tree
        self.takes_missing = isinstance(self.old["missing"], list)
        self.columns, self.narrow = columns, narrow
        self.way_out = next(column.way_out for column in columns if isinstance(column, Stepped))
        self.tree = {key: [] if isinstance(entries, list) else entries for key, entries in self.old.items()}
        self.waiting: List[Tuple[int, int, Dict[int, _Known]]] = []
        self._send(0, {})
        while self.waiting:
            self._write(*self.waiting.pop())

    def _write(self, node: int, place: int, known: Dict[int, _Known]) -> None:
        column = self.columns[self.old["feature"][node]]
        if self.old["left"][node] < 0:
            self._copy(node, place)
        elif isinstance(column, Stepped):
            self._split_runs(node, place, known, column)
        else:
            self._copy(node, place)
            for side in SWAPPED:
                self.tree[side][place] = self._send(self.old[side][node], known)

    def _split_runs(self, node: int, place: int, known: Dict[int, _Known], column: Stepped) -> None:
        own = known.get(column.feature, _Known())
        runs = self._runs(node, column, own)
        absent = self.old["missing"][node] if self.takes_missing and own.missing else runs[0][0]
        if absent not in [side for side, _ in runs]:
            # All numbers go to one side, and a missing value to the other.
            end = LARGEST if runs[0][0] == "left" else -LARGEST
            runs = [("left", end), ("right", own.high)]
        home = [side for side, _ in runs].index(absent)
        low = own.low
        for run, (side, end) in enumerate(runs[:-1]):
            self._copy(node, place)
            self.tree["threshold"][place] = end
            if self.takes_missing:
                self.tree["missing"][place] = "left" if run >= home else "right"
            inside = replace(own, low=low, high=min(end, own.high), missing=own.missing and run == home)
            self.tree["left"][place] = self._send(self.old[side][node], {**known, column.feature: inside})
            self.tree["right"][place], place, low = len(self.tree["left"]), self._placed(), end
        last = replace(own, low=max(low, own.low), missing=own.missing and home == len(runs) - 1)
        self.waiting.append((self.old[runs[-1][0]][node], place, {**known, column.feature: last}))

    def _runs(self, node: int, column: Stepped, own: _Known) -> List[Run]:
        """Neighbouring values that go to the same side, as far as numbers come here."""
        values = np.array(column.values, dtype=np.float32 if self.narrow else float).astype(float)
        ends = (-np.inf, *column.cuts, np.inf)
        runs: List[Run] = []
        for k, goes_left in enumerate((values <= self.old["threshold"][node]).tolist()):
            if max(ends[k], own.low) < min(ends[k + 1], own.high):
                side = "left" if goes_left else "right"
                runs = [*(runs[:-1] if runs and runs[-1][0] == side else runs), (side, ends[k + 1])]
        return runs or [("left", own.high)]

    def _send(self, node: int, known: Dict[int, _Known]) -> int:
        place = self._placed()
        self.waiting.append((node, place, known))
        return place

    def _placed(self) -> int:
        place = len(self.tree["left"])
        if place > MOST_NODES:
            raise UnsupportedEstimator("estimator", f"splits many bins off from both sides: {self.way_out}")
        for entries in self.tree.values():
            if isinstance(entries, list):
                entries.append(None)
        return place

    def _copy(self, node: int, place: int) -> None:
        for key, entries in self.tree.items():
            if isinstance(entries, list):
                entries[place] = self.old[key][node]


def _swap(tree: Tree, node: int) -> None:
    tree["left"][node], tree["right"][node] = tree["right"][node], tree["left"][node]
    if isinstance(tree["missing"], list):
        tree["missing"][node] = SWAPPED.get(tree["missing"][node], tree["missing"][node])


def _unbend(tree: Tree, node: int, column: Linear, narrow: bool) -> None:
    (weight,) = column.terms.values()
    threshold, rises = tree["threshold"][node], weight * column.divisor > 0

    def goes_left(x: np.ndarray, curve: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        # As arrays: numpy's functions of arrays and of numbers may differ in the last digit.
        with np.errstate(all="ignore"):
            value = (weight * curve(x) - column.center) / column.divisor
            compared = value.astype(np.float32).astype(float) if narrow else value
        # Below its domain a function is as low as can be.
        return np.where(np.isnan(compared), rises, compared <= threshold)

    last = _last_number(lambda x: bool(goes_left(np.full(1, x), lambda x: curve_of(column.curve, x))[0]) == rises)
    if column.own is not None:
        last = _refined(last, lambda x: goes_left(x, column.own) == rises)
    tree["threshold"][node] = last
    if not rises:
        _swap(tree, node)


# Numbers on each side of a split among which the library may decide otherwise: some last digits of a power.
WINDOW = 512


def _refined(last: float, holds: Callable[[np.ndarray], np.ndarray]) -> float:
    """The last number near a guess that a condition holds for, by another arithmetic of the same function."""
    if abs(last) >= LARGEST:
        return last
    orders = range(_order(last) - WINDOW, _order(last) + WINDOW + 1)
    numbers = np.array([_number_at(order) for order in orders])
    kept = np.flatnonzero(holds(numbers))
    return float(numbers[kept[-1]]) if len(kept) else last


def _last_number(holds: Callable[[float], bool]) -> float:
    """The last number that a condition holds for which holds up to some number: bisection over all doubles in their order."""
    if holds(LARGEST) or not holds(-LARGEST):
        return LARGEST if holds(LARGEST) else -LARGEST
    low, high = _order(-LARGEST), _order(LARGEST)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(_number_at(middle)) else (low, middle)
    return _number_at(low)


def _order(number: float) -> int:
    (bits,) = struct.unpack("<q", struct.pack("<d", number))
    return bits if bits >= 0 else -(2**63) - bits


def _number_at(order: int) -> float:
    return struct.unpack("<d", struct.pack("<q", order if order >= 0 else -(2**63) - order))[0]


def _last_rounded(threshold: float) -> float:
    """The last number whose rounding to float32 is at most the threshold."""
    if abs(threshold) >= LARGEST:
        return threshold
    below = np.float32(threshold)
    if float(below) > threshold:
        below = np.nextafter(below, np.float32(-np.inf))
    middle = (float(below) + float(np.nextafter(below, np.float32(np.inf)))) / 2
    return middle if float(np.float32(middle)) == float(below) else float(np.nextafter(middle, -np.inf))


# ----------------------------------------------------------------------------------------------------- linear models


# A model column, its cuts, and the values between them.
Steps = Tuple[ModelColumn, Sequence[float], Sequence[float]]


class _StepSum:
    """base_k + Σ_j w_kj v_j(x)  as trees of one column and trees of two, put together column by column."""

    def __init__(self, base: np.ndarray, features: List[Dict[str, Any]], refusal: str):
        self.base, self.features = base, features
        # What is said of a column that stays a number.
        self.refusal = refusal
        self.inputs: Dict[ModelColumn, Linear] = {}
        # By model column and cut: how far the outputs rise there.
        self.rises: Dict[ModelColumn, Dict[float, np.ndarray]] = {}
        self.products: List[Tuple[Steps, Steps, np.ndarray]] = []

    def add(self, column: Any, weights: np.ndarray) -> None:
        if isinstance(column, Product):
            factors = self._steps(column.left), self._steps(column.right)
            self._reads(column, *factors)
            self.products.append((*factors, weights / column.divisor))
            self.base = self.base - weights * column.center / column.divisor
        elif isinstance(column, Linear) and not column.terms:
            self.base = self.base - weights * column.center / column.divisor
        else:
            self._add_steps(column, weights)

    def _add_steps(self, column: Any, weights: np.ndarray) -> None:
        key, cuts, values = steps = self._steps(column)
        self._reads(column, steps)
        self.base = self.base + weights * values[0]
        rises = self.rises.setdefault(key, {})
        for cut, rise in zip(cuts, np.diff(values)):
            rises[cut] = rises.get(cut, 0.0) + weights * rise

    def _steps(self, column: Any) -> Steps:
        return _steps_of(column, self.features, self.refusal)

    def _reads(self, column: Any, *steps: Steps) -> None:
        for key, _, _ in steps:
            fills = frozenset(fill for fill in column.fills if fill[0] == key[0])
            self.inputs.setdefault(key, Linear({key: 1.0}, fills=fills))

    def head(self, link: str, **more: Any) -> TreeHead:
        places = {key: place for place, key in enumerate(self.inputs)}
        steps = [(places[key], *_summed_up(rises, len(self.base))) for key, rises in self.rises.items() if rises]
        grids = [grid_tree((places[a[0]], *a[1:]), (places[b[0]], *b[1:]), own) for a, b, own in self.products]
        return step_sum(steps, self.base, link, len(places), grids=grids, **more)


def _summed_up(rises: Dict[float, np.ndarray], outputs: int) -> Tuple[List[float], np.ndarray]:
    """The cuts in their order and the outputs between them, which start from 0."""
    cuts = sorted(rises)
    return cuts, np.cumsum([np.zeros(outputs), *(rises[cut] for cut in cuts)], axis=0)


def _summed_steps(head: Head, columns: Sequence[Any], features: List[Dict[str, Any]]) -> Tuple[Head, List[Linear]]:
    weights = np.atleast_2d(np.array(head.parameters["weights"], dtype=float))
    base = np.atleast_1d(np.array(head.parameters["bias"], dtype=float))
    if head.family == "hyperplane":
        weights, base = np.vstack([-weights, weights]), np.concatenate([-base, base])
    total = _StepSum(base, features, _refusal(columns))
    for column, own in zip(columns, weights.T):
        total.add(column, own)
    made = total.head(LINEAR_LINKS[head.family], score=head.score, classes=head.classes)
    return made, list(total.inputs.values())


def _refusal(columns: Sequence[Any]) -> str:
    """In the words of what the pipeline has: products, discretized columns, or both."""
    if not any(isinstance(column, Product) for column in columns):
        return "stays a number beside discretized columns of a linear model: discretize or encode all columns, or use trees"
    return "is a number in PolynomialFeatures before a linear model: put KBinsDiscretizer or an encoder before PolynomialFeatures, or use trees"


def _steps_of(column: Any, features: List[Dict[str, Any]], refusal: str) -> Steps:
    if isinstance(column, Stepped):
        return (column.feature, None), column.cuts, column.values
    if len(column.terms) == 1:
        ((key, weight),) = column.terms.items()
        if isinstance(key[1], str) or features[key[0]]["type"] == "boolean":
            return key, (0.5,), [(weight * x - column.center) / column.divisor for x in (0.0, 1.0)]
    names = sorted({features[feature]["name"] for feature, _ in column.terms})
    raise UnsupportedEstimator("estimator", f"{', '.join(map(repr, names))} {refusal}")
