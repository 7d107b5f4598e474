"""A DataFrame of every everyday dtype: exported, explained by the command, and judged by the pipeline itself. Prints what was found, as JSON.

    python3 frames.py            with pandas
    python3 frames.py arrays     arrays of numpy alone: types of features by dtype
"""

import json
import sys
import warnings

import elsewise
import numpy as np
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

N = 400


def types(document):
    return {feature["name"]: feature["type"] for feature in document["features"]}


def arrays():
    random = np.random.default_rng(1)
    given = {
        "integers": random.integers(0, 9, (N, 2)),
        "booleans": random.integers(0, 2, (N, 2)).astype(bool),
        "floats": random.normal(size=(N, 2)).astype(np.float32),
        "whole floats": np.round(random.normal(0, 9, size=(N, 2))),
    }
    found = {}
    for name, X in given.items():
        model = DecisionTreeClassifier(max_depth=3).fit(X, X[:, 0] > X[:, 0].mean())
        found[name] = types(elsewise.export_model(model, name="m", X=X))
    return found


def people(random):
    import pandas as pd

    values = {
        "housing": pd.Categorical(random.choice(["own", "rent", "free"], N)),
        "purpose": pd.array(random.choice(["car", "repairs"], N), dtype="string"),
        "age": random.integers(18, 80, N),
        "loans": pd.array(random.integers(0, 5, N), dtype="Int64"),
        "income": np.round(random.gamma(4, 700, N), 2).astype("float32"),
        "guarantor": random.integers(0, 2, N).astype(bool),
        "phone": pd.array(random.integers(0, 2, N).astype(bool), dtype="boolean"),
        "years": np.where(random.random(N) < 0.1, np.nan, random.integers(0, 30, N)),
    }
    return pd.DataFrame(values, index=[f"p{i}" for i in range(N)])


def refusal(X, y):
    tree = make_pipeline(make_column_transformer(("passthrough", ["age", "years"])), DecisionTreeClassifier(max_depth=2))
    try:
        elsewise.export_model(tree.fit(X.fillna({"years": 0}), y), name="m", X=X)
    except ValueError as error:
        return str(error)


def frames():
    import pandas as pd

    random = np.random.default_rng(1)
    frame = people(random)
    wealth = frame["income"].astype(float) + 700 * (frame["housing"] == "own") - 200 * frame["loans"].astype(float)
    y = np.where(wealth > wealth.median(), "yes", "no")
    prepare = make_column_transformer(
        (OneHotEncoder(), ["housing", "purpose"]),
        (make_pipeline(SimpleImputer(), StandardScaler()), ["age", "loans", "income", "years"]),
        ("passthrough", ["guarantor", "phone"]),
        sparse_threshold=0,
    )
    model = make_pipeline(prepare, LogisticRegression(max_iter=1000)).fit(frame, y)
    document = elsewise.export_model(model, name="people", X=frame, y=y)
    rejected = frame[model.predict(frame) == "no"].head(20)
    dated = rejected.assign(since=pd.Timestamp("2024-02-29"))
    twice = pd.concat([rejected.head(2), rejected.head(2)])
    policy = elsewise.Policy("yes").never("age").decrease("loans", min=0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        answers = elsewise.explain(dated, document, policy)
    nothing = elsewise.explain(rejected.head(0), document, policy)
    infinite = elsewise.explain(rejected.head(2).assign(income=[np.inf, 900.0]), document, policy)
    changed = elsewise.after(answers, rejected)
    shown = {name: str(answers[name].dtype) for name in ("answer", "age", "loans", "loans (new)", "guarantor", "years", "income")}
    return {
        "types": types(document),
        "warnings": [str(each.message) for each in caught],
        "nothing": [len(nothing), [*nothing.columns] == [*answers.columns]],
        "infinite": infinite["status"].tolist(),
        "samples": document["background"]["samples"],
        "ids": answers["id"].tolist() == rejected.index.tolist(),
        "dtypes": shown,
        "statuses": sorted(set(answers["status"])),
        "predicted": sorted(set(model.predict(changed))),
        "twice": elsewise.explain(twice, document, policy)["id"].tolist(),
        "dates": refusal(dated, y[: len(dated)]),
        "kept": {name: str(dtype) for name, dtype in changed.dtypes.items()},
    }


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print(json.dumps(arrays() if sys.argv[1:] == ["arrays"] else frames()))
