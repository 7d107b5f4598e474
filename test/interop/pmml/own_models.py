"""Models that are written by hand, for parts of PMML that exporters seldom write. Each is (name, model, objective, data, text, options)."""
from document import TRUE, compound, node, pmml, schema, simple, tree, words

LOCAL = "<LocalTransformations>{}</LocalTransformations>"


def stump(field, value, low, high, operator="lessOrEqual", opposite="greaterThan", **attributes):
    return node(TRUE, node(simple(field, operator, value), score=low), node(simple(field, opposite, value), score=high), **attributes)


def trees():
    numbers = ["age", "income"]
    yield "tree-strict", "TreeModel", "regression", "numbers", pmml(
        numbers, "number", tree(schema(numbers), node(
            TRUE,
            node(simple("income", "lessThan", "1500.5"), stump("age", "30", "1", "2.5").replace("<True/>", simple("income", "lessThan", "1500.5"), 1)),
            node(simple("income", "greaterOrEqual", "1500.5"), score="7.25"),
        )),
    ), {"missing": []}
    for strategy in ("none", "lastPrediction", "defaultChild"):
        yield f"tree-{strategy.lower()}", "TreeModel", "classification", f"categories and missing values, {strategy}", pmml(
            ["age", "income", "housing", "purpose"], "two", tree(
                schema(["age", "income", "housing", "purpose"]),
                node(
                    TRUE,
                    node(words("housing", "isIn", "own", "free"),
                         node(simple("income", "lessOrEqual", "2000"), counts={"no": 7, "yes": 3}, score="no", id="3"),
                         node(simple("income", "greaterThan", "2000"), counts={"no": 1, "yes": 9}, score="yes", id="4"),
                         id="1", default="4", counts={"no": 8, "yes": 12}, score="yes"),
                    node(simple("housing", "notEqual", "own"),
                         node(compound("or", simple("age", "lessThan", "25"), words("purpose", "isIn", "car", "other")),
                              counts={"no": 30, "yes": 1}, score="no", id="5"),
                         node(TRUE, counts={"no": 5, "yes": 4}, score="no", id="6"),
                         id="2", default="6", counts={"no": 35, "yes": 5}, score="no"),
                    id="0", default="2", counts={"no": 43, "yes": 17}, score="no",
                ),
                "classification", attributes=f'missingValueStrategy="{strategy}" noTrueChildStrategy="returnLastPrediction"',
            ),
        ), {}
    yield "tree-null", "TreeModel", "regression", "nullPrediction", pmml(
        numbers, "number", tree(schema(numbers), stump("income", "1000", "1", "2"), attributes='missingValueStrategy="nullPrediction"')), {"missing": []}
    yield "tree-imputed", "TreeModel", "regression", "nullPrediction and replaced missing values", pmml(
        ["age", "income", "housing"], "number", tree(
            schema(["age", "income", "housing"], income='missingValueReplacement="700.5"', housing='missingValueReplacement="own"'),
            node(TRUE, node(compound("and", simple("income", "lessThan", "1000"), simple("housing", "equal", "own")), stump("age", "30", "1", "2")),
                 node(TRUE, score="3")), attributes='missingValueStrategy="nullPrediction"')), {"missing": ["income", "housing"]}
    yield "tree-required", "TreeModel", "regression", "missing values that are invalid", pmml(
        numbers, "number", tree(schema(numbers, income='missingValueTreatment="returnInvalid"'), stump("income", "1000", "1", "2"),
                                attributes='missingValueStrategy="defaultChild"').replace("<Node>", '<Node defaultChild="1">', 1).replace('<Node score="1">', '<Node id="1" score="1">')), {"missing": ["income"]}
    yield "tree-compound", "TreeModel", "regression", "and, or, xor and surrogate", pmml(
        ["age", "income", "savings", "guarantor"], "number", tree(schema(["age", "income", "savings", "guarantor"]), node(
            TRUE,
            node(compound("surrogate", simple("income", "lessThan", "900"), simple("savings", "lessThan", "100"), "<False/>"), score="1"),
            node(compound("and", simple("age", "greaterOrEqual", "60"), simple("guarantor", "equal", "true")), score="2"),
            node(compound("xor", simple("age", "greaterThan", "30"), simple("income", "greaterThan", "3000")), score="3"),
            node(compound("and", simple("savings", "isMissing"), simple("income", "isNotMissing")), score="4"),
            node(TRUE, score="5"),
        ), attributes='missingValueStrategy="none"')), {}
    yield "tree-last", "TreeModel", "regression", "returnLastPrediction", pmml(
        numbers, "number", tree(schema(numbers), node(
            TRUE,
            node(simple("income", "lessThan", "800"), node(simple("age", "lessThan", "20"), score="1"), node(simple("age", "equal", "40"), score="9"), score="2"),
            node(simple("income", "greaterThan", "4000"), score="3"),
            score="0.5",
        ), attributes='noTrueChildStrategy="returnLastPrediction"')), {}
    yield "tree-treatments", "TreeModel", "regression", "treatments of the MiningSchema", pmml(
        ["age", "income", "savings", "housing"], "number", tree(
            schema(["age", "income", "savings", "housing"],
                   age='missingValueReplacement="40"',
                   income='outliers="asExtremeValues" lowValue="500" highValue="5000"',
                   savings='invalidValueTreatment="asMissing" missingValueReplacement="-1"',
                   housing='missingValueReplacement="rent"'),
            node(TRUE,
                 node(simple("income", "lessOrEqual", "500"), score="1"),
                 node(simple("income", "greaterOrEqual", "5000"), score="2"),
                 node(simple("savings", "lessThan", "0"), score="3"),
                 node(compound("and", simple("housing", "equal", "rent"), simple("age", "lessThan", "45")), score="4"),
                 node(TRUE, score="5"),
                 ), attributes='missingValueStrategy="none"'),
        replaced={"savings": '<DataField name="savings" optype="continuous" dataType="double"><Interval closure="closedOpen" leftMargin="0" rightMargin="9000"/><Value value="-999" property="missing"/></DataField>'},
    ), {"values": {"savings": [-999, 9000, 0]}}
    derived = (
        '<DerivedField name="scaled" optype="continuous" dataType="double"><NormContinuous field="income"><LinearNorm orig="300" norm="0"/><LinearNorm orig="7100.3" norm="1"/></NormContinuous></DerivedField>'
        '<DerivedField name="bent" optype="continuous" dataType="double"><NormContinuous field="savings" outliers="asExtremeValues" mapMissingTo="0.3"><LinearNorm orig="0" norm="0"/><LinearNorm orig="1000" norm="0.7"/><LinearNorm orig="5000" norm="0.1"/></NormContinuous></DerivedField>'
        '<DerivedField name="monthly" optype="continuous" dataType="double"><Apply function="/"><Apply function="-"><FieldRef field="income"/><Constant dataType="double">2500</Constant></Apply><Constant dataType="double">3.7</Constant></Apply></DerivedField>'
        '<DerivedField name="group" optype="categorical" dataType="string"><Discretize field="age" defaultValue="old"><DiscretizeBin binValue="young"><Interval closure="openOpen" rightMargin="25"/></DiscretizeBin><DiscretizeBin binValue="adult"><Interval closure="closedClosed" leftMargin="25" rightMargin="60"/></DiscretizeBin></Discretize></DerivedField>'
        '<DerivedField name="kind" optype="categorical" dataType="string"><MapValues outputColumn="to" defaultValue="c" mapMissingTo="m"><FieldColumnPair field="housing" column="from"/><InlineTable><row><from>own</from><to>a</to></row><row><from>rent</from><to>b</to></row></InlineTable></MapValues></DerivedField>'
        '<DerivedField name="isFree" optype="continuous" dataType="double"><NormDiscrete field="housing" value="free"/></DerivedField>'
        '<DerivedField name="choice" optype="continuous" dataType="double"><Apply function="if"><Apply function="greaterThan"><FieldRef field="monthly"/><Constant dataType="double">100</Constant></Apply><Apply function="*"><FieldRef field="monthly"/><Constant dataType="double">2.5</Constant></Apply><Constant dataType="double">-1</Constant></Apply></DerivedField>'
    )
    fields = ["age", "income", "savings", "housing"]
    yield "tree-transformed", "TreeModel", "regression", "transformations", pmml(
        fields, "number", tree(schema(fields), node(
            TRUE,
            node(simple("scaled", "lessOrEqual", "0.2"), score="1"),
            node(simple("bent", "greaterThan", "0.35"), node(simple("group", "equal", "adult"), score="2"), node(TRUE, score="2.5")).replace("<Node>", '<Node score="2.2">', 1),
            node(words("kind", "isIn", "b", "m"), node(simple("monthly", "lessThan", "123.4"), score="3"), node(TRUE, score="3.5")),
            node(compound("and", simple("isFree", "greaterThan", "0.5"), simple("choice", "greaterOrEqual", "2000.1")), score="4"),
            node(TRUE, score="5"),
        ), local=LOCAL.format(derived), attributes='missingValueStrategy="none" noTrueChildStrategy="returnLastPrediction"')), {
            "values": {"income": [1660.06, 300 + 0.2 * 6800.3, 2956.58, 2500 + 2000.1 / 2.5 * 3.7, 2870], "savings": [500, 3333.3333333333335, 1000, 5000]}, "missing": ["age", "savings", "housing"]}
    yield "tree-float", "TreeModel", "regression", "float32", pmml(
        ["rate", "income"], "number", tree(schema(["rate", "income"]), node(
            TRUE,
            node(simple("rate", "lessThan", "0.1"), score="1.1"),
            node(simple("rate", "lessOrEqual", "0.7"), stump("income", "1000.1", "2.2", "3.3").replace("<True/>", simple("rate", "lessOrEqual", "0.7"), 1)),
            node(TRUE, score="4.4"),
        ), attributes='x-mathContext="float" missingValueStrategy="none"')), {"missing": []}
    yield "tree-integers", "TreeModel", "classification", "categories of whole numbers, three classes", pmml(
        ["region", "age"], "three", tree(schema(["region", "age"]), node(
            TRUE,
            node(simple("region", "equal", "2"), score="middle"),
            node(words("region", "isIn", "1", "3"), node(simple("age", "lessThan", "33.5"), score="low"), node(TRUE, score="high")),
        ), "classification"), shares=False), {"labels": True, "missing": []}


