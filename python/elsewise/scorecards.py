"""Scorecards of optbinning as a plain table of points, with the exact ends of their bins.

The table of optbinning prints ends with few digits. A value between the printed end and the exact end would get other points.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any, Iterator, List, Optional, Tuple

import numpy as np

_HEADER = ["feature", "from", "to", "categories", "points"]


def export_scorecard(scorecard: Any, file: Any, cut_off: Optional[float] = None) -> None:
    """Write a fitted `Scorecard` as CSV for `elsewise models import FILE --from scorecard`.

    cut_off: the score from which on a row is accepted. Without a cut-off the model predicts points.
    """
    process = scorecard.binning_process_
    table = scorecard.table(style="summary")
    lines: List[List[Any]] = []
    for name in process.get_support(names=True):
        variable = process.get_binned_variable(name)
        points = [float(number) for number in table.Points[table.Variable == name]]
        rows = _categorical if variable.dtype == "categorical" else _numerical
        lines.extend([name, *cells] for cells in rows(str(name), variable, points))
    with Path(file).open("w", newline="", encoding="utf-8") as target:
        target.write(f"# base score: {float(scorecard.intercept_)!r}\n")
        if cut_off is not None:
            target.write(f"# cut-off: {float(cut_off)!r}\n")
        writer = csv.writer(target, lineterminator="\n")
        writer.writerow(_HEADER)
        writer.writerows(lines)


Cells = Tuple[str, str, str, str]


def _numerical(name: str, variable: Any, points: List[float]) -> Iterator[Cells]:
    splits = np.asarray(variable.splits, dtype=float)
    codes = {code: points[len(splits) + 1 + group] for code, group in _codes(name, variable)}
    inside = {edge for code in codes for edge in (code, float(np.nextafter(code, np.inf)))}
    starts = [-np.inf, *sorted({*splits.tolist(), *inside})]
    for start, end in zip(starts, [*starts[1:], np.inf]):
        own = codes.get(start, points[int(np.digitize(start, splits))])
        yield _end(start), _end(end), "", repr(own)
    yield "", "", "(missing)", repr(points[-1])


def _categorical(name: str, variable: Any, points: List[float]) -> Iterator[Cells]:
    if variable.cat_unknown is not None:
        raise ValueError(f'"{name}" has cat_unknown: leave it out, a scorecard then gives unknown categories the points of "Missing"')
    bins = [[str(category) for category in group] for group in variable.splits]
    for categories, own in zip(bins, points):
        yield "", "", json.dumps(categories, ensure_ascii=False), repr(own)
    known = {category for categories in bins for category in categories}
    for code, group in _codes(name, variable):
        if str(code) not in known:
            yield "", "", json.dumps([str(code)], ensure_ascii=False), repr(points[len(bins) + group])
    yield "", "", "(other)", repr(points[-1])
    yield "", "", "(missing)", repr(points[-1])


def _codes(name: str, variable: Any) -> List[Tuple[Any, int]]:
    """Each special code with the number of its row among the rows of special codes."""
    codes = variable.special_codes
    if codes is None:
        return []
    groups = list(codes.values()) if isinstance(codes, dict) else [codes]
    flat = [(code, at) for at, group in enumerate(groups) for code in (group if isinstance(group, (list, tuple, np.ndarray)) else [group])]
    if variable.dtype == "categorical":
        return flat
    return [(float(code), at) for code, at in flat if not isinstance(code, str) and np.isfinite(code)]


def _end(value: float) -> str:
    return repr(float(value)) if np.isfinite(value) else ""
