"""The estimators of fit_everyday.py: which work, and which are refused with a way out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier, VotingClassifier
from sklearn.feature_selection import (
    RFE,
    SelectFromModel,
    SelectKBest,
    SelectPercentile,
    SequentialFeatureSelector,
    VarianceThreshold,
)
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.linear_model import (
    ElasticNetCV,
    GammaRegressor,
    HuberRegressor,
    LassoCV,
    LogisticRegression,
    LogisticRegressionCV,
    PassiveAggressiveClassifier,
    RidgeClassifierCV,
    RidgeCV,
    SGDRegressor,
)
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    FunctionTransformer,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    PolynomialFeatures,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
    StandardScaler,
)
from sklearn.svm import SVC, LinearSVC, LinearSVR

TEXT = [0, 1]
NUMBERS = [2, 3, 4, 5]
AMOUNTS = ["age", "income", "debt", "loans"]


@dataclass(frozen=True)
class Entry:
    make: Callable[[], Any]
    # What is predicted: two classes, three classes, or a number.
    target: str = "two"
    # Numbers only, of these columns. None: all columns, text included.
    columns: Optional[List[str]] = None
    # Incomes and debts are missing in a tenth of the rows.
    holes: bool = False
    title: str = ""
    note: str = ""


def prepared(last: Any, numbers: Any = None, text: Any = None) -> Any:
    """Numbers scaled, text encoded, the guarantor as it is."""
    branches = [("numbers", numbers or StandardScaler(), NUMBERS), ("text", text or OneHotEncoder(), TEXT)]
    return make_pipeline(ColumnTransformer(branches, remainder="passthrough", sparse_threshold=0), last)


def logistic(**options: Any) -> LogisticRegression:
    return LogisticRegression(max_iter=2000, **options)


class XGBClassifier(ClassifierMixin, BaseEstimator):
    """The exporter knows estimators by their class names: xgboost itself need not be there."""

    def fit(self, X: Any, y: Any) -> XGBClassifier:
        self.classes_ = np.unique(y)
        return self


class LGBMClassifier(XGBClassifier):
    """Likewise."""


WORKS: Dict[str, Entry] = {
    "GridSearchCV": Entry(
        lambda: GridSearchCV(prepared(logistic()), {"logisticregression__C": [0.1, 1]}, cv=3),
        note="its `best_estimator_`",
    ),
    "RandomizedSearchCV": Entry(
        lambda: RandomizedSearchCV(
            prepared(RandomForestClassifier(n_estimators=10, random_state=0)),
            {"randomforestclassifier__max_depth": [3, 4]},
            n_iter=2,
            cv=3,
            random_state=0,
        ),
        note="its `best_estimator_`",
    ),
    "LogisticRegressionCV": Entry(lambda: prepared(LogisticRegressionCV(cv=3, max_iter=2000))),
    "RidgeClassifierCV": Entry(lambda: prepared(RidgeClassifierCV())),
    "PassiveAggressiveClassifier": Entry(lambda: prepared(PassiveAggressiveClassifier(random_state=0))),
    "LinearSVC": Entry(lambda: prepared(LinearSVC(max_iter=20000))),
    "SVC-linear": Entry(
        lambda: make_pipeline(StandardScaler(), SVC(kernel="linear")), columns=AMOUNTS, title='SVC(kernel="linear")'
    ),
    "SVC-linear-three": Entry(
        lambda: make_pipeline(StandardScaler(), SVC(kernel="linear")),
        "three",
        AMOUNTS,
        title='SVC(kernel="linear"), three classes',
    ),
    "RobustScaler": Entry(lambda: prepared(logistic(), RobustScaler())),
    "MaxAbsScaler": Entry(lambda: prepared(logistic(), MaxAbsScaler())),
    "SelectKBest": Entry(lambda: prepared(make_pipeline(SelectKBest(k=6), logistic()))),
    "SelectPercentile": Entry(lambda: prepared(make_pipeline(SelectPercentile(percentile=60), logistic()))),
    "SelectFromModel": Entry(lambda: prepared(make_pipeline(SelectFromModel(logistic()), logistic()))),
    "RFE": Entry(lambda: prepared(make_pipeline(RFE(logistic(), n_features_to_select=5), logistic()))),
    "SequentialFeatureSelector": Entry(
        lambda: make_pipeline(SequentialFeatureSelector(logistic(), n_features_to_select=2, cv=2), StandardScaler(), logistic()),
        columns=AMOUNTS,
    ),
    "VarianceThreshold": Entry(lambda: prepared(make_pipeline(VarianceThreshold(0.1), logistic()))),
    "MultinomialNB": Entry(lambda: prepared(MultinomialNB(), MinMaxScaler())),
    "MultinomialNB-three": Entry(
        lambda: prepared(MultinomialNB(), MinMaxScaler()), "three", title="MultinomialNB, three classes"
    ),
    "ComplementNB": Entry(lambda: prepared(ComplementNB(norm=True), MinMaxScaler())),
    "BernoulliNB": Entry(
        lambda: prepared(BernoulliNB(binarize=0.3)), note="a stump for each column, exact under every cost and policy"
    ),
    "BernoulliNB-three": Entry(lambda: prepared(BernoulliNB(binarize=0.3)), "three", title="BernoulliNB, three classes"),
    "OrdinalEncoder": Entry(
        lambda: prepared(HistGradientBoostingClassifier(max_iter=15, random_state=0), "passthrough", OrdinalEncoder()),
        holes=True,
        title="OrdinalEncoder, HistGradientBoosting",
        note="text is an ordinal feature: a change costs its weight for each rank",
    ),
    "OrdinalEncoder-sets": Entry(
        lambda: prepared(
            HistGradientBoostingClassifier(max_iter=15, categorical_features=[4, 5], random_state=0),
            "passthrough",
            OrdinalEncoder(),
        ),
        title="OrdinalEncoder, HistGradientBoosting(categorical_features)",
        note="splits by sets of categories",
    ),
    "OrdinalEncoder-linear": Entry(lambda: prepared(logistic(), None, OrdinalEncoder()), title="OrdinalEncoder, linear models"),
    "Binarizer": Entry(
        lambda: prepared(logistic(), Binarizer(threshold=1500.5)),
        title="Binarizer, linear models",
        note="a sum of stumps; all columns are binarized, discretized, encoded, or 0 and 1",
    ),
    "Binarizer-trees": Entry(
        lambda: prepared(RandomForestClassifier(n_estimators=10, random_state=0), Binarizer(threshold=1500.5)),
        title="Binarizer, trees",
    ),
    "KBinsDiscretizer": Entry(
        lambda: prepared(logistic(), KBinsDiscretizer(4)),
        title="KBinsDiscretizer, linear models",
        note="a sum of stumps, as in a scorecard",
    ),
    "KBinsDiscretizer-scaled": Entry(
        lambda: prepared(LinearSVC(max_iter=20000), make_pipeline(KBinsDiscretizer(5, encode="ordinal"), StandardScaler())),
        title='KBinsDiscretizer(encode="ordinal"), StandardScaler, linear models',
    ),
    "KBinsDiscretizer-three": Entry(
        lambda: prepared(logistic(), KBinsDiscretizer(4)), "three", title="KBinsDiscretizer, linear models, three classes"
    ),
    "KBinsDiscretizer-regressor": Entry(
        lambda: prepared(RidgeCV(), KBinsDiscretizer(6)), "number", title="KBinsDiscretizer, linear regressors"
    ),
    "KBinsDiscretizer-trees": Entry(
        lambda: prepared(RandomForestClassifier(n_estimators=10, random_state=0), KBinsDiscretizer(8, encode="ordinal")),
        title='KBinsDiscretizer(encode="ordinal"), trees',
    ),
    "PowerTransformer-trees": Entry(
        lambda: prepared(RandomForestClassifier(n_estimators=10, random_state=0), PowerTransformer()),
        title="PowerTransformer, trees",
        note="exact: splits move to the units of the data",
    ),
    "PowerTransformer": Entry(
        lambda: prepared(logistic(), PowerTransformer()),
        title="PowerTransformer, other models",
        note="a `monotone` step; answers are checked by the model, without a proof unless all values are listed",
    ),
    "log1p-trees": Entry(
        lambda: make_pipeline(FunctionTransformer(np.log1p), HistGradientBoostingClassifier(max_iter=15, random_state=0)),
        columns=AMOUNTS,
        holes=True,
        title="FunctionTransformer(np.log1p), trees",
        note="exact: splits move to the units of the data",
    ),
    "log1p": Entry(
        lambda: prepared(logistic(), make_pipeline(SimpleImputer(), FunctionTransformer(np.log1p), StandardScaler())),
        title="FunctionTransformer(np.log1p), other models",
        note="a `monotone` step, as above",
        holes=True,
    ),
    "RidgeCV": Entry(lambda: prepared(RidgeCV()), "number"),
    "LassoCV": Entry(lambda: prepared(LassoCV(cv=3)), "number"),
    "ElasticNetCV": Entry(lambda: prepared(ElasticNetCV(cv=3)), "number"),
    "HuberRegressor": Entry(lambda: prepared(HuberRegressor()), "number"),
    "LinearSVR": Entry(lambda: prepared(LinearSVR(max_iter=20000, random_state=0)), "number"),
    "SGDRegressor": Entry(lambda: prepared(SGDRegressor(random_state=0)), "number"),
    "GammaRegressor": Entry(lambda: prepared(GammaRegressor()), "number"),
}

REFUSED: Dict[str, Entry] = {
    "Normalizer": Entry(lambda: make_pipeline(Normalizer(), logistic()), columns=AMOUNTS),
    "QuantileTransformer": Entry(lambda: prepared(logistic(), QuantileTransformer(n_quantiles=20))),
    "KBinsDiscretizer-onehot-trees": Entry(
        lambda: prepared(RandomForestClassifier(n_estimators=10, random_state=0), KBinsDiscretizer(8)),
        title='KBinsDiscretizer(encode="onehot"), trees',
    ),
    "KBinsDiscretizer-mixed": Entry(
        lambda: make_pipeline(
            ColumnTransformer([("bins", KBinsDiscretizer(4), [0]), ("scale", StandardScaler(), [1, 2, 3])], sparse_threshold=0),
            logistic(),
        ),
        columns=AMOUNTS,
        title="KBinsDiscretizer beside plain numbers, linear models",
    ),
    "PolynomialFeatures": Entry(
        lambda: make_pipeline(PolynomialFeatures(2), StandardScaler(), logistic()), columns=AMOUNTS
    ),
    "KNNImputer": Entry(lambda: prepared(logistic(), make_pipeline(KNNImputer(), StandardScaler())), holes=True),
    "CategoricalNB": Entry(lambda: CategoricalNB(), columns=["loans", "guarantor"]),
    "VotingClassifier": Entry(lambda: prepared(VotingClassifier([("a", logistic()), ("b", logistic(C=0.1))]))),
    "XGBClassifier": Entry(lambda: prepared(XGBClassifier())),
    "LGBMClassifier": Entry(lambda: prepared(LGBMClassifier())),
    "GridSearchCV-no-refit": Entry(
        lambda: GridSearchCV(prepared(logistic()), {"logisticregression__C": [1]}, cv=2, refit=False),
        title="GridSearchCV(refit=False)",
    ),
}
