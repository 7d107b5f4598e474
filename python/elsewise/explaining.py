"""Explaining a table: by the command `elsewise` in a temporary folder, or by a server. Answers come as a table, too."""

from __future__ import annotations

import difflib
import json
import math
import os
import re
import shutil
import subprocess
import tempfile
import warnings
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

import numpy as np

from .exporter import save
from .policy import Policy
from .server import ExplainError, explain_on_server
from .tables import is_missing

Result = Dict[str, Any]
Feature = Dict[str, Any]


def explain(frame: Any, model: Any, policy: Any = None, **options: Any) -> Any:
    """A line for each answer: the row before and after, the changes in words, the cost and the proof.

    A DataFrame where pandas is installed, else a list of dictionaries. A row without an answer has one line with its
    status and the reason. Rows that cannot be read are told by a warning; where no row can be read, ExplainError has the reasons.
    See `results_of` for the arguments.
    """
    results, features = _ask(frame, model, policy, **options)
    _tell_invalid(results)
    units = {feature["name"]: feature.get("unit") for feature in features}
    lines = [line for result in results for line in _lines(result, units)]
    try:
        import pandas
    except ImportError:
        return lines
    names = [*units] or [str(name) for name in getattr(frame, "columns", [])]
    columns = [*lines[0]] if lines else [*LINE, *(column for name in names for column in (name, _new(name)))]
    return pandas.DataFrame({name: _column(pandas, [line.get(name) for line in lines]) for name in columns})


def _column(pandas: Any, values: List[Any]) -> Any:
    """Whole numbers stay whole numbers where cells are empty, and truth values truth values."""
    kinds = {type(value) for value in values if value is not None}
    dtype = {int: "Int64", bool: "boolean"}.get(next(iter(kinds))) if len(kinds) == 1 else "float64" if kinds == {int, float} else None
    return pandas.Series(values, dtype=dtype if values else "object")


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
    new = line.get(_new(name))
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
    missing: str = "raise",
) -> List[Result]:
    """The results as documents `elsewise.result/v1`, in the order of the rows.

    frame: a DataFrame, or a list of dictionaries by feature. The index of a DataFrame becomes the ids, if no key is there twice.
    model: a document, or the path of one; with a server, the name of a model that it knows.
    policy: a Policy, a document, or the path of one.
    url, token: a server to ask. Without a url the command runs here.
    command: how to start elsewise, if it is not on the PATH: "node dist/cli/main.js". The variable ELSEWISE says the same.
    timeout: seconds that the command or the server may take in all.
    missing: "raise": a feature of the model that is in no row raises ExplainError. "impute": the model imputes the feature, if it can.
       A server decides by itself, and its warnings are told.

    Keys of the rows that the model does not know are told by a warning.
    """
    where = {"url": url, "token": token, "command": command, "timeout": timeout}
    return _ask(frame, model, policy, target=target, missing=missing, **where)[0]


def _ask(
    frame: Any,
    model: Any,
    policy: Any,
    *,
    target: Any = None,
    url: Optional[str] = None,
    token: Optional[str] = None,
    command: Union[str, Sequence[str], None] = None,
    timeout: float = 600.0,
    missing: str = "raise",
) -> Tuple[List[Result], List[Feature]]:
    """The results, and the features of the model as far as they are known here."""
    if missing not in ("raise", "impute"):
        raise ValueError(f'missing: expected "raise" or "impute", got {missing!r}')
    rows = list(_rows(frame))
    document = _policy(policy)
    if target is not None:
        document = {**(document or Policy().document), "target": target}
    if url is not None:
        return explain_on_server(url, token, str(model), document, rows, timeout), []
    features = _features(model)
    if missing == "raise":
        _refuse_absent(features, rows)
    return _by_command(_command(command), model, document, rows, timeout), features


def _features(model: Any) -> List[Feature]:
    """The features of a document, or of a file with one. Empty: they are not known here."""
    if isinstance(model, (str, os.PathLike)) and os.path.isfile(model):
        try:
            model = json.loads(Path(model).read_text("utf-8-sig"))
        except ValueError:
            return []  # the command says what is wrong
    features = model.get("features") if isinstance(model, dict) else None
    known = isinstance(features, list) and all(isinstance(feature, dict) and "name" in feature for feature in features)
    return features if known else []


def _refuse_absent(features: List[Feature], rows: List[Dict[str, Any]]) -> None:
    """A misspelt column must not be imputed in silence."""
    if not rows:
        return
    present = {name for row in rows for name in row["features"]}
    names = [feature["name"] for feature in features]
    absent = [name for name in names if name not in present]
    if not absent:
        return
    spare = {name.lower(): name for name in sorted(present.difference(names))}
    told = []
    for name in absent[:MOST_NAMES]:
        meant = difflib.get_close_matches(name.lower(), spare, 1)
        told.append(f'"{name}"' + (f' (did you mean "{spare[meant[0]]}"?)' if meant else ""))
    more = f" and {len(absent) - MOST_NAMES} more" if len(absent) > MOST_NAMES else ""
    raise ExplainError(f'no row has {", ".join(told)}{more}, which the model needs; missing="impute" leaves it to the model')


