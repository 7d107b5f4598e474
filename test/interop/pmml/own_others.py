"""Models of other kinds than trees and regressions, written by hand: general regression, naive Bayes, scorecards, kernels and networks."""

from document import TRUE, compound, pmml, schema, simple, words


def cells(tag, *rows):
    names = {"PPCell": ("value", "predictorName", "parameterName"), "PCell": ("parameterName", "beta", "targetCategory")}[tag]
    return "".join(f"<{tag} " + " ".join(f'{key}="{value}"' for key, value in zip(names, row)) + "/>" for row in rows)


def general(fields, target, function, attributes, factors, covariates, pairs, parameters):
    names = lambda tag, own: f"<{tag}>{''.join(f'<Predictor name={chr(34)}{name}{chr(34)}/>' for name in own)}</{tag}>"
    listed = "".join(f'<Parameter name="{name}"/>' for name in dict.fromkeys(row[0] for row in parameters))
    return pmml(fields, target, (
        f'<GeneralRegressionModel functionName="{function}" {attributes}>{schema(fields)}<ParameterList>{listed}</ParameterList>'
        f'{names("FactorList", factors)}{names("CovariateList", covariates)}<PPMatrix>{cells("PPCell", *pairs)}</PPMatrix>'
        f'<ParamMatrix>{cells("PCell", *parameters)}</ParamMatrix></GeneralRegressionModel>'))


def generals():
    fields, factors, covariates = ["age", "income", "housing"], ["housing"], ["age", "income"]
    pairs = [("1", "age", "p1"), ("1", "income", "p2"), ("own", "housing", "p3"), ("rent", "housing", "p4")]
    betas = [("p0", "-2.5"), ("p1", "0.031"), ("p2", "0.0006"), ("p3", "0.4"), ("p4", "-0.2")]
    own = lambda name, kind, function, target, attributes, parameters: (
        f"general-{name}", "GeneralRegressionModel", f"{function}, {kind}", "numbers and categories",
        general(fields, target, function, f'modelType="{kind}" {attributes}', factors, covariates, pairs, parameters), {})
    yield own("linear", "generalLinear", "regression", "number", "", betas)
    for link in ("identity", "log", "logit"):
        yield own(link, "generalizedLinear", "regression", "number", f'linkFunction="{link}" offsetValue="0.25"', betas)
    two = [(*row, "yes") for row in betas]
    yield own("two", "generalizedLinear", "classification", "two", 'linkFunction="logit" targetReferenceCategory="no"', two)
    three = [(name, str(float(beta) * scale), category) for category, scale in (("low", -0.5), ("high", 1.2)) for name, beta in betas]
    yield own("three", "multinomialLogistic", "classification", "three", 'targetReferenceCategory="middle"', three)


def counts(tag, numbers):
    return f"<{tag}>" + "".join(f'<TargetValueCount value="{name}" count="{count}"/>' for name, count in numbers.items()) + f"</{tag}>"


def bayes(fields, target, inputs, priors, threshold):
    return pmml(fields, target, (
        f'<NaiveBayesModel functionName="classification" threshold="{threshold}">{schema(fields)}<BayesInputs>{"".join(inputs)}</BayesInputs>'
        f'<BayesOutput fieldName="y">{counts("TargetValueCounts", priors)}</BayesOutput></NaiveBayesModel>'))


def counted(field, by_value, derived=""):
    own = "".join(f'<PairCounts value="{value}">{counts("TargetValueCounts", numbers)}</PairCounts>' for value, numbers in by_value.items())
    return f'<BayesInput fieldName="{field}">{derived}{own}</BayesInput>'


