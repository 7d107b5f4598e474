"""Counterfactual explanations for models of scikit-learn: export a model, write a policy, explain a table.

    import elsewise
    document = elsewise.export_model(pipeline, name="credit", X=X_train, y=y_train)
    policy = elsewise.Policy("approved").never("age").increase("income", step=50)
    answers = elsewise.explain(X_rejected, document, policy)

Needs Python 3.9 and numpy. `explain` runs the command `elsewise`, or asks a server.
"""

from .evaluation import check_document, evaluate
from .explaining import ExplainError, after, explain, results_of
from .exporter import export_model, save
from .head import ProbeMismatch, UnsupportedEstimator
from .policy import Policy
from .scorecards import export_scorecard

__version__ = "0.1.0"

__all__ = [
    "ExplainError",
    "Policy",
    "ProbeMismatch",
    "UnsupportedEstimator",
    "after",
    "check_document",
    "evaluate",
    "explain",
    "export_model",
    "export_scorecard",
    "results_of",
    "save",
]
