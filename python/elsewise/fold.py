"""One walk through an estimator: from the columns of X to the last estimator behind pipelines and searches."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

from .columns import Column, Indicator, Linear, ModelColumn, Product, Raw, Stepped
from .decision import WRAPPERS, Layer, as_read, check_order
from .head import Head, UnsupportedEstimator, class_name, fitted
from .heads import decision_classifier, make_head
from .refusals import lookup
from .tables import Table
from .transformers import NAMED_STEPS, TRANSFORMERS, is_sparse


class Fold:
    """One walk through an estimator: knows the raw features and collects the categories that encoders name."""

    def __init__(self, names: List[str], table: Optional[Table]):
        self.names = names
        self.table = table
        # Per one-hot feature: the category's name and the value that the estimator knows it by, in column order.
        self.categories: Dict[int, Dict[str, Any]] = {}
        # Likewise per feature that is encoded by ranks.
        self.ranks: Dict[int, Dict[str, Any]] = {}
        # Per feature: the increasing function that it goes through, as the document writes it.
        self.curves: Dict[int, Dict[str, Any]] = {}
        # Per feature that reaches the model: what a missing value becomes; None: the estimator refuses it.
        self.fills: Dict[int, Any] = {}
        # The wrappers around the last estimator that change its scores or its decision, outermost first.
        self.layers: List[Layer] = []
        # Whether the last step gave a sparse matrix.
        self.is_sparse = False

    def run(self, estimator: Any) -> Tuple[Head, List[Linear]]:
        last, columns, where = self._up_to_last(estimator, self._raw_columns(), "estimator")
        columns = self._behind_own_encoder(last, columns, where)
        check_order(self.layers, where)
        head = as_read(make_head(last, where), last, self.layers, decision_classifier, where)
        if self.is_sparse and head.dense_only:
            raise UnsupportedEstimator(where, f"{class_name(last)} {head.dense_only}")
        linear = [column.linear() for column in columns]
        self._refuse_numbers_as_categories(linear, where)
        self._agree_on_curves(linear, where)
        self.fills = self._agreed_fills(linear)
        return head, linear

    @property
    def decision(self) -> Dict[str, Any]:
        """The decision layer of the document; empty: none."""
        return {key: value for layer in self.layers for key, value in layer.entries.items()}

    def columns_before_last(self, estimator: Any, where: str) -> Tuple[Any, List[Column]]:
        """The last estimator, whatever it is, and the columns that reach it."""
        return self._up_to_last(estimator, self._raw_columns(), where)[:2]

    def _raw_columns(self) -> List[Column]:
        return [Raw(feature) for feature in range(len(self.names))]

    def _up_to_last(self, estimator: Any, columns: List[Column], where: str) -> Tuple[Any, List[Column], str]:
        if class_name(estimator) in SEARCHES:
            return self._up_to_last(_best_of(estimator, where), columns, f"{where}.best_estimator_")
        if class_name(estimator) in WRAPPERS:
            inner, place, layer = WRAPPERS[class_name(estimator)](estimator, where)
            self.layers.append(layer)
            return self._up_to_last(inner, columns, place)
        if class_name(estimator) != "Pipeline":
            return estimator, columns, where
        for name, step in estimator.steps[:-1]:
            columns = self.transform(step, columns, f"{where}.{name}")
        name, step = estimator.steps[-1]
        return self._up_to_last(step, columns, f"{where}.{name}")

    def _behind_own_encoder(self, last: Any, columns: List[Column], where: str) -> List[Column]:
        """Newer histogram boosting encodes columns of categories by itself, and puts them first."""
        preprocessor = getattr(last, "_preprocessor", None)
        if preprocessor is None:
            return columns
        pairs = list(zip(columns, last.is_categorical_))
        coded = [column for column, is_categorical in pairs if is_categorical]
        encoder = preprocessor.named_transformers_["encoder"]
        made = self.transform(encoder, coded, f"{where}.categorical_features")
        return made + [column for column, is_categorical in pairs if not is_categorical]

    def transform(self, transformer: Any, columns: List[Column], where: str) -> List[Column]:
        kind = "passthrough" if transformer is None else transformer
        if isinstance(kind, str):
            return NAMED_STEPS[kind](columns)
        apply = lookup(TRANSFORMERS, transformer, where, "as a transformer")
        expected = getattr(transformer, "n_features_in_", len(columns))
        if expected != len(columns):
            raise UnsupportedEstimator(where, f"was fitted on {expected} columns, but {len(columns)} reach it: fit the pipeline as a whole")
        made = apply(self, transformer, columns, where)
        self.is_sparse = is_sparse(transformer, self.is_sparse)
        return made

    def _refuse_numbers_as_categories(self, columns: List[Linear], where: str) -> None:
        for feature, _ in (key for column in columns for key in _numbers_of(column)):
            if feature in self.categories:
                raise UnsupportedEstimator(where, f"{self.names[feature]!r} is used both one-hot and as a number: encode it once")
            if feature in self.ranks:
                raise UnsupportedEstimator(where, f"{self.names[feature]!r} is used both by ranks and as a number: encode it once")
        for feature in self.ranks.keys() & self.categories.keys():
            raise UnsupportedEstimator(where, f"{self.names[feature]!r} is used both one-hot and by ranks: encode it once")

    def _agree_on_curves(self, columns: List[Any], where: str) -> None:
        """The document has one function for each column."""
        for column in columns:
            for feature, _ in _numbers_of(column):
                if isinstance(column, Indicator):
                    continue
                curve = getattr(column, "curve", None)
                if self.curves.setdefault(feature, curve) != curve:
                    reason = "is used through two different functions: use it once"
                    raise UnsupportedEstimator(where, f"{self.names[feature]!r} {reason}")

    def _agreed_fills(self, columns: List[Linear]) -> Dict[int, Any]:
        """A feature may reach the model by several ways; the document has one value to fill it with."""
        ways: Dict[int, set] = {}
        for feature, fill in frozenset().union(*(column.fills for column in columns)):
            ways.setdefault(feature, set()).add(fill)
        return {feature: self._agreed_fill(feature, fills) for feature, fills in ways.items()}

    def _agreed_fill(self, feature: int, fills: set) -> Any:
        if None in fills:
            return None  # one way does not impute, so the estimator refuses the missing value as a whole
        if len(fills) > 1:
            raise UnsupportedEstimator("estimator", f"{self.names[feature]!r} is imputed in two different ways: impute it once, before the branches")
        return next(iter(fills))


def _numbers_of(column: Any) -> List[ModelColumn]:
    """The model columns that come in as numbers."""
    if isinstance(column, Product):
        return _numbers_of(column.left.linear()) + _numbers_of(column.right.linear())
    if isinstance(column, (Stepped, Indicator)):
        return [(column.feature, None)]
    return [key for key in column.terms if key[1] is None]


# Searches over parameters: the estimator that they found and fitted again is the model.
SEARCHES = ("GridSearchCV", "RandomizedSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV")


def _best_of(search: Any, where: str) -> Any:
    if not search.refit:
        raise UnsupportedEstimator(where, f"{class_name(search)}(refit=False) keeps no estimator: search with refit=True")
    return fitted(search, "best_estimator_", where)
