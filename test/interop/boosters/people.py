"""Made-up people of mixed types, for models of every library, and the rows on which a model and its import are compared.

`choose_rows` puts half of the rows at thresholds of the model: one feature takes the threshold itself, or its neighbour as a float32 or as a
float64 on either side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Sequence

import numpy as np
import pandas as pd

HOUSING = ["free", "own", "rent"]
REGIONS = [f"region {k:02}" for k in range(14)]
NUMBERS = ["income", "age", "balance", "ratio", "member"]
CATEGORIES: Dict[str, List[str]] = {"housing": HOUSING, "region": REGIONS}
TRAINED = 600


@dataclass(frozen=True)
class Data:
    """The columns of a case: whether values are missing, and whether there are categories."""

    missing: bool = False
    categories: bool = False

    @property
    def columns(self) -> List[str]:
        return NUMBERS + list(CATEGORIES) if self.categories else NUMBERS

    @property
    def words(self) -> str:
        return " and ".join(["categories"] * self.categories + ["missing values"] * self.missing) or "numbers"


def make_people(rng: np.random.RandomState, count: int, data: Data) -> pd.DataFrame:
    """Many balances are exactly zero, some incomes are decimals, ratios are small and of both signs."""
    frame = pd.DataFrame(
        {
            "income": np.round(rng.gamma(4, 700, count), 2),
            "age": rng.randint(18, 80, count).astype(float),
            "balance": np.where(rng.random_sample(count) < 0.4, 0.0, np.round(rng.normal(0, 1e5, count))),
            "ratio": rng.normal(0, 1e-3, count),
            "member": rng.randint(0, 2, count).astype(float),
            "housing": rng.choice(HOUSING, count),
            "region": rng.choice(REGIONS, count),
        }
    )
    if data.missing:
        for name in ("income", "balance", "ratio"):
            frame.loc[rng.random_sample(count) < 0.15, name] = np.nan
    return frame[data.columns]


def wealth(frame: pd.DataFrame, rng: np.random.RandomState) -> np.ndarray:
    """About 0 on average and 1 in size."""
    total = frame["income"].fillna(4500) / 1500 - 2 + frame["balance"].fillna(-8e4) / 1e5 + 300 * frame["ratio"].fillna(2e-3)
    total = total + 0.5 * frame["member"] - (frame["age"] - 50) ** 2 / 900
    if "housing" in frame:
        total = total + frame["housing"].map(dict(zip(HOUSING, [0.3, 1.0, -0.7])))
        total = total + frame["region"].map({name: ((7 * k) % 14) / 7 - 1 for k, name in enumerate(REGIONS)})
    return (total + rng.normal(0, 0.3, len(frame))).to_numpy()


def make_labels(target: str, worth: np.ndarray, rng: np.random.RandomState) -> np.ndarray:
    if target == "binary":
        return (worth > np.median(worth)).astype(int)
    if target == "multi":
        return np.digitize(worth, np.quantile(worth, [0.35, 0.7]))
    if target == "share":
        return 1 / (1 + np.exp(-worth))
    if target == "count":
        return rng.poisson(np.exp(0.4 * np.clip(worth, -4, 4)))
    if target == "positive":
        return np.exp(0.3 * worth)
    if target == "several":
        return np.stack([worth, worth**2, -worth], axis=1)
    if target == "labels":
        return np.stack([worth > -1, worth > 0, worth > 1], axis=1).astype(int)
    return worth


def with_codes(frame: pd.DataFrame) -> pd.DataFrame:
    """Columns of text as categories of pandas, every name with the same code in each frame."""
    return frame.assign(**{n: pd.Categorical(frame[n], names) for n, names in CATEGORIES.items() if n in frame})


def neighbours(threshold: float) -> List[float]:
    single = np.float32(threshold)
    infinite = np.float32(np.inf)
    singles = [single, np.nextafter(single, -infinite), np.nextafter(single, infinite)]
    doubles = [threshold, np.nextafter(threshold, -np.inf), np.nextafter(threshold, np.inf)]
    middles = [(float(singles[0]) + float(singles[1])) / 2, (float(singles[0]) + float(singles[2])) / 2]
    around = [np.nextafter(middle, end) for middle in middles for end in (-np.inf, np.inf)]
    return [float(value) for value in [*singles, *doubles, *middles, *around]]


def choose_rows(rng: np.random.RandomState, count: int, data: Data, thresholds: Dict[str, Sequence[float]]) -> pd.DataFrame:
    rows = make_people(rng, count, data)
    places = [(name, value) for name, list_ in thresholds.items() for value in sorted({float(t) for t in list_})]
    around = [(name, value) for name, threshold in places for value in [*neighbours(threshold), 0.0, -0.0, 1e-36]]
    rng.shuffle(around)
    for row, (name, value) in enumerate(around[: count // 2]):
        rows.at[row, name] = value
    return rows


def as_rows(frame: pd.DataFrame) -> List[List[Any]]:
    """As in a document: numbers, words, and None where a value is missing."""
    values = frame.astype(object).where(frame.notna(), None).to_numpy().tolist()
    return [[value if value is None or isinstance(value, str) else float(value) for value in row] for row in values]