def segments(method, parts, weights=None, attributes=""):
    own = "".join(
        f'<Segment id="{k}"{f""" weight="{weights[k]}" """ if weights else ""}><True/>{part}</Segment>' for k, part in enumerate(parts))
    return f'<Segmentation multipleModelMethod="{method}" {attributes}>{own}</Segmentation>'


def mining(fields, function, segmentation, targets="", attributes="", **treatments):
    return f'<MiningModel functionName="{function}" {attributes}>{schema(fields, **treatments)}{targets}{segmentation}</MiningModel>'


def number_trees(attributes=""):
    inner = schema(["age", "income"], target=None)
    return [
        tree(inner, stump("income", "1500.25", "-0.31", "0.42"), attributes=attributes),
        tree(inner, stump("age", "33", "-0.7", "0.13", "lessThan", "greaterOrEqual"), attributes=attributes),
        tree(inner, stump("income", "3000.1", "0.021", "0.55"), attributes=attributes),
    ]


def ensembles():
    fields = ["age", "income"]
    for method in ("sum", "average"):
        yield f"mining-{method}", "MiningModel", "regression", method, pmml(
            fields, "number", mining(fields, "regression", segments(method, number_trees()))), {}
    yield "mining-rescaled", "MiningModel", "regression", "sum with Targets", pmml(
        fields, "number", mining(fields, "regression", segments("sum", number_trees()),
                                 '<Targets><Target field="y" rescaleFactor="0.1" rescaleConstant="12.5"/></Targets>')), {}
    for method in ("weightedSum", "weightedAverage"):
        yield f"mining-{method.lower()}", "MiningModel", "regression", method, pmml(
            fields, "number", mining(fields, "regression", segments(method, number_trees(), [1, 2.5, 0.3]))), {}
    yield "mining-float", "MiningModel", "regression", "sum in float32 with Targets", pmml(
        fields, "number", mining(fields, "regression", segments("sum", number_trees('x-mathContext="float"')),
                                 '<Targets><Target field="y" rescaleConstant="0.3"/></Targets>', 'x-mathContext="float"')), {}
    fields = ["age", "income", "housing"]
    inner = schema(fields, target=None)
    classed = [
        tree(inner, node(TRUE, node(simple("income", "lessOrEqual", "1800"), counts={"low": 5, "middle": 3, "high": 1}, score="low"),
                         node(TRUE, counts={"low": 1, "middle": 3, "high": 7}, score="high")), "classification"),
        tree(inner, node(TRUE, node(words("housing", "isIn", "own"), counts={"low": 2, "middle": 8, "high": 3}, score="middle"),
                         node(TRUE, counts={"low": 6, "middle": 1, "high": 2}, score="low")), "classification"),
        tree(inner, node(TRUE, node(simple("age", "lessThan", "35"), counts={"low": 1, "middle": 2, "high": 6}, score="high"),
                         node(TRUE, counts={"low": 1, "middle": 5, "high": 3}, score="middle")), "classification"),
    ]
    for method, weights in (("average", None), ("weightedAverage", [1, 2, 0.75]), ("weightedMajorityVote", [1, 2, 0.75])):
        yield f"mining-classes-{method.lower()}", "MiningModel", "classification", method, pmml(
            fields, "three", mining(fields, "classification", segments(method, classed, weights))), {}
    pairs = [part.replace('"low"', '"no"').replace('"high"', '"yes"').replace('<ScoreDistribution value="middle" recordCount="3"/>', "")
             .replace('<ScoreDistribution value="middle" recordCount="8"/>', "").replace('<ScoreDistribution value="middle" recordCount="1"/>', "")
             .replace('<ScoreDistribution value="middle" recordCount="2"/>', "").replace('<ScoreDistribution value="middle" recordCount="5"/>', "")
             .replace('score="middle"', 'score="yes"') for part in classed]
    yield "mining-vote", "MiningModel", "classification", "majorityVote of three", pmml(
        fields, "two", mining(fields, "classification", segments("majorityVote", pairs))), {}