def bayeses():
    bins = ('<DerivedField name="bin" optype="categorical" dataType="string"><Discretize field="income"><DiscretizeBin binValue="1"><Interval closure="openOpen" rightMargin="1500.5"/></DiscretizeBin>'
            '<DiscretizeBin binValue="2"><Interval closure="closedOpen" leftMargin="1500.5" rightMargin="3000"/></DiscretizeBin><DiscretizeBin binValue="3"><Interval closure="closedOpen" leftMargin="3000"/></DiscretizeBin></Discretize></DerivedField>')
    for target, names in (("two", ("no", "yes")), ("three", ("low", "middle", "high"))):
        by = lambda *numbers: dict(zip(names, numbers))
        yield f"bayes-{target}", "NaiveBayesModel", f"classification, {target} classes", "counts of categories and bins, missing values", bayes(
            ["income", "housing", "guarantor"], target,
            [counted("income", {"1": by(30, 5, 1), "2": by(15, 20, 11), "3": by(2, 14, 40)}, bins),
             counted("housing", {"own": by(10, 20, 33), "rent": by(30, 15, 9), "free": by(7, 0, 2)}),
             counted("guarantor", {"true": by(5, 25, 20), "false": by(42, 14, 24)})],
            by(47, 39, 44), "0.001"), {}
    gauss = lambda field, **by_class: f'<BayesInput fieldName="{field}"><TargetValueStats>' + "".join(
        f'<TargetValueStat value="{name}"><GaussianDistribution mean="{mean}" variance="{variance}"/></TargetValueStat>' for name, (mean, variance) in by_class.items()) + "</TargetValueStats></BayesInput>"
    yield "bayes-gaussian", "NaiveBayesModel", "classification, two classes", "Gaussian densities", bayes(
        ["age", "income"], "two", [gauss("age", no=(35.5, 120), yes=(44, 150.25)), gauss("income", no=(1700, 400000), yes=(2900.5, 900000))],
        {"no": 60, "yes": 40}, "0"), {"missing": []}


def characteristic(name, *attributes, extra=""):
    own = "".join(f'<Attribute partialScore="{points}" reasonCode="{name}-{k}">{predicate}</Attribute>' for k, (predicate, points) in enumerate(attributes))
    return f'<Characteristic name="{name}" baselineScore="18" reasonCode="{name}" {extra}>{own}</Characteristic>'


def scorecard(fields, characteristics, initial="10"):
    return pmml(fields, "number", (
        f'<Scorecard functionName="regression" initialScore="{initial}" useReasonCodes="true" reasonCodeAlgorithm="pointsBelow" baselineMethod="other">'
        f'{schema(fields)}<Characteristics>{"".join(characteristics)}</Characteristics></Scorecard>'))


def scorecards():
    age = characteristic("age", (simple("age", "isMissing"), "-1.5"), (simple("age", "lessOrEqual", "24"), "-3"), (compound("and", simple("age", "greaterThan", "24"), simple("age", "lessThan", "40")), "12.25"), (simple("age", "greaterOrEqual", "40"), "18"))
    income = characteristic("income", (simple("income", "lessThan", "1500.75"), "5"), (simple("income", "greaterOrEqual", "1500.75"), "26.5"))
    housing = characteristic("housing", (words("housing", "isIn", "own", "free"), "20"), (simple("housing", "equal", "rent"), "6"), (simple("housing", "isMissing"), "1"))
    yield "scorecard-plain", "Scorecard", "regression", "numbers, categories and missing values", scorecard(["age", "income", "housing"], [age, income, housing]), {}
    both = characteristic("both", (compound("and", simple("income", "lessThan", "2000"), simple("housing", "equal", "rent")), "-7"), (simple("savings", "greaterThan", "5000"), "9"), (TRUE, "1"))
    yield "scorecard-crossed", "Scorecard", "regression", "characteristics of several fields", scorecard(["age", "income", "housing", "savings"], [age, both, housing]), {}


VECTORS = {"a": (25, 1.1, 1, 0), "b": (40, 2.4, 0, 1), "c": (61, 3.7, 0, 0), "d": (33, 0.8, 1, 0), "e": (52, 5.2, 0, 1)}
KERNELS = {
    "linear": "<LinearKernelType/>",
    "poly": '<PolynomialKernelType gamma="0.01" coef0="1" degree="2"/>',
    "rbf": '<RadialBasisKernelType gamma="0.02"/>',
    "sigmoid": '<SigmoidKernelType gamma="0.001" coef0="0.1"/>',
}


