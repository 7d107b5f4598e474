"""What the scripts of all libraries share: cases, the answers of a library, and the files that they are written to.

    python3 fit_LIBRARY.py FOLDER [--rows N] [--only CASE,CASE]

writes, for each case that this version of the library knows, the files of the model and CASE.expected.json: what the library says about rows
that it has not seen.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np
import pandas as pd
from people import CATEGORIES, Data, as_rows


@dataclass(frozen=True)
class Case:
    """`since`, `until`: the first version that can make the model, and the first that no longer can. `refused`: a part of the error that names what the importer refuses. `codes`: names of codes that a caller would give."""

    model: str
    objective: str
    parameters: Dict[str, Any] = field(default_factory=dict)
    target: str = "number"
    data: Data = Data()
    since: Tuple[int, ...] = (0,)
    until: Tuple[int, ...] = (999,)
    rounds: int = 10
    stop_early: bool = False
    output: Optional[int] = None
    refused: Optional[str] = None
    note: str = ""
    codes: Dict[str, List[str]] = field(default_factory=dict)


@dataclass
class Answers:
    """Of a library for `rows`: scores as it predicts them unless it predicts labels, sums before the link unless it hides them, the class that it decides on."""

    rows: pd.DataFrame
    scores: Optional[np.ndarray]
    margins: Optional[np.ndarray]
    decisions: Optional[Sequence[int]]


def decide(margins: np.ndarray) -> List[int]:
    """The class of the largest sum, or of the sign of one sum."""
    margins = margins.reshape(len(margins), -1)
    return ((margins[:, 0] > 0) if margins.shape[1] == 1 else margins.argmax(axis=1)).astype(int).tolist()


def table(values: Any) -> List[List[float]]:
    values = np.asarray(values)
    return values.reshape(len(values), -1).astype(float).tolist()


def describe(case: Case, library: str, version: str, files: List[str], answers: Optional[Answers]) -> Dict[str, Any]:
    head = {
        "library": library,
        "version": version,
        "model": case.model,
        "objective": case.objective,
        "data": case.data.words + (f", {case.note}" if case.note else ""),
        "files": files,
        "categories": {**(CATEGORIES if case.data.categories else {}), **case.codes},
        "output": case.output,
        "refused": case.refused,
    }
    if answers is None:
        return head
    scores = None if answers.scores is None else table(answers.scores)
    margins = None if answers.margins is None else table(answers.margins)
    asked = {"rows": as_rows(answers.rows), "scores": scores, "margins": margins}
    return {**head, **asked, "decisions": answers.decisions}


Fit = Callable[[str, Case, np.random.RandomState, Path, int], Tuple[List[str], Optional[Answers]]]


def write_cases(library: str, version: str, cases: Dict[str, Case], fit: Fit) -> None:
    options = argparse.ArgumentParser()
    options.add_argument("folder", type=Path)
    options.add_argument("--rows", type=int, default=1000)
    options.add_argument("--only", default="")
    chosen = options.parse_args()
    own = tuple(int(part) for part in version.split(".")[:3])
    for seed, (name, case) in enumerate(cases.items()):
        if not case.since <= own < case.until or (chosen.only and name not in chosen.only.split(",")):
            continue
        files, answers = fit(name, case, np.random.RandomState(seed), chosen.folder, chosen.rows)
        document = describe(case, library, version, files, answers)
        (chosen.folder / f"{name}.expected.json").write_text(json.dumps(document))