def table(category, *predictors, intercept="0"):
    target = f' targetCategory="{category}"' if category else ""
    return f'<RegressionTable intercept="{intercept}"{target}>{"".join(predictors)}</RegressionTable>'


def number(name, coefficient, extra=""):
    return f'<NumericPredictor name="{name}" coefficient="{coefficient}" {extra}/>'


def category(name, value, coefficient):
    return f'<CategoricalPredictor name="{name}" value="{value}" coefficient="{coefficient}"/>'


MIXED = (number("age", "0.043"), number("income", "0.0007"), category("housing", "own", "0.4"), category("housing", "free", "-0.8"), category("guarantor", "true", "0.9"))


def regression(fields, function, link, tables, target="number", local="", transformations="", **treatments):
    return pmml(fields, target, f'<RegressionModel functionName="{function}" normalizationMethod="{link}">{schema(fields, **treatments)}{local}{"".join(tables)}</RegressionModel>', transformations)


def regressions():
    fields = ["age", "income", "housing", "guarantor"]
    for link in ("none", "exp", "logit", "softmax"):
        yield f"regression-{link}", "RegressionModel", f"regression, {link}", "numbers and categories", regression(
            fields, "regression", link, [table(None, *MIXED, intercept="-3.25")]), {}
    yield "regression-two", "RegressionModel", "classification, logit", "numbers and categories", regression(
        fields, "classification", "logit", [table("yes", *MIXED, intercept="-4.1"), table("no")], "two"), {}
    yield "regression-first", "RegressionModel", "classification, softmax", "the first class has the table", regression(
        fields, "classification", "softmax", [table("no", *MIXED, intercept="-4.1"), table("yes")], "two"), {}
    yield "regression-pair", "RegressionModel", "classification, softmax", "two tables", regression(
        fields, "classification", "softmax", [table("no", number("age", "0.01"), intercept="1"), table("yes", *MIXED, intercept="-3")], "two"), {}
    yield "regression-clipped", "RegressionModel", "classification, none", "two classes", regression(
        ["age", "income"], "classification", "none", [table("yes", number("age", "0.01"), number("income", "0.0001"), intercept="-0.3"), table("no")], "two"), {}
    several = [table("low", number("age", "-0.02"), category("housing", "own", "0.5"), intercept="1"),
               table("middle", number("income", "0.0003"), intercept="0.2"),
               table("high", number("age", "0.01"), number("income", "0.0004"), intercept="-1")]
    for link in ("softmax", "logit", "none"):
        yield f"regression-three-{link}", "RegressionModel", f"classification, {link}", "three classes", regression(
            ["age", "income", "housing"], "classification", link, several, "three"), {}
    yield "regression-required", "RegressionModel", "regression, none", "missing values that are invalid", regression(
        fields, "regression", "none", [table(None, *MIXED, intercept="1")], guarantor='missingValueTreatment="returnInvalid"'), {"missing": ["guarantor"]}
    yield "regression-imputed", "RegressionModel", "regression, none", "replaced missing values", regression(
        fields, "regression", "none", [table(None, *MIXED, intercept="1")], age='missingValueReplacement="37"', income='missingValueReplacement="1999.5"',
        housing='missingValueReplacement="free"', guarantor='missingValueReplacement="false"'), {}
    scaled = ('<DerivedField name="z" optype="continuous" dataType="double"><Apply function="/"><Apply function="-"><FieldRef field="income"/><Constant dataType="double">2100.5</Constant></Apply><Constant dataType="double">811.25</Constant></Apply></DerivedField>'
              '<DerivedField name="n" optype="continuous" dataType="double"><NormContinuous field="age"><LinearNorm orig="18" norm="0"/><LinearNorm orig="90" norm="1"/></NormContinuous></DerivedField>'
              '<DerivedField name="rent" optype="continuous" dataType="double"><NormDiscrete field="housing" value="rent"/></DerivedField>')
    yield "regression-scaled", "RegressionModel", "classification, logit", "transformations", regression(
        ["age", "income", "housing"], "classification", "logit", [table("yes", number("z", "1.1"), number("n", "-0.7"), number("rent", "0.3"), intercept="0.05"), table("no")],
        "two", transformations=scaled), {}
    bins = ('<DerivedField name="ageBin" optype="categorical" dataType="string"><Discretize field="age" mapMissingTo="none"><DiscretizeBin binValue="a"><Interval closure="openOpen" rightMargin="25"/></DiscretizeBin>'
            '<DiscretizeBin binValue="b"><Interval closure="closedOpen" leftMargin="25" rightMargin="45"/></DiscretizeBin><DiscretizeBin binValue="c"><Interval closure="closedOpen" leftMargin="45"/></DiscretizeBin></Discretize></DerivedField>'
            '<DerivedField name="woe" optype="continuous" dataType="double"><Discretize field="income" dataType="double" defaultValue="0.7"><DiscretizeBin binValue="-0.6"><Interval closure="openClosed" rightMargin="1500"/></DiscretizeBin>'
            '<DiscretizeBin binValue="0.1"><Interval closure="openClosed" leftMargin="1500" rightMargin="2500.5"/></DiscretizeBin></Discretize></DerivedField>')
    binned = (category("ageBin", "a", "-0.4"), category("ageBin", "b", "0.2"), category("ageBin", "none", "-0.1"), number("woe", "1.3"), category("housing", "own", "0.6"))
    yield "regression-bins", "RegressionModel", "classification, logit", "bins", regression(
        ["age", "income", "housing"], "classification", "logit", [table("yes", *binned, intercept="-0.2"), table("no")], "two", local=LOCAL.format(bins)), {}
    yield "regression-bins-number", "RegressionModel", "regression, exp", "bins", regression(
        ["age", "income", "housing"], "regression", "exp", [table(None, *binned, intercept="0.5")], local=LOCAL.format(bins)), {}