def machine(coefficients, bias, attributes=""):
    ids = "".join(f'<SupportVector vectorId="{name}"/>' for name in coefficients)
    numbers = "".join(f'<Coefficient value="{value}"/>' for value in coefficients.values())
    return f'<SupportVectorMachine {attributes}><SupportVectors>{ids}</SupportVectors><Coefficients absoluteValue="{bias}">{numbers}</Coefficients></SupportVectorMachine>'


def kernels():
    fields = ["age", "income", "housing"]
    local = '<LocalTransformations><DerivedField name="thousands" optype="continuous" dataType="double"><NormContinuous field="income"><LinearNorm orig="0" norm="0"/><LinearNorm orig="1000" norm="1"/></NormContinuous></DerivedField></LocalTransformations>'
    dictionary = '<VectorDictionary><VectorFields><FieldRef field="age"/><FieldRef field="thousands"/><CategoricalPredictor name="housing" value="own" coefficient="1"/><CategoricalPredictor name="housing" value="rent" coefficient="1"/></VectorFields>' + "".join(
        f'<VectorInstance id="{name}"><REAL-SparseArray n="4"><Indices>{" ".join(str(k + 1) for k, v in enumerate(own) if v)}</Indices><REAL-Entries>{" ".join(str(v) for v in own if v)}</REAL-Entries></REAL-SparseArray></VectorInstance>'
        for name, own in VECTORS.items()) + "</VectorDictionary>"
    body = lambda function, kernel, machines, target, attributes="", shares=False: pmml(
        fields, target, f'<SupportVectorMachineModel functionName="{function}" {attributes}>{schema(fields)}{local}{KERNELS[kernel]}{dictionary}{"".join(machines)}</SupportVectorMachineModel>', shares=shares)
    options = {"missing": []}
    coefficients = {"a": 0.7, "b": -0.3, "c": 1.1, "e": -0.9}
    for kernel, scale in (("linear", 0.01), ("poly", 0.3), ("rbf", 2), ("sigmoid", 3)):
        scaled = {name: value * scale for name, value in coefficients.items()}
        yield f"svm-number-{kernel}", "SupportVectorMachineModel", f"regression, {kernel}", "numbers and categories", body("regression", kernel, [machine(scaled, "0.37")], "number"), options
    one = machine(coefficients, "-0.21", 'targetCategory="yes" alternateTargetCategory="no"')
    yield "svm-two", "SupportVectorMachineModel", "classification, rbf", "two classes", body("classification", "rbf", [one], "two", 'classificationMethod="OneAgainstOne"'), options | {"labels": True}
    pairs = [
        machine({"a": -0.5, "b": 0.8}, "0.11", 'targetCategory="low" alternateTargetCategory="middle"'),
        machine({"a": -0.6, "d": -0.4, "c": 0.9}, "0.05", 'targetCategory="low" alternateTargetCategory="high"'),
        machine({"b": -0.7, "e": 1.0}, "0.02", 'targetCategory="middle" alternateTargetCategory="high"'),
    ]
    pairs[0] = machine({"a": -0.5, "d": -0.1, "b": 0.8}, "0.11", 'targetCategory="low" alternateTargetCategory="middle"')
    pairs[2] = machine({"b": -0.7, "c": 1.0, "e": 0.3}, "0.02", 'targetCategory="middle" alternateTargetCategory="high"')
    yield "svm-three", "SupportVectorMachineModel", "classification, rbf", "three classes, one against one", body("classification", "rbf", pairs, "three", 'classificationMethod="OneAgainstOne"'), options | {"labels": True}
    least = [machine({"a": w}, b, f'targetCategory="{name}"') for name, w, b in (("low", 0.002, "0.1"), ("middle", -0.001, "3"), ("high", -0.004, "5.5"))]
    yield "svm-least", "SupportVectorMachineModel", "classification, linear", "three classes, one against all", body("classification", "linear", least, "three", 'classificationMethod="OneAgainstAll"'), options | {"labels": True}