MOST_NAMES = 8


def _rows(frame: Any) -> Iterator[Dict[str, Any]]:
    if hasattr(frame, "columns") and hasattr(frame, "index"):
        if not frame.columns.is_unique:
            twice = next(name for name in frame.columns if list(frame.columns).count(name) > 1)
            raise ValueError(f"frame: the column {twice!r} appears twice")
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
    """A cell as JSON has it: numbers of numpy are numbers, missing values are null, dates are text. Infinity is text: its row is invalid."""
    if is_missing(value):
        return None
    if isinstance(value, (float, np.floating)) and math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
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
        done = _run([*command, *arguments], timeout)
        # Exit 4: every row was invalid. The results tell why.
        if done.returncode not in (0, 4):
            raise ExplainError(done.stderr.strip() or f"elsewise ended with {done.returncode}")
        _tell_warnings(done.stderr)
        return [json.loads(line) for line in output.read_text("utf-8").split("\n") if line]


def _run(arguments: List[str], timeout: float) -> Any:
    try:
        return subprocess.run(arguments, capture_output=True, text=True, encoding="utf-8", timeout=timeout)
    except OSError as error:
        reason = error.strerror or str(error)
        raise ExplainError(f"{arguments[0]} cannot be started ({reason}): npm install elsewise, or say command= or the variable ELSEWISE") from None


PREFIX = "elsewise: "
# The rows travel as NDJSON, where columns are keys.
KEYS = re.compile("^keys that")


def _tell_warnings(words: str) -> None:
    """What the command says beside its results, such as unknown keys. Invalid rows are told from the results."""
    told = [line[len(PREFIX) :] for line in words.splitlines() if line.startswith(PREFIX)]
    for line in told:
        if line != "every row is invalid":
            warnings.warn(KEYS.sub("columns that", line), stacklevel=5)


def _written_model(model: Any, folder: Path) -> str:
    if not isinstance(model, dict):
        return str(model)
    save(model, folder / "model.json")
    return str(folder / "model.json")


# ------------------------------------------------------------------------------------------------ results as lines


LINE = (
    *("id", "status", "answer", "prediction", "score"),
    *("newPrediction", "newScore", "cost", "proof", "gap", "changes", "reason"),
)


def _lines(result: Result, units: Dict[str, Optional[str]]) -> Iterator[Dict[str, Any]]:
    factual = result.get("factual") or {}
    before = {"prediction": factual.get("prediction"), "score": factual.get("score")}
    answers = result.get("counterfactuals") or [None]
    for number, answer in enumerate(answers, 1):
        start = {"id": result["id"], "status": result["status"], "answer": number if answer else None}
        told = _answer(answer, units) if answer else _no_answer(result)
        yield {**start, **before, **told, **_both(factual.get("features") or {}, answer)}


def _answer(answer: Dict[str, Any], units: Dict[str, Optional[str]]) -> Dict[str, Any]:
    return {
        "newPrediction": answer["prediction"],
        "newScore": answer["score"],
        "cost": answer["cost"],
        "proof": answer["proof"]["kind"],
        "gap": answer["proof"]["gap"],
        "changes": "; ".join(_change(change, units) for change in answer["changes"]),
        "reason": None,
    }


def _no_answer(result: Result) -> Dict[str, Any]:
    empty = dict.fromkeys(("newPrediction", "newScore", "cost", "proof", "gap", "changes"))
    reason = result.get("reason") or {}
    return {**empty, "reason": reason.get("message") or reason.get("code")}


def _change(change: Dict[str, Any], units: Dict[str, Optional[str]]) -> str:
    """In the words of the command: income from 2100 to 2600 EUR/month."""
    unit = units.get(change["feature"])
    return f"{change['feature']} from {_shown(change['from'])} to {_shown(change['to'])}{f' {unit}' if unit else ''}"


def _shown(value: Any) -> str:
    if value is None:
        return "missing"
    if isinstance(value, float):
        return _number(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _number(value: float) -> str:
    """As the command spells numbers: plain from 1e-6 up to 1e21."""
    if value == 0:
        return "0"
    if 1e-6 <= abs(value) < 1e21:
        plain = format(Decimal(repr(value)), "f")
        return plain[:-2] if plain.endswith(".0") else plain
    digits, exponent = f"{Decimal(repr(value)):e}".lower().split("e")
    return f"{digits.rstrip('0').rstrip('.') if '.' in digits else digits}e{int(exponent):+d}"


def _new(name: Any) -> str:
    return f"{name} (new)"


def _both(features: Dict[str, Any], answer: Optional[Dict[str, Any]]) -> Dict[str, Any]:
    """Every feature as it is, and where it changes as it would be."""
    changed = {} if answer is None else {change["feature"]: change["to"] for change in answer["changes"]}
    table: Dict[str, Any] = {}
    for name, value in features.items():
        table[name] = value
        table[_new(name)] = changed.get(name)
    return table
