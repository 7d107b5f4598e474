"""Columns on their way from X to the last estimator: each is a linear function of the columns of the document."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Dict, FrozenSet, Sequence, Tuple, Union

import numpy as np

from .head import UnsupportedEstimator

# A model column: (feature, None) for a number, (feature, category) for one category of a one-hot feature, (feature, RANK) for an
# ordinal one.
ModelColumn = Tuple[int, Any]


class _NoCategory:
    """What an encoder that ignores unknown values makes of them: zeros in all columns of the feature."""


NO_CATEGORY = _NoCategory()


class _Rank:
    """In place of a category: the model column is the rank of an ordinal feature."""


RANK = _Rank()


@dataclass(frozen=True)
class Raw:
    """A column of X as it came, at most with its missing values filled. Only such a column can be one-hot encoded."""

    feature: int
    fill: Any = None

    def linear(self) -> Linear:
        fill = None if self.fill is None else float(self.fill)
        return Linear({(self.feature, None): 1.0}, fills=frozenset([(self.feature, fill)]))


@dataclass(frozen=True)
class Linear:
    """(terms · model columns - center) / divisor: in this form a scaler's numbers stay as they were fitted.

    `fills` says what a missing value of each feature became on the way here; None: nothing, it is still missing.
    """

    terms: Dict[ModelColumn, float]
    center: float = 0.0
    divisor: float = 1.0
    fills: FrozenSet[Tuple[int, Any]] = frozenset()
    # The increasing function of its only number that the terms are made of: a column of the document's step `monotone`.
    curve: Any = None
    # The library's own arithmetic of that function, for arrays.
    own: Any = field(default=None, compare=False)

    def linear(self) -> Linear:
        return self

    def scaled(self, mean: float, scale: float) -> Linear:
        return replace(self, center=self.center + self.divisor * mean, divisor=self.divisor * scale)

    def weighted(self, weight: float) -> Linear:
        terms = {key: value * weight for key, value in self.terms.items()}
        return replace(self, terms=terms, center=self.center * weight)

    def may_be_missing(self) -> bool:
        # An encoder's output never is: it refuses a missing category or gives it a pattern.
        return any(fill is None and self.reads(feature) for feature, fill in self.fills)

    def reads(self, feature: int) -> bool:
        """Whether the feature comes in as a number or as a rank."""
        return (feature, None) in self.terms or (feature, RANK) in self.terms

    def is_exactly(self, column: ModelColumn) -> bool:
        return self.terms == {column: 1.0}

    def is_plain(self) -> bool:
        return self.center == 0 and self.divisor == 1


@dataclass(frozen=True)
class Stepped:
    """A number that is constant between cuts: values[k] where cuts[k-1] < x <= cuts[k]. `way_out`: what to do where it is refused."""

    feature: int
    cuts: Tuple[float, ...]
    values: Tuple[float, ...]
    fills: FrozenSet[Tuple[int, Any]]
    way_out: str

    def linear(self) -> Stepped:
        return self

    def scaled(self, mean: float, scale: float) -> Stepped:
        return replace(self, values=tuple((value - mean) / scale for value in self.values))

    def weighted(self, weight: float) -> Stepped:
        return replace(self, values=tuple(weight * value for value in self.values))


@dataclass(frozen=True)
class Product:
    """(left * right - center) / divisor, of two columns."""

    left: Any
    right: Any
    center: float = 0.0
    divisor: float = 1.0
    way_out: str = "trees find products by themselves; before linear models discretize or encode all columns"

    @property
    def fills(self) -> FrozenSet[Tuple[int, Any]]:
        return self.left.fills | self.right.fills

    def linear(self) -> Product:
        return self

    def scaled(self, mean: float, scale: float) -> Product:
        return replace(self, center=self.center + self.divisor * mean, divisor=self.divisor * scale)

    def weighted(self, weight: float) -> Product:
        return replace(self, left=self.left.weighted(weight), center=self.center * weight)


@dataclass(frozen=True)
class Indicator:
    """values[1] where the feature is missing, else values[0]. Missing values of the feature itself are filled elsewhere."""

    feature: int
    values: Tuple[float, float] = (0.0, 1.0)
    fills: FrozenSet[Tuple[int, Any]] = frozenset()
    way_out: str = "put trees behind it, or impute without add_indicator"

    def linear(self) -> Indicator:
        return self

    def scaled(self, mean: float, scale: float) -> Indicator:
        return replace(self, values=tuple((value - mean) / scale for value in self.values))

    def weighted(self, weight: float) -> Indicator:
        return replace(self, values=tuple(weight * value for value in self.values))


Column = Union[Raw, Linear, Stepped, Product, Indicator]


def mix(columns: Sequence[Any], coefficients: np.ndarray) -> Linear:
    """The sum of the columns, each times its coefficient."""
    terms: Dict[ModelColumn, float] = {}
    center = 0.0
    for column in columns:
        if not isinstance(column, Linear):
            kind = {Stepped: "discretized column", Product: "product of columns", Indicator: "column of missing values"}[type(column)]
            raise UnsupportedEstimator("estimator", f"mixes a {kind} with others: {column.way_out}")
        if column.curve is not None:
            raise UnsupportedEstimator("estimator", "mixes a column behind a monotone function with others: leave PCA out")
    for column, coefficient in zip(columns, coefficients.tolist()):
        factor = coefficient / column.divisor
        center += factor * column.center
        for key, value in column.terms.items():
            terms[key] = terms.get(key, 0.0) + factor * value
    return Linear(terms, center, 1.0, frozenset().union(*(column.fills for column in columns)))
