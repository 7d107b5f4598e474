"""Explaining a table: by the command `elsewise` in a temporary folder, or by a server. Answers come as a table, too."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence, Union

import numpy as np

from .exporter import save
from .policy import Policy
from .server import ExplainError, explain_on_server
from .tables import is_missing

Result = Dict[str, Any]


def explain(frame: Any, model: Any, policy: Any = None, **options: Any) -> Any:
    """A line for each answer: the row before and after, the changes in words, the cost and the proof.

    A DataFrame where pandas is installed, else a list of dictionaries. A row without an answer has one line with its
    status and the reason. Rows that cannot be read are told by a warning; where no row can be read, ExplainError has the reasons.
    See `results_of` for the arguments.
    """
    results = results_of(frame, model, policy, **options)
    _tell_invalid(results)
    lines = [line for result in results for line in _lines(result)]
    try:
        from pandas import DataFrame
    except ImportError:
        return lines
    # Whole numbers stay whole numbers where cells are empty.
    return DataFrame(lines).convert_dtypes(convert_string=False, convert_floating=False)


def _tell_invalid(results: List[Result]) -> None:
    """A row that cannot be read has no answer: a table of such rows must not look like a result."""
    invalid = [result for result in results if result["status"] == "invalid"]
    if not invalid:
        return
    reasons = Counter(f"{fault['path']}: {fault['message']}" for result in invalid for fault in _faults(result))
    commonest = "; ".join(f"{reason} ({count} {'row' if count == 1 else 'rows'})" for reason, count in reasons.most_common(3))
    if len(invalid) == len(results):
        raise ExplainError(f"all {len(results)} rows are invalid: {commonest}")
    warnings.warn(f"{len(invalid)} of {len(results)} rows are invalid: {commonest}", stacklevel=3)


def _faults(result: Result) -> List[Dict[str, Any]]:
    reason = result.get("reason") or {}
    return reason.get("faults") or [{"path": reason.get("path", "row"), "message": reason.get("message", "")}]


def after(answers: Any, frame: Any) -> Any:
    """The rows of `frame` as the answers would have them: a row for each answer, with the columns of `frame`.

    answers: what `explain` gave for `frame`. Lines without an answer have no row. A DataFrame keeps its types, but for numbers
       in single precision: rounding an answer could move it across the boundary.
    """
    lines = answers.to_dict("records") if hasattr(answers, "to_dict") else answers
    found = [line for line in lines if not is_missing(line["answer"])]
    if hasattr(frame, "columns"):
        return _frame_after(found, frame)
    rows = list(frame)
    return [{name: _changed(line, name, value) for name, value in rows[int(line["id"])].items()} for line in found]


def _frame_after(lines: List[Dict[str, Any]], frame: Any) -> Any:
    places = {key: place for place, key in enumerate(_ids(frame))}
    rows = frame.iloc[[places[line["id"]] for line in lines]].copy()
    for name in frame.columns:
        kind = "float64" if str(frame[name].dtype) == "float32" else frame[name].dtype
        changed = [_changed(line, name, value) for line, value in zip(lines, rows[name].tolist())]
        rows[name] = type(frame[name])(changed, index=rows.index, dtype=kind)
    return rows


def _changed(line: Dict[str, Any], name: Any, value: Any) -> Any:
    new = line.get(f"{name} (new)")
    return value if is_missing(new) else new


def results_of(
    frame: Any,
    model: Any,
    policy: Any = None,
    *,
    target: Any = None,
    url: Optional[str] = None,
    token: Optional[str] = None,
    command: Union[str, Sequence[str], None] = None,
    timeout: float = 600.0,
) -> List[Result]:
    """The results as documents `elsewise.result/v1`, in the order of the rows.

    frame: a DataFrame, or a list of dictionaries by feature. The index of a DataFrame becomes the ids, if no key is there twice.
    model: a document, or the path of one; with a server, the name of a model that it knows.
    policy: a Policy, a document, or the path of one.
    url, token: a server to ask. Without a url the command runs here.
    command: how to start elsewise, if it is not on the PATH: "node dist/cli/main.js". The variable ELSEWISE says the same.
    timeout: seconds that the command or the server may take in all.
    """
    rows = list(_rows(frame))
    document = _policy(policy)
    if target is not None:
        document = {**(document or Policy().document), "target": target}
    if url is not None:
        return explain_on_server(url, token, str(model), document, rows, timeout)
    return _by_command(_command(command), model, document, rows, timeout)


def _rows(frame: Any) -> Iterator[Dict[str, Any]]:
    if hasattr(frame, "columns") and hasattr(frame, "index"):
        records: Iterable[Any] = zip(_ids(frame), frame.to_dict("records"))
    else:
        records = ((str(number), record) for number, record in enumerate(frame))
    for key, record in records:
        if not hasattr(record, "items"):
            raise ValueError("frame: expected a DataFrame, or a list of dictionaries by feature")
        yield {"id": key, "features": {str(name): _value(value) for name, value in record.items()}}


def _ids(frame: Any) -> List[str]:
    """The index of a DataFrame, or the numbers of its rows where the index has a key twice."""
    return [str(key) for key in (frame.index if frame.index.is_unique else range(len(frame)))]


def _value(value: Any) -> Any:
    """A cell as JSON has it: numbers of numpy are numbers, missing values are null, dates are text."""
    if is_missing(value):
        return None
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return value.item() if isinstance(value, np.generic) else value


def _policy(policy: Any) -> Optional[Dict[str, Any]]:
    if policy is None or isinstance(policy, dict):
        return policy
    return policy.document if isinstance(policy, Policy) else Policy.load(policy).document


def _command(given: Union[str, Sequence[str], None]) -> List[str]:
    named = given or os.environ.get("ELSEWISE")
    if named:
        return named.split() if isinstance(named, str) else list(named)
    found = shutil.which("elsewise")
    if found is None:
        raise ExplainError("elsewise is not on the PATH: npm install elsewise, or say command= or the variable ELSEWISE")
    return [found]


def _by_command(command: List[str], model: Any, policy: Any, rows: List[Dict[str, Any]], timeout: float) -> List[Result]:
    if not rows:
        return []
    with tempfile.TemporaryDirectory(prefix="elsewise-") as name:
        folder = Path(name)
        arguments = ["explain", "--model", _written_model(model, folder), "--quiet"]
        if policy is not None:
            Policy.of(policy).save(folder / "policy.json")
            arguments += ["--policy", str(folder / "policy.json")]
        (folder / "rows.ndjson").write_text("".join(json.dumps(row, allow_nan=False) + "\n" for row in rows), "utf-8")
        output = folder / "results.ndjson"
        arguments += ["--input", str(folder / "rows.ndjson"), "--output", str(output)]
        done = subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=timeout)
        # Exit 4: every row was invalid. The results tell why.
        if done.returncode not in (0, 4):
            raise ExplainError(done.stderr.strip() or f"elsewise ended with {done.returncode}")
        return [json.loads(line) for line in output.read_text("utf-8").splitlines()]


def _written_model(model: Any, folder: Path) -> str:
    if not isinstance(model, dict):
        return str(model)
    save(model, folder / "model.json")
    return str(folder / "model.json")


# ------------------------------------------------------------------------------------------------ results as lines


def _lines(result: Result) -> Iterator[Dict[str, Any]]:
    factual = result.get("factual") or {}
    before = {"prediction": factual.get("prediction"), "score": factual.get("score")}
    answers = result.get("counterfactuals") or [None]
    for number, answer in enumerate(answers, 1):
        start = {"id": result["id"], "status": result["status"], "answer": number if answer else None}
        told = _answer(answer) if answer else _no_answer(result)
        yield {**start, **before, **told, **_both(factual.get("features") or {}, answer)}


def _answer(answer: Dict[str, Any]) -> Dict[str, Any]:
    return {
        "newPrediction": answer["prediction"],
        "newScore": answer["score"],
        "cost": answer["cost"],
        "proof": answer["proof"]["kind"],
        "gap": answer["proof"]["gap"],
        "changes": "; ".join(f"{c['feature']}: {_shown(c['from'])} -> {_shown(c['to'])}" for c in answer["changes"]),
        "reason": None,
    }


def _no_answer(result: Result) -> Dict[str, Any]:
    empty = dict.fromkeys(("newPrediction", "newScore", "cost", "proof", "gap", "changes"))
    reason = result.get("reason") or {}
    return {**empty, "reason": reason.get("message") or reason.get("code")}


def _shown(value: Any) -> str:
    return "(missing)" if value is None else str(value)


def _both(features: Dict[str, Any], answer: Optional[Dict[str, Any]]) -> Dict[str, Any]:
    """Every feature as it is, and where it changes as it would be."""
    changed = {} if answer is None else {change["feature"]: change["to"] for change in answer["changes"]}
    table: Dict[str, Any] = {}
    for name, value in features.items():
        table[name] = value
        table[f"{name} (new)"] = changed.get(name)
    return table
