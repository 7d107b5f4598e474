"""Fits a random forest to past.csv and writes loans.json, the model document: python3 fit.py"""

import csv
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "python"))  # or once: pip install ./python

import elsewise  # noqa: E402
from sklearn.compose import make_column_transformer  # noqa: E402
from sklearn.ensemble import RandomForestClassifier  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import OneHotEncoder  # noqa: E402

NUMBERS = ["age", "income", "monthlyDebt", "openLoans", "monthsAtJob"]
FEATURES = [*NUMBERS, "housing", "hasGuarantor"]

with open(HERE / "past.csv", newline="", encoding="utf-8") as file:
    people = list(csv.DictReader(file))
X = [[*(float(row[name]) for name in NUMBERS), row["housing"], row["hasGuarantor"] == "true"] for row in people]
y = [row["decision"] for row in people]

columns = make_column_transformer((OneHotEncoder(), [5]), remainder="passthrough")
forest = RandomForestClassifier(n_estimators=30, max_depth=6, random_state=1)
pipeline = make_pipeline(columns, forest).fit(X, y)

units = {"income": "EUR/month", "monthlyDebt": "EUR/month"}
document = elsewise.export_model(pipeline, name="loans", feature_names=FEATURES, X=X, y=y, units=units)
elsewise.save(document, "loans.json")
print(f"loans.json: {document['family']}, fits {pipeline.score(X, y):.0%} of the past decisions")
