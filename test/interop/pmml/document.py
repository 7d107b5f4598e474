"""A PMML file around a model: the fields of made-up people, and the schema of the model."""

import re

FIELDS = {
    "age": '<DataField name="age" optype="continuous" dataType="integer"/>',
    "income": '<DataField name="income" optype="continuous" dataType="double"/>',
    "savings": '<DataField name="savings" optype="continuous" dataType="double"/>',
    "rate": '<DataField name="rate" optype="continuous" dataType="float"/>',
    "housing": '<DataField name="housing" optype="categorical" dataType="string"><Value value="own"/><Value value="rent"/><Value value="free"/></DataField>',
    "purpose": '<DataField name="purpose" optype="categorical" dataType="string"><Value value="car"/><Value value="house"/><Value value="school"/><Value value="other"/></DataField>',
    "region": '<DataField name="region" optype="categorical" dataType="integer"><Value value="1"/><Value value="2"/><Value value="3"/></DataField>',
    "guarantor": '<DataField name="guarantor" optype="categorical" dataType="boolean"/>',
}
TARGETS = {
    "two": '<DataField name="y" optype="categorical" dataType="string"><Value value="no"/><Value value="yes"/></DataField>',
    "three": '<DataField name="y" optype="categorical" dataType="string"><Value value="low"/><Value value="middle"/><Value value="high"/></DataField>',
    "number": '<DataField name="y" optype="continuous" dataType="double"/>',
}


def schema(fields, target="y", **treatments):
    """`treatments`: by field, attributes of its MiningField."""
    own = "".join(f'<MiningField name="{name}" {treatments.get(name, "")}/>' for name in fields)
    return f'<MiningSchema>{own}{f"""<MiningField name="{target}" usageType="target"/>""" if target else ""}</MiningSchema>'


def pmml(fields, target, model, transformations="", replaced=None, shares=True):
    """`replaced`: fields with another definition. `shares`: whether the model has probabilities."""
    own = "".join((replaced or {}).get(name, FIELDS.get(name)) for name in fields)
    if shares:
        model = model.replace("</MiningSchema>", f"</MiningSchema>{outputs(target)}", 1)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<PMML xmlns="http://www.dmg.org/PMML-4_4" version="4.4">\n<Header/>\n'
        f"<DataDictionary>{own}{TARGETS[target]}</DataDictionary>\n"
        + (f"<TransformationDictionary>{transformations}</TransformationDictionary>\n" if transformations else "")
        + f"{model}\n</PMML>\n"
    )


def outputs(target):
    """The evaluator computes probabilities that are asked for."""
    names = re.findall('value="([^"]+)"', TARGETS[target])
    fields = "".join(f'<OutputField name="p_{name}" optype="continuous" dataType="double" feature="probability" value="{name}"/>' for name in names)
    return f"<Output>{fields}</Output>" if names else ""


def simple(field, operator, value=None):
    return f'<SimplePredicate field="{field}" operator="{operator}"' + (f' value="{value}"/>' if value is not None else "/>")


def words(field, operator, *names):
    listed = " ".join(f'"{name}"' for name in names)
    return f'<SimpleSetPredicate field="{field}" booleanOperator="{operator}"><Array type="string" n="{len(names)}">{listed}</Array></SimpleSetPredicate>'


def compound(operator, *parts):
    return f'<CompoundPredicate booleanOperator="{operator}">{"".join(parts)}</CompoundPredicate>'


def node(predicate, *children, score=None, counts=None, id=None, default=None):
    attributes = "".join(
        f' {key}="{value}"' for key, value in (("id", id), ("score", score), ("defaultChild", default)) if value is not None
    )
    shares = "".join(f'<ScoreDistribution value="{k}" recordCount="{v}"/>' for k, v in (counts or {}).items())
    return f'<Node{attributes}>{predicate}{shares}{"".join(children)}</Node>'


TRUE = "<True/>"


def tree(schema_text, root, function="regression", local="", attributes=""):
    return f'<TreeModel functionName="{function}" {attributes}>{schema_text}{local}{root}</TreeModel>'
