"""The estimators of fit_everyday.py: which work, and which are refused with a way out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    StackingClassifier,
    StackingRegressor,
    VotingClassifier,
    VotingRegressor,
)
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
    Ridge,
    RidgeClassifierCV,
    RidgeCV,
    SGDRegressor,
)
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
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
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from xgboost import XGBClassifier, XGBRegressor

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
    # Purposes are missing in a tenth of the rows.
    purposeless: bool = False
    # The rows are a DataFrame whose text has the dtype of categories.
    framed: bool = False
    title: str = ""
    note: str = ""
    # The family, where the library may not be there to ask.
    becomes: str = ""


def prepared(last: Any, numbers: Any = None, text: Any = None) -> Any:
    """Numbers scaled, text encoded, the guarantor as it is."""
    branches = [("numbers", numbers or StandardScaler(), NUMBERS), ("text", text or OneHotEncoder(), TEXT)]
    return make_pipeline(ColumnTransformer(branches, remainder="passthrough", sparse_threshold=0), last)


def logistic(**options: Any) -> LogisticRegression:
    return LogisticRegression(max_iter=2000, **options)


def forest() -> RandomForestClassifier:
    return RandomForestClassifier(n_estimators=10, random_state=0)


def tree(depth: int = 3, **options: Any) -> DecisionTreeClassifier:
    return DecisionTreeClassifier(max_depth=depth, random_state=0, **options)


def soft_voting(**options: Any) -> VotingClassifier:
    return VotingClassifier([("forest", forest()), ("tree", tree()), ("small", tree(2))], voting="soft", **options)


def numbers_of_trees() -> List[Any]:
    boosted = GradientBoostingRegressor(n_estimators=12, random_state=0)
    return [("forest", RandomForestRegressor(10, max_depth=4, random_state=0)), ("boosted", boosted)]


def ada_boost(**options: Any) -> AdaBoostClassifier:
    return AdaBoostClassifier(tree(2), n_estimators=15, random_state=0, **options)


def calibrated(estimator: Any, method: str) -> CalibratedClassifierCV:
    return CalibratedClassifierCV(estimator, method=method, cv=3, ensemble=False)


def lightgbm_classifier(**options: Any) -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_estimators=12, verbose=-1, random_state=0, **options)


WORKS: Dict[str, Entry] = {
    "GridSearchCV": Entry(
        lambda: GridSearchCV(prepared(logistic()), {"logisticregression__C": [0.1, 1]}, cv=3),
        note="its `best_estimator_`",
    ),
    "RandomizedSearchCV": Entry(
        lambda: RandomizedSearchCV(
            prepared(forest()),
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
    "Calibrated-isotonic-forest": Entry(
        lambda: prepared(calibrated(forest(), "isotonic")),
        title='CalibratedClassifierCV(method="isotonic", ensemble=False), trees',
        note="a decision layer: targets in calibrated scores are exact on its plateaus and steps",
    ),
    "Calibrated-sigmoid-linear": Entry(
        lambda: calibrated(prepared(logistic()), "sigmoid"),
        title="CalibratedClassifierCV(ensemble=False) around a pipeline, linear models",
        note="the decision function as a hyperplane, with a decision layer",
    ),
    "Calibrated-isotonic-svc": Entry(
        lambda: prepared(calibrated(LinearSVC(max_iter=20000), "isotonic")),
        title='CalibratedClassifierCV(method="isotonic", ensemble=False), LinearSVC',
    ),
    "Calibrated-sigmoid-boosting": Entry(
        lambda: prepared(calibrated(GradientBoostingClassifier(n_estimators=12, random_state=0), "sigmoid")),
        title="CalibratedClassifierCV(ensemble=False), boosted trees",
    ),
    "Calibrated-isotonic-bayes": Entry(
        lambda: make_pipeline(StandardScaler(), calibrated(GaussianNB(), "isotonic")),
        columns=AMOUNTS,
        title='CalibratedClassifierCV(method="isotonic", ensemble=False), GaussianNB',
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
        lambda: prepared(BernoulliNB(binarize=0.3)), note="a tree for each column, exact under every cost and policy"
    ),
    "BernoulliNB-three": Entry(lambda: prepared(BernoulliNB(binarize=0.3)), "three", title="BernoulliNB, three classes"),
    "BernoulliNB-bins": Entry(
        lambda: prepared(BernoulliNB(), KBinsDiscretizer(5, encode="onehot-dense")),
        title='KBinsDiscretizer(encode="onehot"), BernoulliNB',
        note="a tree over all bins of a column",
    ),
    "BernoulliNB-bins-three": Entry(
        lambda: prepared(BernoulliNB(), KBinsDiscretizer(5, encode="onehot-dense")),
        "three",
        title='KBinsDiscretizer(encode="onehot"), BernoulliNB, three classes',
    ),
    "BernoulliNB-indicators": Entry(
        lambda: prepared(BernoulliNB(), SimpleImputer(add_indicator=True)),
        title="SimpleImputer(add_indicator=True), BernoulliNB",
        holes=True,
    ),
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
        holes=True,
        purposeless=True,
        title="OrdinalEncoder, HistGradientBoosting(categorical_features)",
        note="splits by sets of categories",
    ),
    "OrdinalEncoder-linear": Entry(lambda: prepared(logistic(), None, OrdinalEncoder()), title="OrdinalEncoder, linear models"),
    "OneHotEncoder-infrequent": Entry(
        lambda: prepared(logistic(), None, OneHotEncoder(min_frequency=0.22, handle_unknown="infrequent_if_exist")),
        purposeless=True,
        title="OneHotEncoder(min_frequency=...), linear models",
        note="infrequent categories share one column",
    ),
    "OneHotEncoder-infrequent-trees": Entry(
        lambda: prepared(forest(), None, OneHotEncoder(max_categories=3, handle_unknown="ignore")),
        title="OneHotEncoder(max_categories=...), trees",
    ),
    "Binarizer": Entry(
        lambda: prepared(logistic(), Binarizer(threshold=1500.5)),
        title="Binarizer, linear models",
        note="a tree for each column; all columns are binarized, discretized, encoded, or 0 and 1",
    ),
    "Binarizer-trees": Entry(
        lambda: prepared(forest(), Binarizer(threshold=1500.5)),
        title="Binarizer, trees",
    ),
    "KBinsDiscretizer": Entry(
        lambda: prepared(logistic(), KBinsDiscretizer(4)),
        title="KBinsDiscretizer, linear models",
        note="a tree for each column, as in a scorecard",
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
        lambda: prepared(forest(), KBinsDiscretizer(8, encode="ordinal")),
        title='KBinsDiscretizer(encode="ordinal"), trees',
    ),
    "PowerTransformer-trees": Entry(
        lambda: prepared(forest(), PowerTransformer()),
        title="PowerTransformer, trees",
        note="exact: splits move to the units of the data",
    ),
    "PowerTransformer": Entry(
        lambda: prepared(logistic(), PowerTransformer()),
        title="PowerTransformer, other models",
        note="a `monotone` step; linear models are solved exactly, other models without a proof",
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
    "add-indicator": Entry(
        lambda: prepared(forest(), make_pipeline(SimpleImputer(add_indicator=True), StandardScaler())),
        title="SimpleImputer(add_indicator=True), trees",
        note="a missing value stays missing, and each split says where it goes",
        holes=True,
    ),
    "PolynomialFeatures-discrete": Entry(
        lambda: prepared(make_pipeline(PolynomialFeatures(2), logistic()), KBinsDiscretizer(3)),
        title="PolynomialFeatures of degree 2 on discrete columns, linear models",
        note="a tree of two columns for each product; all columns are binarized, discretized, encoded, or 0 and 1",
    ),
    "PolynomialFeatures-three": Entry(
        lambda: prepared(make_pipeline(PolynomialFeatures(2, interaction_only=True), StandardScaler(), logistic()), KBinsDiscretizer(3)),
        "three",
        title="PolynomialFeatures(interaction_only=True) on discrete columns, three classes",
    ),
    "XGBClassifier": Entry(
        lambda: prepared(XGBClassifier(n_estimators=12, max_depth=4)),
        title="ColumnTransformer, XGBClassifier",
        note="its trees, as XGBoost saves them",
    ),
    "XGBClassifier-three": Entry(
        lambda: prepared(XGBClassifier(n_estimators=6, max_depth=3), "passthrough"),
        "three",
        title="ColumnTransformer, XGBClassifier, three classes",
        holes=True,
    ),
    "XGBRegressor": Entry(
        lambda: prepared(XGBRegressor(n_estimators=12, max_depth=4)), "number", title="ColumnTransformer, XGBRegressor"
    ),
    "BaggingClassifier": Entry(
        lambda: prepared(BaggingClassifier(tree(), 12, max_features=0.7, bootstrap_features=True, random_state=0)),
        title="BaggingClassifier over trees or forests",
    ),
    "BaggingRegressor": Entry(
        lambda: prepared(BaggingRegressor(DecisionTreeRegressor(max_depth=4), 12, random_state=0)),
        "number",
        title="BaggingRegressor over trees, forests or boosting",
    ),
    "BaggingRegressor-linear": Entry(
        lambda: prepared(BaggingRegressor(Ridge(), 12, max_features=0.7, random_state=0)),
        "number",
        title="BaggingRegressor over linear regressors",
    ),
    "VotingClassifier-soft": Entry(
        lambda: prepared(soft_voting(weights=[2, 1, 0.5])),
        title='VotingClassifier(voting="soft") over trees or forests',
        note="a mean of the members' means, added up as scikit-learn does: ties are its own",
    ),
    "VotingClassifier-soft-three": Entry(
        lambda: prepared(soft_voting()), "three", title='VotingClassifier(voting="soft"), three classes'
    ),
    "VotingClassifier-hard": Entry(
        lambda: prepared(VotingClassifier([(f"tree-{d}", tree(d, max_features=3)) for d in range(2, 7)])),
        title='VotingClassifier(voting="hard") over single trees',
        note="a vote of each tree",
    ),
    "VotingRegressor": Entry(
        lambda: prepared(VotingRegressor(numbers_of_trees(), weights=[1, 2])),
        "number",
        title="VotingRegressor over trees, forests or boosting",
    ),
    "VotingRegressor-linear": Entry(
        lambda: prepared(VotingRegressor([("ridge", Ridge()), ("lasso", LassoCV(cv=3))])),
        "number",
        title="VotingRegressor over linear regressors",
    ),
    "StackingClassifier": Entry(
        lambda: prepared(StackingClassifier([("forest", forest()), ("tree", tree())], logistic(), cv=3)),
        title="StackingClassifier, a linear model over trees or forests",
        note="a sum over trees behind the link of the last estimator",
    ),
    "StackingClassifier-decisions": Entry(
        lambda: prepared(
            StackingClassifier(
                [
                    ("boosted", GradientBoostingClassifier(n_estimators=6, random_state=0)),
                    ("histogram", HistGradientBoostingClassifier(max_iter=6, random_state=0)),
                ],
                logistic(),
                cv=3,
                stack_method="decision_function",
            )
        ),
        title='StackingClassifier(stack_method="decision_function"), a linear model over boosting',
    ),
    "StackingClassifier-linear": Entry(
        lambda: prepared(
            StackingClassifier(
                [("logistic", logistic()), ("ridge", RidgeClassifierCV())],
                logistic(),
                cv=3,
                stack_method="decision_function",
                passthrough=True,
            )
        ),
        title='StackingClassifier(stack_method="decision_function"), a linear model over linear models',
    ),
    "StackingRegressor": Entry(
        lambda: prepared(StackingRegressor(numbers_of_trees(), RidgeCV(), cv=3)),
        "number",
        title="StackingRegressor, a linear model over trees, forests or boosting",
    ),
    "StackingRegressor-linear": Entry(
        lambda: prepared(StackingRegressor([("ridge", Ridge()), ("lasso", LassoCV(cv=3))], RidgeCV(), cv=3, passthrough=True)),
        "number",
        title="StackingRegressor, a linear model over linear regressors",
    ),
    "AdaBoostClassifier": Entry(
        lambda: prepared(ada_boost()),
        title="AdaBoostClassifier over trees",
        note="SAMME and SAMME.R, of all versions",
    ),
    "AdaBoostClassifier-three": Entry(lambda: prepared(ada_boost()), "three", title="AdaBoostClassifier over trees, three classes"),
    "RidgeCV": Entry(lambda: prepared(RidgeCV()), "number"),
    "LassoCV": Entry(lambda: prepared(LassoCV(cv=3)), "number"),
    "ElasticNetCV": Entry(lambda: prepared(ElasticNetCV(cv=3)), "number"),
    "HuberRegressor": Entry(lambda: prepared(HuberRegressor()), "number"),
    "LinearSVR": Entry(lambda: prepared(LinearSVR(max_iter=20000, random_state=0)), "number"),
    "SGDRegressor": Entry(lambda: prepared(SGDRegressor(random_state=0)), "number"),
    "GammaRegressor": Entry(lambda: prepared(GammaRegressor()), "number"),
}

def with_categories(kind: Any, **options: Any) -> Any:
    return kind(max_iter=15, random_state=0, **options)


# Estimators of libraries that Debian does not have. `npm run interop` fits them.
ELSEWHERE: Dict[str, Entry] = {
    "LGBMClassifier": Entry(
        lambda: prepared(lightgbm_classifier(), "passthrough"),
        title="ColumnTransformer, LGBMClassifier",
        note="its trees, as LightGBM saves them",
        holes=True,
        becomes="tree-ensemble",
    ),
    "LGBMClassifier-three": Entry(
        lambda: prepared(lightgbm_classifier()),
        "three",
        title="ColumnTransformer, LGBMClassifier, three classes",
        becomes="tree-ensemble",
    ),
    "HistGradientBoosting-dtype": Entry(
        lambda: with_categories(HistGradientBoostingClassifier, categorical_features="from_dtype"),
        title='HistGradientBoosting(categorical_features="from_dtype") on a DataFrame',
        note="scikit-learn 1.4 and later encodes text by itself",
        holes=True,
        purposeless=True,
        framed=True,
        becomes="tree-ensemble",
    ),
    "HistGradientBoosting-dtype-three": Entry(
        lambda: with_categories(HistGradientBoostingClassifier, categorical_features="from_dtype"),
        "three",
        title='HistGradientBoosting(categorical_features="from_dtype") on a DataFrame, three classes',
        holes=True,
        purposeless=True,
        framed=True,
        becomes="tree-ensemble",
    ),
    "HistGradientBoosting-names": Entry(
        lambda: with_categories(HistGradientBoostingRegressor, categorical_features=["housing", "purpose"]),
        "number",
        title="HistGradientBoosting(categorical_features=[names]) on a DataFrame",
        purposeless=True,
        framed=True,
        becomes="tree-ensemble",
    ),
    "KBinsDiscretizer-onehot-trees": Entry(
        lambda: prepared(forest(), KBinsDiscretizer(8)),
        title='KBinsDiscretizer(encode="onehot"), trees',
        becomes="tree-ensemble",
    ),
}

REFUSED: Dict[str, Entry] = {
    "Normalizer": Entry(lambda: make_pipeline(Normalizer(), logistic()), columns=AMOUNTS),
    "QuantileTransformer": Entry(lambda: prepared(logistic(), QuantileTransformer(n_quantiles=20))),
    "KBinsDiscretizer-mixed": Entry(
        lambda: make_pipeline(
            ColumnTransformer([("bins", KBinsDiscretizer(4), [0]), ("scale", StandardScaler(), [1, 2, 3])], sparse_threshold=0),
            logistic(),
        ),
        columns=AMOUNTS,
        title="KBinsDiscretizer beside plain numbers, linear models",
    ),
    "PolynomialFeatures": Entry(
        lambda: make_pipeline(PolynomialFeatures(2), StandardScaler(), logistic()),
        columns=AMOUNTS,
        title="PolynomialFeatures on numbers",
    ),
    "KNNImputer": Entry(lambda: prepared(logistic(), make_pipeline(KNNImputer(), StandardScaler())), holes=True),
    "Calibrated-folds": Entry(
        lambda: prepared(CalibratedClassifierCV(logistic(), cv=3)), title="CalibratedClassifierCV(ensemble=True)"
    ),
    "CategoricalNB": Entry(lambda: CategoricalNB(), columns=["loans", "guarantor"]),
    "VotingClassifier": Entry(
        lambda: prepared(VotingClassifier([("a", logistic()), ("b", forest())], voting="soft")),
        title='VotingClassifier(voting="soft") over other models',
    ),
    "VotingClassifier-hard-forests": Entry(
        lambda: prepared(VotingClassifier([("a", forest()), ("b", tree())])), title='VotingClassifier(voting="hard") over forests'
    ),
    "VotingRegressor-mixed": Entry(
        lambda: prepared(VotingRegressor([("a", Ridge()), *numbers_of_trees()])),
        "number",
        title="VotingRegressor over linear regressors and trees",
    ),
    "BaggingClassifier-logistic": Entry(
        lambda: prepared(BaggingClassifier(logistic(), 3)), title="BaggingClassifier over other models"
    ),
    "StackingClassifier-probabilities": Entry(
        lambda: prepared(StackingClassifier([("a", logistic()), ("b", forest())], cv=2)),
        title="StackingClassifier over probabilities of other models",
    ),
    "StackingClassifier-tree": Entry(
        lambda: prepared(StackingClassifier([("a", forest()), ("b", tree())], tree(), cv=2)),
        title="StackingClassifier, a tree over other estimators",
    ),
    "Pipeline-inside": Entry(
        lambda: prepared(VotingClassifier([("a", make_pipeline(StandardScaler(), tree())), ("b", tree())], voting="soft")),
        title="a Pipeline inside of Voting, Bagging or Stacking",
    ),
    "AdaBoostClassifier-logistic": Entry(
        lambda: prepared(AdaBoostClassifier(logistic(), n_estimators=3)), title="AdaBoostClassifier over other models"
    ),
    "AdaBoostRegressor": Entry(lambda: prepared(AdaBoostRegressor(n_estimators=3, random_state=0)), "number"),
    "PolynomialFeatures-trees": Entry(
        lambda: prepared(make_pipeline(PolynomialFeatures(2), forest()), KBinsDiscretizer(3)), title="PolynomialFeatures, trees"
    ),
    "add-indicator-linear": Entry(
        lambda: prepared(logistic(), make_pipeline(SimpleImputer(add_indicator=True), StandardScaler())),
        title="SimpleImputer(add_indicator=True), linear models",
        holes=True,
    ),
    "OrdinalEncoder-missing": Entry(
        lambda: prepared(forest(), None, OrdinalEncoder(encoded_missing_value=-1)),
        purposeless=True,
        title="OrdinalEncoder(encoded_missing_value=...)",
    ),
    "XGBClassifier-sparse": Entry(
        lambda: make_pipeline(
            ColumnTransformer([("text", OneHotEncoder(), TEXT)], remainder="passthrough", sparse_threshold=1.0),
            XGBClassifier(n_estimators=2),
        ),
        title="XGBClassifier behind a sparse matrix",
    ),
    "GridSearchCV-no-refit": Entry(
        lambda: GridSearchCV(prepared(logistic()), {"logisticregression__C": [1]}, cv=2, refit=False),
        title="GridSearchCV(refit=False)",
    ),
}
