"""Models that sklearn2pmml writes: scikit-learn, XGBoost and LightGBM. Each is (name, model, objective, data, text, options)."""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from lightgbm import LGBMClassifier, LGBMRegressor
from sklearn.base import is_regressor
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import (
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression, PoissonRegressor
from sklearn.naive_bayes import GaussianNB
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, MinMaxScaler, OneHotEncoder, StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn2pmml import sklearn2pmml
from sklearn2pmml.decoration import CategoricalDomain, ContinuousDomain
from sklearn2pmml.pipeline import PMMLPipeline
from xgboost import XGBClassifier, XGBRegressor

NUMBERS, WORDS = ["age", "income", "savings"], ["housing", "purpose"]


def people(count=400):
    dice = np.random.default_rng(7)
    return pd.DataFrame(
        {
            "age": dice.integers(18, 80, count),
            "income": dice.uniform(300, 6000, count).round(2),
            "savings": dice.uniform(0, 9000, count).round(1),
            "housing": dice.choice(["own", "rent", "free"], count),
            "purpose": dice.choice(["car", "house", "school", "other"], count),
        }
    )


def targets(X):
    score = X.income / 1500 + X.age / 40 + X.savings / 9000 + (X.housing == "own") - (X.purpose == "car") * 0.7
    noise = score + np.random.default_rng(8).normal(0, 0.5, len(X))
    named = lambda values: pd.Series(values, name="y")
    return {
        "number": named(noise * 100),
        "count": named(np.floor(noise.clip(0))),
        "two": named((noise > noise.median()).astype(int)),
        "three": named(np.where(noise > noise.quantile(0.66), "high", np.where(noise > noise.quantile(0.33), "middle", "low"))),
    }


def encoded(numbers=StandardScaler(), words=True):
    parts = [("numbers", numbers, NUMBERS)]
    return ColumnTransformer(parts + ([("words", OneHotEncoder(), WORDS)] if words else []))


def imputed():
    return ColumnTransformer([
        ("age", make_pipeline(ContinuousDomain(), SimpleImputer(strategy="median")), ["age"]),
        ("numbers", make_pipeline(ContinuousDomain(), SimpleImputer()), ["income", "savings"]),
        ("words", make_pipeline(CategoricalDomain(), OneHotEncoder()), WORDS),
    ])


def text_of(estimator, X, y, before):
    pipeline = PMMLPipeline(([("before", before)] if before else []) + [("model", estimator)]).fit(X, y)
    if hasattr(estimator, "predict_proba") or is_regressor(estimator):
        pipeline.verify(X.head(3))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.pmml"
        sklearn2pmml(pipeline, str(path), with_repr=False)
        return path.read_text()


LABELS = {"labels": True}
# Models that give a row with a missing value a result as well. For others the evaluator has one for some rows only, and the import for none.
TAKE_MISSING = {"imputed": NUMBERS, "histogram": NUMBERS, "xgboost": NUMBERS + WORDS, "lightgbm": NUMBERS + WORDS}

CASES = [
    ("linear", LinearRegression(), "number", "encoded", {}),
    ("logistic", LogisticRegression(max_iter=500), "two", "encoded", {}),
    ("logistic-three", LogisticRegression(max_iter=500), "three", "encoded", {}),
    ("logistic-bins", LogisticRegression(max_iter=500), "two", "bins", {"refused": "DefineFunction"}),
    ("logistic-imputed", LogisticRegression(max_iter=5000), "two", "imputed", {}),
    ("poisson", PoissonRegressor(), "count", "encoded", {}),
    ("linear-svc", LinearSVC(), "two", "encoded", LABELS),
    ("tree", DecisionTreeClassifier(max_depth=4, random_state=1), "three", "words", {}),
    ("tree-number", DecisionTreeRegressor(max_depth=4, random_state=1), "number", "words", {}),
    ("forest", RandomForestClassifier(5, max_depth=3, random_state=1), "two", "words", {}),
    ("forest-number", RandomForestRegressor(5, max_depth=3, random_state=1), "number", "words", {}),
    ("extra-trees", ExtraTreesRegressor(5, max_depth=3, random_state=1), "number", "numbers", {}),
    ("boosting", GradientBoostingClassifier(n_estimators=6, max_depth=2, random_state=1), "two", "words", {}),
    ("boosting-three", GradientBoostingClassifier(n_estimators=4, max_depth=2, random_state=1), "three", "words", {}),
    ("boosting-number", GradientBoostingRegressor(n_estimators=6, max_depth=2, random_state=1), "number", "words", {}),
    ("histogram", HistGradientBoostingClassifier(max_iter=5, max_depth=3), "two", "numbers", {}),
    ("gaussian", GaussianNB(), "two", "numbers", {}),
    ("svc", SVC(), "two", "encoded-few", LABELS),
    ("svc-three", SVC(kernel="linear"), "three", "encoded-few", LABELS | {"votes": True}),
    ("svr", SVR(kernel="poly", degree=2), "number", "encoded-few", {}),
    ("network", MLPClassifier(hidden_layer_sizes=(4,), max_iter=300, random_state=1), "two", "scaled", {}),
    ("network-three", MLPClassifier(hidden_layer_sizes=(4,), activation="tanh", max_iter=300, random_state=1), "three", "scaled", {}),
    ("network-number", MLPRegressor(hidden_layer_sizes=(4, 3), max_iter=300, random_state=1), "number", "scaled", {}),
    ("xgboost", XGBClassifier(n_estimators=5, max_depth=3), "two", "words", {}),
    ("xgboost-three", XGBClassifier(n_estimators=4, max_depth=2), "three", "words", {}),
    ("xgboost-number", XGBRegressor(n_estimators=5, max_depth=3), "number", "numbers", {}),
    ("lightgbm", LGBMClassifier(n_estimators=5, max_depth=3, verbose=-1), "two", "words", {}),
    ("lightgbm-three", LGBMClassifier(n_estimators=4, max_depth=2, verbose=-1), "three", "numbers", {}),
    ("lightgbm-number", LGBMRegressor(n_estimators=5, max_depth=3, objective="poisson", verbose=-1), "count", "numbers", {}),
]

BEFORE = {
    "encoded": lambda: encoded(),
    "encoded-few": lambda: encoded(),
    "bins": lambda: encoded(KBinsDiscretizer(4, encode="onehot-dense", quantile_method="averaged_inverted_cdf")),
    "imputed": imputed,
    "scaled": lambda: encoded(MinMaxScaler()),
    "words": lambda: encoded("passthrough"),
    "numbers": lambda: encoded("passthrough", words=False),
}


OBJECTIVES = {"number": "regression", "count": "regression, counts", "two": "two classes", "three": "three classes"}
TOLD = {
    "encoded": "scaled numbers, one-hot categories",
    "encoded-few": "scaled numbers, one-hot categories",
    "bins": "bins, one-hot categories",
    "imputed": "imputed numbers, one-hot categories",
    "scaled": "numbers within 0 and 1, one-hot categories",
    "words": "numbers, one-hot categories",
    "numbers": "numbers",
}


def exported():
    X = people()
    y = targets(X)
    for name, estimator, target, data, options in CASES:
        rows = slice(0, 60 if data == "encoded-few" else None)
        own = y[target]
        if name.startswith("xgboost") and target == "three":
            own = own.map({"low": 0, "middle": 1, "high": 2})
        missing = next((fields for kind, fields in TAKE_MISSING.items() if kind in name), [])
        text = text_of(estimator, X[rows], own[rows], BEFORE[data]())
        yield f"sklearn-{name}", f"{type(estimator).__name__} (sklearn2pmml)", OBJECTIVES[target], TOLD[data] + ", missing values" * bool(missing), text, {"missing": missing, **options}
