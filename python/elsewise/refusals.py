"""What the exporter refuses by name, and what to do instead."""

from __future__ import annotations

from typing import Any, Dict

from .head import UnsupportedEstimator, class_name

BLACK_BOX = "any other model can be explained as a black box (docs/black-box.md)"

_XGBOOST = "save it by save_model('model.json') and run `elsewise models import model.json --from xgboost --output FILE`"
_LIGHTGBM = "save it by booster_.save_model('model.txt') and run `elsewise models import model.txt --from lightgbm --output FILE`"
_EBM = "save it by to_json('ebm.json', detail='minimal') and run `elsewise models import ebm.json --from ebm --output FILE`"
_SCORECARD = "write it by elsewise.export_scorecard and run `elsewise models import FILE --from scorecard --output FILE`"
_ONNX = "write it as an ONNX file and explain the file as a black box (docs/black-box.md)"
_SPREAD = "use StandardScaler or RobustScaler, or put trees behind it as they are: trees need no scaling"
_MIXED_ROWS = "a column of its output depends on all columns of a row: use StandardScaler, MaxAbsScaler or RobustScaler"
_IMPUTE = "use SimpleImputer, or HistGradientBoosting, which takes missing values as they are"

WAYS_OUT: Dict[str, str] = {
    **dict.fromkeys(("Booster", "XGBRanker"), _XGBOOST),
    "LGBMRanker": _LIGHTGBM,
    **dict.fromkeys(("ExplainableBoostingClassifier", "ExplainableBoostingRegressor"), _EBM),
    "Scorecard": _SCORECARD,
    **dict.fromkeys(("CatBoostClassifier", "CatBoostRegressor"), _ONNX),
    "AdaBoostRegressor": f"the weighted median of its trees is no sum: use GradientBoostingRegressor; {BLACK_BOX}",
    "Pipeline": f"put its steps before the ensemble, in one Pipeline around it; {BLACK_BOX}",
    "FeatureUnion": f"use ColumnTransformer, with a transformer for each set of columns; {BLACK_BOX}",
    "CategoricalNB": f"one-hot encode the columns and use BernoulliNB; {BLACK_BOX}",
    "Normalizer": _MIXED_ROWS,
    "QuantileTransformer": _SPREAD,
    "SplineTransformer": f"use KBinsDiscretizer, or trees; {BLACK_BOX}",
    "KernelPCA": f"use PCA; {BLACK_BOX}",
    **dict.fromkeys(("KNNImputer", "IterativeImputer"), _IMPUTE),
    "TargetEncoder": f"use OneHotEncoder; {BLACK_BOX}",
    **dict.fromkeys(("CountVectorizer", "TfidfVectorizer", "HashingVectorizer"), f"text has no features; {BLACK_BOX}"),
}


def lookup(table: Dict[str, Any], estimator: Any, where: str, role: str) -> Any:
    found = table.get(class_name(estimator))
    if found is None:
        shown = repr(estimator) if isinstance(estimator, str) else class_name(estimator)
        way_out = WAYS_OUT.get(class_name(estimator), f"supported are {', '.join(table)}; {BLACK_BOX}")
        raise UnsupportedEstimator(where, f"{shown} is not supported {role}: {way_out}")
    return found
