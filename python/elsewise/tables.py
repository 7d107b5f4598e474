"""X in two forms: as the estimator takes it, and cell by cell."""

from __future__ import annotations

import math
from typing import Any, Dict, List

import numpy as np

MISSING_CATEGORY = "(missing)"


class Table:
    """X in two forms: as the estimator takes it, and cell by cell."""

    def __init__(self, X: Any):
        self.native = _in_double_precision(X)
        self.names = [str(column) for column in X.columns] if hasattr(X, "columns") else None
        self.cells = self._cells()
        if self.cells.ndim != 2 or not len(self.cells):
            raise ValueError(f"X: expected rows of columns, got shape {self.cells.shape}")

    def _cells(self) -> np.ndarray:
        if hasattr(self.native, "to_numpy"):
            return self.native.to_numpy()
        # Without a type of its own numpy would turn mixed rows into strings.
        return self.native if isinstance(self.native, np.ndarray) else np.array(self.native, dtype=object)

    def take(self, indices: np.ndarray) -> Any:
        if hasattr(self.native, "iloc"):
            return self.native.iloc[indices.tolist()]
        return self.native[indices] if isinstance(self.native, np.ndarray) else [self.native[i] for i in indices]

    def shuffled(self, random: Any) -> Table:
        """The same values in each column, in another order in each: no row is a row of X but by chance."""
        orders = [random.permutation(len(self.cells)) for _ in range(self.cells.shape[1])]
        if hasattr(self.native, "dtypes"):
            parts = {name: self.native.iloc[order, i].to_numpy() for i, (name, order) in enumerate(zip(self.native.columns, orders))}
            return Table(type(self.native)(parts).astype(dict(self.native.dtypes)))
        cells = np.column_stack([self.cells[order, i] for i, order in enumerate(orders)])
        return Table(cells if isinstance(self.native, np.ndarray) else cells.tolist())

    def missing(self) -> np.ndarray:
        if self.cells.dtype.kind in "fiub":
            return np.isnan(self.cells)
        return np.frompyfunc(is_missing, 1, 1)(self.cells).astype(bool)

    def present(self, feature: int) -> List[Any]:
        return [value for value in self.cells[:, feature].tolist() if not is_missing(value)]

    def numbers(self, feature: int) -> np.ndarray:
        present = self.present(feature)
        try:
            return np.array([float(value) for value in present], dtype=float)
        except (TypeError, ValueError):
            odd = next(value for value in present if not isinstance(value, (int, float, np.number)))
            name = feature if self.names is None else repr(self.names[feature])
            reason = f"{odd!r} is no number: fit on a number made of it; if the pipeline drops the column, give X with text or numbers in it"
            raise ValueError(f"X: column {name}: {reason}") from None

    def categories(self, feature: int) -> Dict[str, Any]:
        return {category_name(value): value for value in self.present(feature)}

    def has_text(self, feature: int) -> bool:
        return any(isinstance(value, str) for value in self.present(feature))


def _in_double_precision(X: Any) -> Any:
    """Single precision would round the estimator's scores, and the probes are compared in double."""
    if isinstance(X, np.ndarray):
        return X.astype(float, copy=False) if X.dtype.kind == "f" else X
    if not hasattr(X, "dtypes"):
        return X
    narrow = [column for column, kind in zip(X.columns, X.dtypes) if str(kind) in ("float16", "float32")]
    return X.astype({column: "float64" for column in narrow}) if narrow else X


def is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):  # pandas.NA, which has no truth value, and its missing date
        return True
    return isinstance(value, (float, np.floating)) and math.isnan(value)


def category_name(value: Any) -> str:
    """Categories are strings in the document: 2.0 and 2 are both "2", since a table may hold either."""
    if is_missing(value):
        return MISSING_CATEGORY
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)
