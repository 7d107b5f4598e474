"""Models in PMML with the results of JPMML's evaluator: files NAME.pmml and NAME.expected.json, as test/interop/boosters/parity.ts reads them.

    python make_pmml.py FOLDER JARS VERSION [--rows N] [--only NAME,NAME] [--own]

JARS is a folder with pmml-evaluator-metro and what it depends on. Rows have thresholds of the model, their neighbours as numbers of 32 and 64
bits, missing values and categories that the model does not know. Rows without a result of the evaluator stand apart.
"""
import argparse
import json
import random
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import own_models
import own_others

HERE = Path(__file__).parent
RANGES = {"age": (18, 80), "income": (300, 6000), "savings": (0, 9000), "rate": (0, 1)}
MISSING, UNKNOWN = 0.08, 0.03
# A category that no model knows. The evaluator refuses the row where the model asks for the field, the import always does.
UNSEEN = "elsewhere"


def tag(element):
    return element.tag.split("}")[-1]


def number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


class Fields:
    """The active fields of the outermost model, and numbers that the file compares them with."""

    def __init__(self, text, options):
        root = ElementTree.fromstring(text)
        model = next(child for child in root if any(tag(own) == "MiningSchema" for own in child))
        schema = next(own for own in model if tag(own) == "MiningSchema")
        listed = [own for own in schema if tag(own) == "MiningField"]
        self.names = [own.get("name") for own in listed if own.get("usageType", "active") == "active"]
        target = [own.get("name") for own in listed if own.get("usageType") in ("target", "predicted")]
        data = {own.get("name"): own for own in root.iter() if tag(own) == "DataField"}
        self.types = {name: data[name].get("dataType") for name in self.names}
        self.words = {name: [own.get("value") for own in data[name] if tag(own) == "Value" and own.get("property", "valid") == "valid"] for name in self.names}
        self.isNumber = {name: data[name].get("optype") == "continuous" for name in self.names}
        self.limits = {}
        for name in self.names:
            for own in data[name]:
                if tag(own) == "Interval":
                    self.limits[name] = (number(own.get("leftMargin", "-inf")), number(own.get("rightMargin", "inf")))
        self.classes = [own.get("value") for own in data[target[0]] if tag(own) == "Value"] if target else []
        self.missing = options.get("missing", self.names)
        self.places = {name: list(options.get("values", {}).get(name, [])) for name in self.names}
        for own in root.iter():
            if own.get("field") in self.places:
                self.places[own.get("field")] += [number(own.get("value"))]
                self.places[own.get("field")] += [number(part.get(key)) for part in own.iter() for key in ("leftMargin", "rightMargin", "orig")]
        self.places = {name: [value for value in values if value is not None] for name, values in self.places.items()}

    def outside(self, row):
        """Whether a number lies outside of its interval of valid numbers. The import scores the row, and keeps answers inside."""
        return any(value is not None and self.limits.get(name) and not self.limits[name][0] <= value <= self.limits[name][1] for name, value in zip(self.names, row))

    def value(self, name, dice):
        if dice.random() < MISSING and name in self.missing:
            return None
        if not self.isNumber[name]:
            words = self.words[name] or ["true", "false"]
            return UNSEEN if dice.random() < UNKNOWN else dice.choice(words)
        low, high = RANGES.get(name, (0, 5))
        if self.places[name] and dice.random() < 0.6:
            return self.near(dice.choice(self.places[name]), self.types[name], dice)
        drawn = dice.uniform(low, high)
        return round(drawn) if self.types[name] == "integer" else drawn

    def near(self, place, kind, dice):
        if kind == "integer":
            return int(place) + dice.choice((-1, 0, 1))
        step = dice.choice((np.float64, np.float32))
        end = dice.choice((-np.inf, np.inf, None))
        return float(step(place)) if end is None else float(np.nextafter(step(place), step(end)))


def write_rows(path, text, options, count):
    fields = Fields(text, options)
    dice = random.Random(path.name)
    rows = [[fields.value(name, dice) for name in fields.names] for _ in range(count)]
    cell = lambda value: "" if value is None else str(value)
    lines = ["\t".join(fields.names) + "|" + "\t".join(fields.classes)] + ["\t".join(map(cell, row)) for row in rows]
    path.write_text("\n".join(lines) + "\n")
    return fields, rows


def shown(fields, name, value):
    """A value as a row of JSON has it."""
    return value == "true" if fields.types[name] == "boolean" and value in ("true", "false") else value


def is_tie(result):
    """Whether two classes have the most votes. PMML does not say which of them is predicted."""
    *_, second, first = sorted(float(share) for share in result.split("\t")[1:])
    return first == second


def expected(case, fields, rows, results, version):
    name, model, objective, data, _, options = case
    worked = [(row, result.split("\t")) for row, result in zip(rows, results) if result != "?" and UNSEEN not in row and not (options.get("votes") and is_tie(result))]
    told = {"library": "pmml", "version": version, "model": model, "objective": objective, "data": data, "files": [f"{name}.pmml"]}
    told |= {"categories": {}, "output": None, "refused": options.get("refused")}
    isLeft = lambda row, result: result == "?" and not fields.outside(row)
    row_of = lambda row: [shown(fields, own, value) for own, value in zip(fields.names, row)]
    told |= {"rows": [row_of(row) for row, _ in worked], "invalid": [row_of(row) for row, result in zip(rows, results) if isLeft(row, result)]}
    if not fields.classes:
        return told | {"scores": [[float(result[0])] for _, result in worked], "decisions": None}
    decisions = [fields.classes.index(result[0]) for _, result in worked]
    if options.get("labels"):
        return told | {"scores": None, "decisions": decisions}
    shares = [[float(share) for share in result[1:]] for _, result in worked]
    return told | {"scores": [own[1:] if len(own) == 2 else own for own in shares], "decisions": decisions}


def cases(arguments):
    made = [*own_models.trees(), *own_models.ensembles(), *own_models.regressions(), *own_others.others()]
    if not arguments.own:
        import exported_models

        made += exported_models.exported()
    only = arguments.only.split(",") if arguments.only else None
    return [case for case in made if not only or case[0] in only]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("jars")
    parser.add_argument("version")
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--only", default="")
    parser.add_argument("--own", action="store_true")
    arguments = parser.parse_args()
    make(cases(arguments), arguments)


def make(made, arguments):
    arguments.folder.mkdir(parents=True, exist_ok=True)
    drawn = {}
    for case in made:
        name, text, options = case[0], case[4], case[5]
        (arguments.folder / f"{name}.pmml").write_text(text)
        drawn[name] = case, *write_rows(arguments.folder / f"{name}.rows.tsv", text, options, arguments.rows)
    subprocess.run(["java", "-cp", f"{arguments.jars}/*", str(HERE / "evaluate.java"), str(arguments.folder)], check=True)
    for name, (case, fields, rows) in drawn.items():
        results = (arguments.folder / f"{name}.results.tsv").read_text().splitlines()
        told = expected(case, fields, rows, results, arguments.version)
        (arguments.folder / f"{name}.expected.json").write_text(json.dumps(told))
        for ending in ("rows", "results"):
            (arguments.folder / f"{name}.{ending}.tsv").unlink()


if __name__ == "__main__":
    main()
