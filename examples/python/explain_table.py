"""From a table to answers with the Python package, cell by cell as in a notebook.

    pip install ./python scikit-learn pandas
    ELSEWISE="npx elsewise" python examples/python/explain_table.py

pandas is optional: without it tables are lists of dictionaries.
"""

# %% A table of loans that were paid back or not
import numpy as np

random = np.random.default_rng(3)
N = 500
FEATURES = ["age", "income", "debt", "loans"]
X = np.column_stack(
    [
        random.integers(18, 75, N),
        np.round(random.gamma(4, 700, N)),
        np.round(random.gamma(2, 800, N)),
        random.integers(0, 5, N),
    ]
).astype(float)
paid = X[:, 1] - 0.5 * X[:, 2] - 200 * X[:, 3] + random.normal(0, 300, N) > 1500
y = np.where(paid, "approved", "rejected")

# %% A model, tuned as usual
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.model_selection import GridSearchCV  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402

pipeline = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
search = GridSearchCV(pipeline, {"logisticregression__C": [0.1, 1, 10]}, cv=3).fit(X, y)

# %% The model document: statistics of X, no rows of X
import elsewise  # noqa: E402

document = elsewise.export_model(search, name="loans", feature_names=FEATURES, X=X, y=y)

# %% Who may be asked to change what
policy = (
    elsewise.Policy("approved")
    .never("age")
    .increase("income", step=10)
    .decrease("debt", min=0, step=10)
    .decrease("loans", min=0)
    .constraint("debt <= 2 * income")
    .cost("l1", "mad")
)

# %% Answers for the first rejected applicants
rejected = X[search.predict(X) == "rejected"][:5]
people = [dict(zip(FEATURES, row)) for row in rejected]
answers = elsewise.explain(people, document, policy)
print(answers if isinstance(answers, list) else answers[["id", "status", "changes", "cost", "proof"]])

# %% scikit-learn agrees
changed = elsewise.after(answers, people)
after = np.array([[row[name] for name in FEATURES] for row in changed], dtype=float)
assert (search.predict(after) == "approved").all()
print(f"{len(after)} answers, all approved by scikit-learn")
