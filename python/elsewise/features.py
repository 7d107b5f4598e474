"""Names, types and other keys of the features of a document, and its rows."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Union

import numpy as np

from .columns import RANK, ModelColumn
from .fold import Fold
from .head import Head, fitted
from .quadratic import is_nearest_prototype
from .tables import Table, category_name, is_missing

NUMERIC_TYPES = ("continuous", "integer", "boolean")


def feature_names_of(estimator: Any, given: Optional[Sequence[str]], table: Optional[Table]) -> List[str]:
    fitted_names = getattr(estimator, "feature_names_in_", None)
    fitted = None if fitted_names is None else [str(name) for name in fitted_names]
    in_table = None if table is None else table.names
    if fitted is not None and in_table is not None and in_table != fitted:
        raise ValueError(f"X: the estimator was fitted on columns {fitted}, but X has {in_table}")
    count = table.cells.shape[1] if table is not None else _fitted_width(estimator)
    _check_width(estimator, table)
    numbered = [f"x{i}" for i in range(count)]
    names = [str(name) for name in next(n for n in (given, in_table, fitted, numbered) if n is not None)]
    if len(names) != count:
        raise ValueError(f"feature_names: {len(names)} names for {count} columns")
    if len(set(names)) != count:
        raise ValueError(f"feature_names: a name is used twice in {names}")
    return names


def _check_width(estimator: Any, table: Optional[Table]) -> None:
    expected = getattr(estimator, "n_features_in_", None)
    if table is not None and expected is not None and table.cells.shape[1] != expected:
        raise ValueError(f"X: the estimator was fitted on {expected} columns, but X has {table.cells.shape[1]}")


def _fitted_width(estimator: Any) -> int:
    # An estimator of sklearn-lvq does not keep the number of its columns, but its prototypes have it.
    if is_nearest_prototype(estimator) and not hasattr(estimator, "n_features_in_"):
        return np.shape(estimator.w_)[1]
    return fitted(estimator, "n_features_in_", "estimator")


class Wishes:
    """What the caller says about features, by name; a name that is no feature is an error."""

    def __init__(self, names: List[str], types: Any, decimals: Any, units: Any, bounds: bool):
        if types is not None and not hasattr(types, "items"):
            if len(types) != len(names):
                raise ValueError(f"feature_types: {len(types)} types for {len(names)} features")
            types = dict(zip(names, types))
        self.types, self.decimals, self.units, self.bounds = types or {}, decimals or {}, units or {}, bounds
        for option in ("types", "decimals", "units"):
            for name in getattr(self, option):
                if name not in names:
                    prefix = "feature_" if option == "types" else ""
                    raise ValueError(f"{prefix}{option}.{name}: no such feature, there are {', '.join(names)}")

    def extras(self, name: str, kind: str) -> Dict[str, Any]:
        """The optional keys of a feature."""
        extras: Dict[str, Any] = {}
        if name in self.decimals:
            if kind != "continuous":
                raise ValueError(f"decimals.{name}: the feature is {kind}, only a continuous one has decimals")
            extras["decimals"] = int(self.decimals[name])
        if name in self.units:
            extras["unit"] = str(self.units[name])
        return extras


def describe_features(fold: Fold, table: Optional[Table], wishes: Wishes) -> List[Dict[str, Any]]:
    return [_describe_feature(fold, table, wishes, feature) for feature in range(len(fold.names))]


def _describe_feature(fold: Fold, table: Optional[Table], wishes: Wishes, feature: int) -> Dict[str, Any]:
    name = fold.names[feature]
    wanted = wishes.types.get(name)
    categories = fold.categories.get(feature) or _unused_categories(fold, table, feature, wanted)
    if feature in fold.ranks:
        kind = _agreed_type(name, "categorical", wanted, np.array([]))
        ordered = {"categories": list(fold.ranks[feature]), "encoding": "ordinal"}
        return {"name": name, "type": kind, **ordered, **wishes.extras(name, kind)}
    if categories:
        kind = _agreed_type(name, "categorical", wanted, np.array([]))
        return {"name": name, "type": kind, "categories": list(categories), **wishes.extras(name, kind)}
    numbers = np.array([]) if table is None else table.numbers(feature)
    kind = _agreed_type(name, _inferred_type(numbers), wanted, numbers)
    described: Dict[str, Any] = {"name": name, "type": kind}
    if wishes.bounds and len(numbers) and kind != "boolean":
        described.update(min=number_of(numbers.min(), kind), max=number_of(numbers.max(), kind))
    return {**described, **wishes.extras(name, kind)}


def _unused_categories(fold: Fold, table: Optional[Table], feature: int, wanted: Optional[str]) -> Dict[str, Any]:
    """A dropped column stays a feature; if it is text, its values are its categories."""
    if table is None or feature in fold.fills or not (table.has_text(feature) or wanted == "categorical"):
        return {}
    return table.categories(feature)


FITS_TYPE: Dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "boolean": lambda numbers: (numbers == 0) | (numbers == 1),
    "integer": lambda numbers: numbers == np.round(numbers),
    "continuous": np.isfinite,
}


def _inferred_type(numbers: np.ndarray) -> str:
    if not len(numbers):
        return "continuous"
    return next((kind for kind, fits in FITS_TYPE.items() if fits(numbers).all()), "continuous")


def _agreed_type(name: str, found: str, wanted: Optional[str], numbers: np.ndarray) -> str:
    if wanted is None or wanted == found:
        return found
    path = f"feature_types.{name}"
    if wanted not in FITS_TYPE:
        reason = "only a one-hot encoded column can be" if wanted == "categorical" else "unknown type"
        raise ValueError(f"{path}: {wanted!r}: {reason}; choose from {', '.join(NUMERIC_TYPES)}")
    if found == "categorical":
        raise ValueError(f"{path}: {wanted!r}, but the column is one-hot encoded")
    misfits = numbers[~FITS_TYPE[wanted](numbers)]
    if len(misfits):
        raise ValueError(f"{path}: {wanted!r}, but X holds {float(misfits[0])}")
    return wanted


def number_of(value: Any, kind: str) -> Union[int, float]:
    return float(value) if kind == "continuous" else int(float(value))


def _cell(value: Any, feature: Dict[str, Any]) -> Any:
    if is_missing(value):
        return None
    return category_name(value) if feature["type"] == "categorical" else number_of(value, feature["type"])


def document_rows(table: Table, indices: np.ndarray, features: List[Dict[str, Any]]) -> List[List[Any]]:
    return [[_cell(value, feature) for value, feature in zip(row, features)] for row in table.cells[indices].tolist()]


def class_names_of(head: Head, given: Optional[Sequence[str]]) -> List[str]:
    classes, fixed = head.classes, getattr(head, "fixed_names", None)
    names = [str(name) for name in (fixed or classes if given is None else given)]
    if fixed and names != fixed:
        raise ValueError(f"class_names: the classes of {head.family} are {fixed}, they cannot be {names}")
    if len(names) != len(classes):
        raise ValueError(f"class_names: {len(names)} names for the classes {classes}")
    if len(set(names)) != len(names):
        raise ValueError(f"class_names: a name is used twice in {names}")
    return names


def layout_of(features: List[Dict[str, Any]]) -> List[ModelColumn]:
    """All model columns in document order."""
    return [(i, category) for i, feature in enumerate(features) for category in _columns_of(feature)]


def _columns_of(feature: Dict[str, Any]) -> List[Any]:
    return [RANK] if feature.get("encoding") == "ordinal" else feature.get("categories", [None])
