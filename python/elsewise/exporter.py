"""Export a fitted scikit-learn estimator as an `elsewise.model/v1` document.

    from elsewise import export_model, save
    save(export_model(pipeline, name="credit", X=X_train, y=y_train), "credit.json")

The exporter walks the pipeline from the raw columns to the last estimator and keeps, for every intermediate
column, the linear function of the raw ones that it is. So whatever nesting of pipelines and column transformers
comes in, what goes out is at most one `impute` and one `scale` or `affine` step in front of the model. Trees read the
columns one by one: where each input is one column, scaled at most, their splits are renumbered and no `affine` is made.

Estimators are recognised by class name (LVQ by its attributes) and read by their fitted attributes: scikit-learn is
not imported, nothing is unpickled, and what is not in the tables below is refused with its place in the pipeline. The
document carries scores that the estimator itself gave for some rows; `check_document` computes them again from the
document alone.
"""

from __future__ import annotations

import json
import re
from typing import Any, Dict, Optional, Sequence, Union

import numpy as np

from .background import background_of, mixture_of, places_of
from .evaluation import check_document
from .features import Wishes, class_names_of, describe_features, feature_names_of, layout_of
from .fold import Fold
from .head import require_finite
from .indicators import without_indicators
from .plausibility import autoencoder as _autoencoder
from .plausibility import isolation_forest as _isolation_forest
from .preprocessing import bound_domains, preprocessing_steps
from .probes import made_up_table, probes_of, score_without_names
from .steps import without_steps
from .tables import Table
from .tree_inputs import bound_codes, on_model_columns
from .trees import TreeHead, joined

SCHEMA = "elsewise.model/v1"


def export_model(
    estimator: Any,
    *,
    name: str,
    feature_names: Optional[Sequence[str]] = None,
    feature_types: Union[Sequence[str], Dict[str, str], None] = None,
    class_names: Optional[Sequence[str]] = None,
    X: Any = None,
    y: Any = None,
    decimals: Optional[Dict[str, int]] = None,
    units: Optional[Dict[str, str]] = None,
    bounds: bool = False,
    background_rows: int = 0,
    probes: int = 25,
    seed: int = 0,
    isolation_forest: Any = None,
    mixture: Any = None,
    autoencoder: Any = None,
    encoder_layers: Optional[int] = None,
) -> Dict[str, Any]:
    """The model document of a fitted estimator, checked against the estimator's own scores.

    X: rows in the form the estimator was fitted on (array, list of lists or DataFrame), for types, background and
       probes; without it every number is `continuous`, there is no background, and the probes are made-up rows.
    background_rows: how many rows of X the document keeps. By default none: the document has statistics of X, and each
       probe is put together from values of different rows.
    y: labels of X; only used to have every class among the background rows. The labels in the document are the
       model's predictions.
    feature_types, decimals, units: by feature name; types may be a list in feature order too.
    bounds: write the range of X as min and max. Off by default, because they restrict what may be recommended.
    isolation_forest: a fitted IsolationForest that tells what is plausible. Its columns are those of the document before
       any preprocessing: the features in order, a categorical one as a column of 0 and 1 for each category.
    mixture: a fitted GaussianMixture, alone or behind linear steps of a Pipeline. Its columns are named as it was fitted,
       else they are the continuous and integer features in order.
    autoencoder: an MLPRegressor that was fitted to give back its inputs: the columns that reach the last estimator.
    encoder_layers: how many layers of the autoencoder are its encoder; without it those up to the narrowest.
    """
    _check_name(name)
    table = None if X is None else Table(X)
    names = feature_names_of(estimator, feature_names, table)
    fold = Fold(names, table)
    head, reached = fold.run(estimator)
    columns = reached
    features = describe_features(fold, table, Wishes(names, feature_types, decimals, units, bounds))
    bound_domains(features, fold, table)
    head, columns = without_indicators(head, columns, fold)
    head, columns = without_steps(head, columns, features)
    document: Dict[str, Any] = {"schema": SCHEMA, "name": name, "family": head.family, "features": features}
    if isinstance(head, TreeHead):
        head, columns = on_model_columns(head, columns, features, table)
        head = joined(head)
        bound_codes(head, columns, features, table)
    if head.classes is not None:
        document["classes"] = class_names_of(head, class_names)
    document["preprocessing"] = preprocessing_steps(columns, features, fold)
    document["parameters"] = head.named_parameters(document.get("classes", []))
    if fold.decision:
        document["decision"] = fold.decision
    require_finite(document["preprocessing"], "preprocessing")
    require_finite(document["parameters"], "parameters")
    random = np.random.default_rng(seed)
    if table is not None:
        document["background"] = background_of(estimator, head, document, table, y, background_rows, random)
    plausibility: Dict[str, Any] = {}
    if isolation_forest is not None:
        plausibility["isolationForest"] = _isolation_forest(isolation_forest, len(layout_of(features)))
    if mixture is not None:
        plausibility["mixture"] = mixture_of(mixture, features)
    if autoencoder is not None:
        places = places_of(reached, columns)
        plausibility["autoencoder"] = _autoencoder(autoencoder, places, len(columns), encoder_layers)
    elif encoder_layers is not None:
        raise ValueError("encoder_layers: there is no autoencoder")
    if plausibility:
        document.setdefault("background", {}).update(plausibility)
    if probes > 0:
        own = table if table is None or background_rows > 0 else table.shuffled(random)
        source = own or made_up_table(fold, head, columns, probes, random)
        score = head.score if table else score_without_names(head)
        document["probes"] = probes_of(estimator, score, document, head, source, probes, random)
        if head.precision != "float64":
            document["probes"]["precision"] = head.precision
    check_document(document)
    return document


def save(document: Dict[str, Any], path: Any) -> None:
    """Writes the document as JSON, one line per top-level key. Numbers keep their full precision."""
    lines = (f"{json.dumps(key)}: {json.dumps(value, allow_nan=False)}" for key, value in document.items())
    with open(path, "w", encoding="utf-8") as file:
        file.write("{\n" + ",\n".join(lines) + "\n}\n")


def _check_name(name: str) -> None:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", name):
        raise ValueError(f"name: {name!r}: letters, digits, dot, dash and underscore, at most 100")