def layer(k, before, rows, activation, extra=""):
    neurons = "".join(
        f'<Neuron id="{k},{i}" bias="{row[0]}">' + "".join(f'<Con from="{name}" weight="{weight}"/>' for name, weight in zip(before, row[1:])) + "</Neuron>"
        for i, row in enumerate(rows))
    return f'<NeuralLayer activationFunction="{activation}" {extra}>{neurons}</NeuralLayer>', [f"{k},{i}" for i in range(len(rows))]


def network(target, function, hidden, last, outputs):
    fields = ["age", "income", "housing"]
    inputs = {
        "0,0": '<DerivedField optype="continuous" dataType="double"><NormContinuous field="age"><LinearNorm orig="18" norm="0"/><LinearNorm orig="80" norm="1"/></NormContinuous></DerivedField>',
        "0,1": '<DerivedField optype="continuous" dataType="double"><Apply function="/"><FieldRef field="income"/><Constant dataType="double">1000</Constant></Apply></DerivedField>',
        "0,2": '<DerivedField optype="continuous" dataType="double"><NormDiscrete field="housing" value="own"/></DerivedField>',
    }
    told = "".join(f'<NeuralInput id="{name}">{own}</NeuralInput>' for name, own in inputs.items())
    first, names = layer(1, list(inputs), [(0.1, 0.7, -0.4, 0.3), (-0.2, -1.1, 0.5, 0.2), (0.05, 0.3, 0.25, -0.6)], hidden)
    layers = [first]
    for k, (rows, activation, extra) in enumerate(last):
        own, names = layer(k + 2, names, rows, activation, extra)
        layers.append(own)
    told_outputs = "".join(f'<NeuralOutput outputNeuron="{names[k]}"><DerivedField optype="continuous" dataType="double">{own}</DerivedField></NeuralOutput>' for k, own in outputs)
    return pmml(fields, target, (
        f'<NeuralNetwork functionName="{function}" activationFunction="{hidden}">{schema(fields)}<NeuralInputs>{told}</NeuralInputs>'
        f'{"".join(layers)}<NeuralOutputs>{told_outputs}</NeuralOutputs></NeuralNetwork>'))


def networks():
    options = {"missing": []}
    row = (0.3, 0.9, -1.2, 0.4)
    discrete = lambda name: f'<NormDiscrete field="y" value="{name}"/>'
    for hidden in ("rectifier", "tanh", "logistic", "identity"):
        yield f"network-{hidden}", "NeuralNetwork", f"regression, {hidden}", "scaled inputs", network(
            "number", "regression", hidden, [([row], "identity", "")], [(0, '<FieldRef field="y"/>')]), options
    yield "network-denormalized", "NeuralNetwork", "regression, logistic", "output within a range", network(
        "number", "regression", "tanh", [([row], "logistic", "")], [(0, '<NormContinuous field="y"><LinearNorm orig="100" norm="0"/><LinearNorm orig="900" norm="1"/></NormContinuous>')]), options
    yield "network-two", "NeuralNetwork", "classification, rectifier", "one logistic neuron", network(
        "two", "classification", "rectifier", [([row], "logistic", ""), ([(0, 1), (1, -1)], "identity", "")], [(0, discrete("yes")), (1, discrete("no"))]), options
    yield "network-three", "NeuralNetwork", "classification, rectifier", "softmax", network(
        "three", "classification", "rectifier", [([row, (0.1, -0.5, 0.3, 0.2), (-0.4, 0.2, 0.8, -0.3)], "identity", 'normalizationMethod="softmax"')],
        [(0, discrete("high")), (1, discrete("low")), (2, discrete("middle"))]), options


def others():
    return [*generals(), *bayeses(), *scorecards(), *kernels(), *networks()]
