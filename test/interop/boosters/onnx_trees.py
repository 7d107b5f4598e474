"""Trees with every mode of the operators TreeEnsembleClassifier, TreeEnsembleRegressor and TreeEnsemble, at random, as ONNX files."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Dict, List

import numpy as np
from onnx import TensorProto, helper, numpy_helper

COLUMNS = 5
MODES = ["LEQ", "LT", "GTE", "GT", "EQ", "NEQ"]
TREES = 6
DEPTH = 3
# Values that the columns of people.py have: income, age, balance, ratio, member.
VALUES = [[1500.5, 2500.25, 3600.1], [25.0, 40.0, 61.0], [0.0, -50000.0, 120000.0], [-0.001, 0.0005, 0.002], [0.0, 1.0, 0.5]]


OFFSETS = [2500.1, 40.3, -30000.7, 0.0003, 0.0]
DIVISORS = [-731.3, 17.9, 81234.5, -0.0011, 1.0]


def save(node: Any, path: Path, outputs: List[Any], kind: int, version: int, scaled: bool = False) -> None:
    nodes, constants = [node], []
    if scaled:
        nodes = [helper.make_node("Sub", ["X", "offset"], ["moved"]), helper.make_node("Div", ["moved", "divisor"], [node.input[0]]), node]
        constants = [numpy_helper.from_array(np.array(own), name) for name, own in (("offset", OFFSETS), ("divisor", DIVISORS))]
    inputs = [helper.make_tensor_value_info("X", kind, [None, COLUMNS])]
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", version)]
    model = helper.make_model(helper.make_graph(nodes, "trees", inputs, outputs, constants), opset_imports=opsets, ir_version=8)
    path.write_bytes(model.SerializeToString())


def old_nodes(rng: np.random.RandomState) -> Dict[str, List[Any]]:
    """Complete trees: the children of node n are 2 n + 1 and 2 n + 2."""
    nodes: Dict[str, List[Any]] = {f"nodes_{key}": [] for key in ("treeids", "nodeids", "featureids", "modes", "values", "truenodeids", "falsenodeids", "missing_value_tracks_true")}
    for tree in range(TREES):
        for n in range(2 ** (DEPTH + 1) - 1):
            leaf = n >= 2**DEPTH - 1
            feature = int(rng.randint(COLUMNS))
            entry = [tree, n, feature, "LEAF" if leaf else f"BRANCH_{MODES[rng.randint(6)]}", float(rng.choice(VALUES[feature]))]
            children = [0, 0] if leaf else [2 * n + 1, 2 * n + 2]
            for key, value in zip(nodes, [*entry, *children, int(rng.randint(2))]):
                nodes[key].append(value)
    return nodes


def leaves(nodes: Dict[str, List[Any]], kind: str, targets: List[int], rng: np.random.RandomState, low: float) -> Dict[str, List[Any]]:
    found: Dict[str, List[Any]] = {f"{kind}_{key}": [] for key in ("treeids", "nodeids", "ids", "weights")}
    for tree, n, mode in zip(nodes["nodes_treeids"], nodes["nodes_nodeids"], nodes["nodes_modes"]):
        for target in targets if mode == "LEAF" else []:
            for key, value in zip(found, [tree, n, target, float(rng.uniform(low, 0.3))]):
                found[key].append(value)
    return found


def regressor_file(path: Path, aggregate: str = "SUM") -> List[Any]:
    rng = np.random.RandomState(5)
    nodes = old_nodes(rng)
    own = {**nodes, **leaves(nodes, "target", [0], rng, -1.0), "n_targets": 1, "aggregate_function": aggregate, "base_values": [0.7]}
    node = helper.make_node("TreeEnsembleRegressor", ["X"], ["scores"], domain="ai.onnx.ml", **own)
    save(node, path, [helper.make_tensor_value_info("scores", TensorProto.FLOAT, [None, 1])], TensorProto.FLOAT, 3)
    return []


def classifier_file(path: Path, classes: int, transform: str, positive: bool = False) -> List[Any]:
    rng = np.random.RandomState(6)
    nodes = old_nodes(rng)
    targets = [0] if classes == 2 else list(range(classes))
    base = [] if classes == 2 else [0.1 * k for k in range(classes)]
    names = list(range(classes))
    weights = leaves(nodes, "class", targets, rng, 0.0 if positive else -1.0)
    if positive:
        weights["class_weights"] = [value / 2 for value in weights["class_weights"]]
    own = {**nodes, **weights, "classlabels_int64s": names, "post_transform": transform, **({"base_values": base} if base else {})}
    node = helper.make_node("TreeEnsembleClassifier", ["X"], ["label", "scores"], domain="ai.onnx.ml", **own)
    outputs = [helper.make_tensor_value_info("label", TensorProto.INT64, [None]), helper.make_tensor_value_info("scores", TensorProto.FLOAT, [None, classes])]
    save(node, path, outputs, TensorProto.FLOAT, 3)
    return names


def trees_file(path: Path, double: bool = False, codes: bool = False, scaled: bool = False) -> List[Any]:
    """Complete trees; members are codes, and a list of them ends with NaN. `codes`: nothing but members. `scaled`: behind Sub and Div."""
    rng = np.random.RandomState(7)
    kind = np.float64 if double else np.float32
    inner = 2**DEPTH - 1
    lists: Dict[str, List[Any]] = {key: [] for key in ("featureids", "modes", "splits", "truenodeids", "trueleafs", "falsenodeids", "falseleafs", "missing_value_tracks_true")}
    members: List[float] = []
    weights: List[float] = []
    for tree in range(TREES):
        for n in range(inner):
            mode = 6 if codes or rng.random_sample() < 0.3 else int(rng.randint(6))
            feature = 1 if codes else 4 if mode == 6 else int(rng.randint(4))
            if mode == 6:
                chosen = rng.choice(9 if codes else 3, 3 if codes else 2, replace=False)
                members += [*map(float, chosen), float("nan")]
            children = [2 * n + 1, 2 * n + 2]
            is_last = children[0] >= inner
            places = [len(weights), len(weights) + 1] if is_last else [tree * inner + child for child in children]
            if is_last:
                weights += rng.uniform(-1, 1, 2).tolist()
            value = 0.0 if mode == 6 else float(rng.choice(VALUES[feature]))
            value = (value - OFFSETS[feature]) / DIVISORS[feature] if scaled else value
            entry = [feature, mode, value, places[0], int(is_last), places[1], int(is_last), int(rng.randint(2))]
            for key, value in zip(lists, entry):
                lists[key].append(value)
    own: Dict[str, Any] = {f"nodes_{key}": value for key, value in lists.items()}
    own["nodes_modes"] = numpy_helper.from_array(np.array(lists["modes"], dtype=np.uint8), "modes")
    own["nodes_splits"] = numpy_helper.from_array(np.array(lists["splits"], dtype=kind), "splits")
    own["membership_values"] = numpy_helper.from_array(np.array(members, dtype=kind), "members")
    own["leaf_weights"] = numpy_helper.from_array(np.array(weights, dtype=kind), "weights")
    own.update({"leaf_targetids": [0] * len(weights), "tree_roots": [tree * inner for tree in range(TREES)], "n_targets": 1, "aggregate_function": 1, "post_transform": 0})
    node = helper.make_node("TreeEnsemble", ["scaled" if scaled else "X"], ["scores"], domain="ai.onnx.ml", **own)
    tensor = TensorProto.DOUBLE if double else TensorProto.FLOAT
    save(node, path, [helper.make_tensor_value_info("scores", tensor, [None, 1])], tensor, 5, scaled)
    return []
