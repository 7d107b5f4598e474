"""ONNX files of skl2onnx, onnxmltools and torch. Each function writes a file and returns the classes in the order of the scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Dict, List

import numpy as np
import pandas as pd


def initial_types(frame: pd.DataFrame, kind: str, types: Any) -> List[Any]:
    """`kind`: one tensor of floats or doubles, or an input for each column."""
    if kind == "columns":
        return [(name, (types.StringTensorType if frame[name].dtype == object or str(frame[name].dtype).startswith("str") else types.FloatTensorType)([None, 1])) for name in frame]
    tensor = types.DoubleTensorType if kind == "double" else types.FloatTensorType
    return [("X", tensor([None, frame.shape[1]]))]


def plain(value: Any) -> Any:
    return [int(entry) if isinstance(entry, (bool, np.bool_, np.integer)) else entry for entry in value] if isinstance(value, list) else value


def accept_truths() -> None:
    """skl2onnx 1.20 gives onnx truth values for the nodes of histogram boosting, and onnx asks for integers."""
    from skl2onnx.common import _container

    make_node = _container.make_node
    if make_node.__name__ == "make_node":
        _container.make_node = lambda *own, **named: make_node(*own, **{name: plain(value) for name, value in named.items()})


def sklearn_file(estimator: Any, frame: pd.DataFrame, y: np.ndarray, path: Path, kind: str, options: Dict[str, Any]) -> List[Any]:
    from skl2onnx import to_onnx
    from skl2onnx.common import data_types
    from sklearn.base import clone

    accept_truths()
    model = clone(estimator).fit(frame if kind == "columns" else frame.to_numpy(), y)
    own = {type(model[-1]): options} if "raw_scores" in options else {id(model): options} if options else None
    onnx_model = to_onnx(model, initial_types=initial_types(frame, kind, data_types), options=own, target_opset={"": 17, "ai.onnx.ml": 3})
    path.write_bytes(onnx_model.SerializeToString())
    return [] if not hasattr(model, "classes_") else model.classes_.tolist()


def lightgbm_file(parameters: Dict[str, Any], rounds: int, frame: pd.DataFrame, y: np.ndarray, path: Path) -> List[Any]:
    import lightgbm
    from onnxmltools import convert_lightgbm
    from onnxmltools.convert.common import data_types

    settings = {"num_leaves": 7, "verbosity": -1, "num_threads": 1, **parameters}
    booster = lightgbm.train(settings, lightgbm.Dataset(frame.to_numpy(), y), rounds)
    path.write_bytes(convert_lightgbm(booster, initial_types=initial_types(frame, "float", data_types), target_opset=15).SerializeToString())
    return {"binary": [0, 1], "multiclass": [0, 1, 2]}.get(parameters["objective"], [])


def xgboost_file(parameters: Dict[str, Any], rounds: int, frame: pd.DataFrame, y: np.ndarray, path: Path) -> List[Any]:
    import xgboost
    from onnxmltools import convert_xgboost
    from onnxmltools.convert.common import data_types

    is_class = parameters["objective"].split(":")[0] in ("binary", "multi")
    kind = xgboost.XGBClassifier if is_class else xgboost.XGBRegressor
    model = kind(n_estimators=rounds, max_depth=3, n_jobs=1, **parameters).fit(frame.to_numpy(), y)
    path.write_bytes(convert_xgboost(model, initial_types=initial_types(frame, "float", data_types), target_opset=15).SerializeToString())
    return model.classes_.tolist() if is_class else []


def torch_file(activation: str, head: str, frame: pd.DataFrame, y: np.ndarray, path: Path, dynamo: bool = True) -> List[Any]:
    import torch

    torch.manual_seed(1)
    classes = {"sigmoid": [0, 1], "softmax": [0, 1, 2], "logits": [0, 1, 2], "number": []}[head]
    units = {"sigmoid": 1, "number": 1}.get(head, 3)
    scale = torch.nn.Linear(frame.shape[1], frame.shape[1])
    with torch.no_grad():
        deviations = torch.tensor(frame.std().to_numpy(), dtype=torch.float32)
        scale.weight.copy_(torch.diag(1 / deviations))
        scale.bias.copy_(-torch.tensor(frame.mean().to_numpy(), dtype=torch.float32) / deviations)
    between = {"relu": torch.nn.ReLU, "tanh": torch.nn.Tanh}[activation]
    last = {"sigmoid": [torch.nn.Sigmoid()], "softmax": [torch.nn.Softmax(dim=1)]}.get(head, [])
    layers = [scale, torch.nn.Linear(frame.shape[1], 6), between(), torch.nn.Linear(6, 4), between(), torch.nn.Linear(4, units), *last]
    model = torch.nn.Sequential(*layers).eval()
    example = torch.zeros((2, frame.shape[1]))
    names = {"input_names": ["x"], "output_names": ["scores"]}
    if dynamo:
        torch.onnx.export(model, (example,), str(path), dynamo=True, dynamic_shapes=({0: torch.export.Dim("rows")},), external_data=False, **names)
    else:
        torch.onnx.export(model, (example,), str(path), dynamo=False, dynamic_axes={"x": {0: "rows"}, "scores": {0: "rows"}}, **names)
    return classes
