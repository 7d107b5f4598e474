"""Trains the network of this example with scikit-learn and writes model.json: python3 generate.py [folder]"""

import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "python"))

from export_sklearn import export_model, save  # noqa: E402
from sklearn.compose import ColumnTransformer  # noqa: E402
from sklearn.neural_network import MLPClassifier  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import OneHotEncoder, StandardScaler  # noqa: E402

NUMBERS = ["age", "income", "monthlyDebt", "monthsAtJob"]
HOUSING = ["free", "own", "rent"]


def population(rows: int):
    """Income counts less the higher it is, and debt weighs on low incomes: no line divides these classes."""
    random = np.random.default_rng(7)
    wealth = random.normal(size=rows)
    age = np.clip(np.round(42 + 11 * random.normal(size=rows)), 18, 80)
    income = np.clip(np.round(2100 + 600 * wealth + 250 * random.normal(size=rows)), 800, 8000)
    debt = np.clip(np.round(350 - 120 * wealth + 150 * random.normal(size=rows)), 0, 2000)
    months = np.clip(np.round(60 + 20 * wealth + 35 * random.normal(size=rows)), 0, 480)
    housing = random.choice(HOUSING, size=rows, p=[0.1, 0.45, 0.45])
    score = np.log(income / 1900) - 2.5 * debt / income + 0.15 * np.minimum(months, 60) / 60 + 0.1 * (housing == "own")
    rejected = score + 0.1 * random.normal(size=rows) < -0.25
    table = np.column_stack([age, income, debt, months, housing]).astype(object)
    table[:, :4] = table[:, :4].astype(float)
    return table, np.where(rejected, "rejected", "approved")


def main(folder: Path) -> None:
    rows, labels = population(3000)
    columns = ColumnTransformer(
        [("numbers", StandardScaler(), [0, 1, 2, 3]), ("housing", OneHotEncoder(categories=[HOUSING]), [4])]
    )
    network = MLPClassifier(hidden_layer_sizes=(16,), activation="relu", max_iter=400, random_state=7)
    pipeline = make_pipeline(columns, network).fit(rows, labels)
    document = export_model(
        pipeline,
        name="network-credit",
        feature_names=[*NUMBERS, "housing"],
        feature_types={"age": "integer", "income": "integer", "monthlyDebt": "integer", "monthsAtJob": "integer"},
        X=rows,
        background_rows=200,
    )
    save(document, folder / "model.json")


main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
