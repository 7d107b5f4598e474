"""The models of skl2onnx, onnxmltools and torch, and trees of every mode made by hand, as onnxruntime scores them. See fitting.py."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np
import onnx
import onnxruntime
import pandas as pd
from fitting import Answers, Case, write_cases
from onnx_makers import lightgbm_file, sklearn_file, torch_file, xgboost_file
from onnx_trees import classifier_file, regressor_file, trees_file
from people import CATEGORIES, NUMBERS, TRAINED, Data, choose_rows, make_labels, make_people, wealth

from sklearn.compose import ColumnTransformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import (
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression, Perceptron, PoissonRegressor, RidgeClassifier, SGDClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, Normalizer, OneHotEncoder, OrdinalEncoder, RobustScaler, StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR, NuSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

Make = Callable[[pd.DataFrame, np.ndarray, Path], List[Any]]


@dataclass(frozen=True)
class OnnxCase(Case):
    """`make` writes the file and returns the classes, in the order of the scores; none for a regressor. `only_decisions`: onnxruntime shows the sum of two classes with the other sign."""

    make: Optional[Make] = None
    only_decisions: bool = False


def sk(estimator: Any, kind: str = "float", names: Sequence[str] = (), **options: Any) -> Make:
    """`names`: labels of text."""
    return lambda frame, y, path: sklearn_file(estimator, frame, np.array(names)[y] if names else y, path, kind, options)


MISSING = Data(missing=True)
WORDS = Data(categories=True)
BOTH = Data(missing=True, categories=True)
PLAIN = {"zipmap": False}
AGES = [str(age) for age in range(100)]


def scaled(estimator: Any) -> Any:
    return make_pipeline(StandardScaler(), estimator)


def columns(estimator: Any, encoder: Any) -> Any:
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    return make_pipeline(ColumnTransformer([("numbers", numbers, NUMBERS), ("words", encoder, list(CATEGORIES))]), estimator)


OBJECTIVES = {"binary": "two classes", "multi": "three classes", "worth": "a number", "count": "a count", "several": "three numbers"}


def coded(estimator: Any) -> Any:
    return make_pipeline(ColumnTransformer([("numbers", StandardScaler(), [0, 1, 2, 3]), ("codes", OneHotEncoder(), [4])]), estimator)


def case(model: str, make: Make, target: str = "binary", data: Data = Data(), by: str = "skl2onnx", **options: Any) -> OnnxCase:
    return OnnxCase(f"{by}: {model}", OBJECTIVES[target], {}, target, data, make=make, **options)


def lgb(objective: str, rounds: int = 6, **parameters: Any) -> Make:
    return lambda frame, y, path: lightgbm_file({"objective": objective, **parameters}, rounds, frame, y, path)


def xgb(objective: str, rounds: int = 6, **parameters: Any) -> Make:
    return lambda frame, y, path: xgboost_file({"objective": objective, **parameters}, rounds, frame, y, path)


def net(activation: str, head: str, **options: Any) -> Make:
    return lambda frame, y, path: torch_file(activation, head, frame, y, path, **options)


ONE_HOT = OneHotEncoder(handle_unknown="ignore")
ORDINAL = OrdinalEncoder()
SMALL = {"n_estimators": 6, "max_depth": 4, "random_state": 1}
BOOST = {"max_iter": 8, "max_depth": 4, "random_state": 1}

# Before 1.23, onnxruntime reads a list of members wrongly if 0 is among them.
CASES: Dict[str, OnnxCase] = {
    "logistic": case("LogisticRegression", sk(scaled(LogisticRegression()))),
    "logistic-plain": case("LogisticRegression", sk(scaled(LogisticRegression()), **PLAIN), note="zipmap False"),
    "logistic-columns": case("LogisticRegression", sk(scaled(LogisticRegression()), "columns"), note="an input for each column"),
    "logistic-double": case("LogisticRegression", sk(scaled(LogisticRegression()), "double", **PLAIN), note="float64 inputs"),
    "softmax": case("LogisticRegression", sk(scaled(LogisticRegression())), "multi"),
    "one-vs-rest": case("OneVsRestClassifier", sk(scaled(OneVsRestClassifier(LogisticRegression()))), "multi"),
    "lda": case("LinearDiscriminantAnalysis", sk(LinearDiscriminantAnalysis()), "multi"),
    "ridge-classifier": case("RidgeClassifier", sk(scaled(RidgeClassifier()))),
    "perceptron": case("Perceptron", sk(scaled(Perceptron(random_state=1)))),
    "sgd": case("SGDClassifier", sk(scaled(SGDClassifier(random_state=1)))),
    "linear-svc": case("LinearSVC", sk(scaled(LinearSVC(random_state=1)), raw_scores=True)),
    "linear-svc-multi": case("LinearSVC", sk(scaled(LinearSVC(random_state=1)), raw_scores=True), "multi"),
    "linear": case("LinearRegression", sk(scaled(LinearRegression())), "worth"),
    "linear-robust": case("Lasso", sk(make_pipeline(RobustScaler(), Lasso(0.01))), "worth", note="RobustScaler"),
    "linear-several": case("LinearRegression", sk(scaled(LinearRegression())), "several", output=1, note="output 1 of 3"),
    "linear-unnamed": case("LinearRegression", sk(scaled(LinearRegression())), "several", refused="--output-index", note="no output named"),
    "linear-svr": case("LinearSVR", sk(scaled(LinearSVR(random_state=1))), "worth"),
    "poisson": case("PoissonRegressor", sk(scaled(PoissonRegressor())), "count"),
    "imputed": case("LogisticRegression", sk(make_pipeline(SimpleImputer(), MinMaxScaler(), LogisticRegression())), data=MISSING, note="SimpleImputer, MinMaxScaler"),
    "one-hot": case("LogisticRegression", sk(columns(LogisticRegression(), ONE_HOT), "columns"), data=BOTH, note="OneHotEncoder"),
    "ordinal-linear": case("LogisticRegression", sk(columns(LogisticRegression(), ORDINAL), "columns"), "multi", data=BOTH, note="OrdinalEncoder"),
    "svc-rbf": case("SVC", sk(scaled(SVC(C=0.5))), only_decisions=True, note="rbf"),
    "svc-poly-multi": case("SVC", sk(scaled(SVC(kernel="poly", C=0.5))), "multi", note="poly"),
    "svc-linear": case("SVC", sk(scaled(SVC(kernel="linear", C=0.1))), only_decisions=True, note="linear"),
    "nu-svc": case("NuSVC", sk(scaled(NuSVC(nu=0.4, kernel="sigmoid", gamma=0.05))), "multi", note="sigmoid"),
    "svr-rbf": case("SVR", sk(scaled(SVR(C=0.5, epsilon=0.4))), "worth", note="rbf"),
    "svr-linear": case("SVR", sk(scaled(SVR(kernel="linear", C=0.05, epsilon=0.6))), "worth", note="linear"),
    "svc-probability": case("SVC", sk(scaled(SVC(probability=True, random_state=1))), refused="probabilities", note="probability"),
    "mlp": case("MLPClassifier", sk(scaled(MLPClassifier((6,), random_state=1, max_iter=60)))),
    "mlp-multi": case("MLPClassifier", sk(scaled(MLPClassifier((5, 4), "tanh", random_state=1, max_iter=60))), "multi", note="tanh"),
    "mlp-logistic": case("MLPClassifier", sk(scaled(MLPClassifier((5,), "logistic", random_state=1, max_iter=60)), **PLAIN), note="logistic, zipmap False"),
    "mlp-number": case("MLPRegressor", sk(scaled(MLPRegressor(hidden_layer_sizes=(6,), random_state=1, max_iter=200))), "worth"),
    "tree": case("DecisionTreeClassifier", sk(DecisionTreeClassifier(max_depth=5, random_state=1))),
    "tree-multi": case("DecisionTreeClassifier", sk(DecisionTreeClassifier(max_depth=5, random_state=1), **PLAIN), "multi", note="zipmap False"),
    "tree-number": case("DecisionTreeRegressor", sk(DecisionTreeRegressor(max_depth=5, random_state=1)), "worth"),
    "tree-scaled": case("DecisionTreeClassifier", sk(scaled(DecisionTreeClassifier(max_depth=5, random_state=1))), note="StandardScaler"),
    "tree-labels": case("DecisionTreeClassifier", sk(DecisionTreeClassifier(max_depth=4, random_state=1), names=["low", "middle", "top"]), "multi", note="labels of text"),
    "mlp-labels": case("MLPClassifier", sk(scaled(MLPClassifier((4,), random_state=1, max_iter=60)), names=["low", "middle", "top"]), "multi", note="labels of text"),
    "svc-labels": case("SVC", sk(scaled(SVC(kernel="linear", C=0.1)), names=["low", "middle", "top"]), "multi", note="linear, labels of text"),
    "forest-codes": case("RandomForestClassifier", sk(coded(RandomForestClassifier(**SMALL))), codes={"f4": ["0", "1"]}, note="OneHotEncoder of a number"),
    "forest": case("RandomForestClassifier", sk(RandomForestClassifier(**SMALL))),
    "forest-multi": case("RandomForestClassifier", sk(RandomForestClassifier(**SMALL)), "multi"),
    "forest-number": case("RandomForestRegressor", sk(RandomForestRegressor(**SMALL)), "worth"),
    "forest-several": case("RandomForestRegressor", sk(RandomForestRegressor(**SMALL)), "several", output=2, note="output 2 of 3"),
    "forest-double": case("RandomForestClassifier", sk(RandomForestClassifier(**SMALL), "double"), note="float64 inputs"),
    "forest-words": case("RandomForestClassifier", sk(columns(RandomForestClassifier(**SMALL), ONE_HOT), "columns"), data=BOTH, note="OneHotEncoder"),
    "forest-ranks": case("RandomForestClassifier", sk(columns(RandomForestClassifier(**SMALL), ORDINAL), "columns"), "multi", data=WORDS, note="OrdinalEncoder"),
    "forest-imputed": case("ExtraTreesClassifier", sk(make_pipeline(SimpleImputer(), StandardScaler(), ExtraTreesClassifier(**SMALL))), data=MISSING, note="SimpleImputer, StandardScaler"),
    "boosting": case("GradientBoostingClassifier", sk(GradientBoostingClassifier(**SMALL))),
    "boosting-multi": case("GradientBoostingClassifier", sk(GradientBoostingClassifier(**SMALL)), "multi"),
    "boosting-number": case("GradientBoostingRegressor", sk(GradientBoostingRegressor(**SMALL)), "worth"),
    "histogram": case("HistGradientBoostingClassifier", sk(HistGradientBoostingClassifier(**BOOST)), data=MISSING),
    "histogram-multi": case("HistGradientBoostingClassifier", sk(HistGradientBoostingClassifier(**BOOST)), "multi", MISSING),
    "histogram-number": case("HistGradientBoostingRegressor", sk(HistGradientBoostingRegressor(**BOOST)), "worth", MISSING),
    "bagging": case("BaggingClassifier", sk(BaggingClassifier(DecisionTreeClassifier(max_depth=3), 3, random_state=1)), refused="this importer does not support"),
    "neighbours": case("KNeighborsClassifier", sk(KNeighborsClassifier()), refused="this importer does not support"),
    "normalized": case("LogisticRegression", sk(make_pipeline(Normalizer(), LogisticRegression())), refused="Normalizer", note="Normalizer"),
    "lightgbm": case("gbdt", lgb("binary"), data=MISSING, by="onnxmltools, LightGBM"),
    "lightgbm-multi": case("gbdt", lgb("multiclass", num_class=3), "multi", MISSING, by="onnxmltools, LightGBM"),
    "lightgbm-number": case("gbdt", lgb("regression"), "worth", MISSING, by="onnxmltools, LightGBM"),
    "lightgbm-poisson": case("gbdt", lgb("poisson"), "count", by="onnxmltools, LightGBM", note="poisson"),
    "lightgbm-forest": case("rf", lgb("binary", boosting="rf", bagging_freq=1, bagging_fraction=0.6), by="onnxmltools, LightGBM"),
    "lightgbm-codes": case("gbdt", lgb("binary", categorical_feature=[1, 4], min_data_per_group=5, cat_smooth=1), by="onnxmltools, LightGBM", codes={"f1": AGES, "f4": ["0", "1"]}, note="categorical_feature"),
    "xgboost": case("gbtree", xgb("binary:logistic"), data=MISSING, by="onnxmltools, XGBoost"),
    "xgboost-multi": case("gbtree", xgb("multi:softprob"), "multi", MISSING, by="onnxmltools, XGBoost"),
    "xgboost-number": case("gbtree", xgb("reg:squarederror"), "worth", MISSING, by="onnxmltools, XGBoost"),
    "xgboost-poisson": case("gbtree", xgb("count:poisson"), "count", by="onnxmltools, XGBoost", note="poisson"),
    "torch-binary": case("relu, Sigmoid", net("relu", "sigmoid"), by="torch"),
    "torch-softmax": case("tanh, Softmax", net("tanh", "softmax"), "multi", by="torch"),
    "torch-number": case("relu", net("relu", "number"), "worth", by="torch"),
    "torch-script": case("relu, Softmax", net("relu", "softmax", dynamo=False), "multi", by="torch", note="dynamo False"),
    "torch-logits": case("relu", net("relu", "logits"), "multi", by="torch", refused="--output-index", note="no Softmax"),
    "modes": case("TreeEnsembleRegressor", lambda f, y, p: regressor_file(p), "worth", MISSING, by="by hand", note="all modes"),
    "modes-average": case("TreeEnsembleRegressor", lambda f, y, p: regressor_file(p, "AVERAGE"), "worth", MISSING, by="by hand", note="AVERAGE"),
    "modes-classes": case("TreeEnsembleClassifier", lambda f, y, p: classifier_file(p, 3, "SOFTMAX"), "multi", MISSING, by="by hand", note="all modes, SOFTMAX"),
    "modes-logistic": case("TreeEnsembleClassifier", lambda f, y, p: classifier_file(p, 3, "LOGISTIC"), "multi", MISSING, by="by hand", note="all modes, LOGISTIC"),
    "modes-two": case("TreeEnsembleClassifier", lambda f, y, p: classifier_file(p, 2, "LOGISTIC"), data=MISSING, by="by hand", note="two classes"),
    "modes-positive": case("TreeEnsembleClassifier", lambda f, y, p: classifier_file(p, 2, "NONE", positive=True), data=MISSING, by="by hand", note="two classes, no negative weight"),
    "modes-minimum": case("TreeEnsembleRegressor", lambda f, y, p: regressor_file(p, "MIN"), "worth", by="by hand", refused="aggregate_function", note="MIN"),
    "trees": case("TreeEnsemble", lambda f, y, p: trees_file(p), "worth", MISSING, by="by hand", since=(1, 23), codes={"f4": ["0", "1", "2"]}, note="all modes, members"),
    "trees-double": case("TreeEnsemble", lambda f, y, p: trees_file(p, double=True), "worth", MISSING, by="by hand", since=(1, 23), codes={"f4": ["0", "1", "2"]}, note="float64"),
    "trees-scaled": case("TreeEnsemble", lambda f, y, p: trees_file(p, double=True, scaled=True), "worth", MISSING, by="by hand", since=(1, 23), codes={"f4": ["0", "1", "2"]}, note="Sub and Div, float64"),
    "trees-codes": case("TreeEnsemble", lambda f, y, p: trees_file(p, codes=True), "worth", by="by hand", since=(1, 23), codes={"f1": AGES[:9]}, note="members of codes"),
}


def thresholds(model: onnx.ModelProto, codes: Dict[str, List[str]]) -> Dict[str, List[float]]:
    """Of all trees, by feature, as far as a tree reads numbers of the row or scaled numbers in their order. Codes have no neighbours."""
    names = NUMBERS
    found: Dict[str, List[float]] = {}
    scaler = next((attributes(node) for node in model.graph.node if node.op_type == "Scaler"), {})
    constants = {own.name: onnx.numpy_helper.to_array(own).tolist() for own in model.graph.initializer}
    if "offset" in constants:
        scaler = {"offset": constants["offset"], "scale": [1 / own for own in constants["divisor"]]}
    for node in model.graph.node:
        own = attributes(node)
        values = own.get("nodes_values") or own.get("nodes_values_as_tensor", own.get("nodes_splits", []))
        for feature, value in zip(own.get("nodes_featureids", []), values):
            if feature < len(names) and np.isfinite(value) and f"f{feature}" not in codes:
                scaled = value
                if len(scaler.get("scale", [])) == len(names):
                    scaled = value / scaler["scale"][feature] + scaler["offset"][feature]
                found.setdefault(names[feature], []).append(float(scaled))
    return found


def attributes(node: onnx.NodeProto) -> Dict[str, Any]:
    values = {attribute.name: onnx.helper.get_attribute_value(attribute) for attribute in node.attribute}
    return {name: onnx.numpy_helper.to_array(value).tolist() if isinstance(value, onnx.TensorProto) else value for name, value in values.items()}


KINDS = {"tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(int64)": np.int64, "tensor(string)": object}


def feed(session: onnxruntime.InferenceSession, rows: pd.DataFrame) -> Dict[str, np.ndarray]:
    inputs = session.get_inputs()
    if len(inputs) == 1:
        return {inputs[0].name: rows.to_numpy().astype(KINDS[inputs[0].type])}
    return {own.name: rows[[own.name]].to_numpy().astype(KINDS[own.type]) for own in inputs}


def as_table(scores: Any, classes: List[Any]) -> np.ndarray:
    if isinstance(scores, list):
        return np.array([[row[name] for name in classes] for row in scores])
    return np.asarray(scores, dtype=float).reshape(len(scores), -1)


def ask(path: Path, rows: pd.DataFrame, case: OnnxCase, classes: List[Any]) -> Answers:
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    outputs = dict(zip([own.name for own in session.get_outputs()], session.run(None, feed(session, rows))))
    labels = [own for name, own in outputs.items() if "label" in name]
    scores = as_table(next(own for name, own in reversed(outputs.items()) if "label" not in name), classes)
    if not classes:
        return Answers(rows, scores if case.output is None else scores[:, [case.output]], None, None)
    two = np.hstack([1 - scores, scores]) if scores.shape[1] == 1 else scores
    decisions = [list(classes).index(own) for own in labels[0].ravel().tolist()] if labels else two.argmax(axis=1).tolist()
    return Answers(rows, None if case.only_decisions else scores[:, 1:] if two.shape[1] == 2 and scores.shape[1] == 2 else scores, None, decisions)


def fit(name: str, case: OnnxCase, rng: np.random.RandomState, folder: Path, count: int) -> Tuple[List[str], Optional[Answers]]:
    frame = make_people(rng, TRAINED, case.data)
    y = make_labels(case.target, wealth(frame, rng), rng)
    path = folder / f"{name}.onnx"
    classes = case.make(frame, y, path)
    if case.refused:
        return [path.name], None
    rows = choose_rows(rng, count, case.data, thresholds(onnx.load(path), case.codes))
    if "codes" in name:
        rows["age"] = rng.randint(0, 9, count).astype(float)
    return [path.name], ask(path, rows, case, classes)


if __name__ == "__main__":
    write_cases("onnx", onnxruntime.__version__, CASES, fit)
