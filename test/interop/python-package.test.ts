/** The Python package: its wheel is built without a network, unpacked elsewhere, and used as the examples use it. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PYTHON = process.env.PYTHON ?? '/usr/bin/python3';
const BUILD = 'import sys; from setuptools import build_meta; print(build_meta.build_wheel(sys.argv[1]))';

const folder = mkdtempSync(join(tmpdir(), 'elsewise-wheel-'));
const site = join(folder, 'site');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function python(args: readonly string[], cwd = folder): string {
  const env = {
    ...process.env,
    PIP_NO_INDEX: '1',
    PYTHONPATH: site,
    PYTHONDONTWRITEBYTECODE: '1',
    ELSEWISE: `${process.execPath} ${join(ROOT, 'dist', 'cli', 'main.js')}`,
  };
  return execFileSync(PYTHON, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

beforeAll(() => {
  const source = join(folder, 'python');
  cpSync(join(ROOT, 'python'), source, { recursive: true });
  python(['-c', BUILD, folder], source);
  const [wheel] = readdirSync(folder).filter((name) => name.endsWith('.whl'));
  python(['-m', 'zipfile', '-e', join(folder, wheel), site]);
});

describe('the wheel', () => {
  it('is named and versioned like the npm package', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(readdirSync(folder)).toContain(`elsewise-${version}-py3-none-any.whl`);
    expect(python(['-c', 'import elsewise; print(elsewise.__version__)']).trim()).toBe(version);
  });

  it('needs numpy and nothing else', () => {
    const [info] = readdirSync(site).filter((name) => name.endsWith('.dist-info'));
    const metadata = readFileSync(join(site, info, 'METADATA'), 'utf8');
    expect(metadata.match(/^Requires-Dist: .*$/gm)).toEqual(['Requires-Dist: numpy']);
    const loaded = python(['-c', 'import elsewise, sys; print({"sklearn", "pandas", "scipy"} & set(sys.modules))']);
    expect(loaded.trim()).toBe('set()');
  });

  it('runs the example: a model that was searched for, a policy, answers that scikit-learn agrees with', () => {
    const printed = python([join(ROOT, 'examples', 'python', 'explain_table.py')]);
    expect(printed).toContain('5 answers, all approved by scikit-learn');
  });
});

describe('explain', () => {
  const CREDIT = join(ROOT, 'examples', 'credit');

  function explained(code: string): unknown {
    const script = join(folder, 'script.py');
    writeFileSync(script, `import elsewise, json\nMODEL = ${JSON.stringify(join(CREDIT, 'model.json'))}\n${code}\n`);
    return JSON.parse(python([script]));
  }

  /** The first applicant of the example, and a row without most of its values. */
  const TWO_ROWS = `
import csv, warnings
with open(${JSON.stringify(join(CREDIT, 'applicants.csv'))}, encoding="utf-8") as file:
    rows = [next(csv.DictReader(file)), {"age": 19}]
`;

  it('gives a line for each answer, and warns of rows that cannot be read', () => {
    const [lines, told] = explained(`${TWO_ROWS}
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    lines = elsewise.explain(rows, MODEL, elsewise.Policy("approved", name="p"))
lines = lines if isinstance(lines, list) else json.loads(lines.to_json(orient="records"))
print(json.dumps([lines, [str(each.message) for each in caught if "rows are invalid" in str(each.message)]]))`) as [
      Record<string, unknown>[],
      string[],
    ];
    expect(lines[0]).toMatchObject({ id: '0', prediction: expect.any(String) });
    expect(lines.at(-1)).toMatchObject({ id: '1', status: 'invalid', answer: null });
    expect(String(lines.at(-1)!.reason)).toMatch(/dependants|missing|required/);
    expect(told).toEqual([expect.stringMatching(/^1 of 2 rows are invalid: features\.\w+: is missing.*\(1 row\)/)]);
  });

  it('takes a policy file with comments, as `policies init` writes it', () => {
    const file = join(folder, 'commented.json');
    writeFileSync(
      file,
      '// A first policy.\n{\n  // The wanted outcome: "//" in text stays.\n  "schema": "elsewise.policy/v1",\n  "name": "a//b",\n  "target": "approved"\n}\n',
    );
    const results = explained(`${TWO_ROWS}
policies = [elsewise.Policy.load(${JSON.stringify(file)}), ${JSON.stringify(file)}]
print(json.dumps([elsewise.results_of(rows[:1], MODEL, policy)[0] for policy in policies]))`) as {
      target: unknown;
      policy: { name: string };
    }[];
    for (const { target, policy } of results) expect([target, policy.name]).toEqual(['approved', 'a//b']);
  });

  it('raises where no row can be read', () => {
    const message = explained(`
try:
    elsewise.explain([{"age": 19}, {"age": 20}], MODEL, elsewise.Policy("approved"), missing="impute")
except elsewise.ExplainError as error:
    print(json.dumps(str(error)))`);
    expect(message).toMatch(/^all 2 rows are invalid: features\.\w+: is missing.*\(2 rows\)/);
  });

  it('says in the words of the command what is wrong with a policy', () => {
    const message = explained(`${TWO_ROWS}
try:
    elsewise.explain(rows, MODEL, elsewise.Policy("approved").never("agee"))
except elsewise.ExplainError as error:
    print(json.dumps(str(error)))`);
    expect(message).toMatch(/agee.*did you mean "age"/);
  });

  it('refuses a frame without a feature of the model, and tells of unknown columns', () => {
    const [message, told, policy] = explained(`${TWO_ROWS}
misspelt = [{("Income" if name == "income" else name): value for name, value in rows[0].items()}]
try:
    elsewise.explain(misspelt, MODEL, elsewise.Policy("approved"))
except elsewise.ExplainError as error:
    message = str(error)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    elsewise.results_of([{**rows[0], "note": 1}], MODEL, elsewise.Policy("approved"))
    elsewise.results_of(misspelt, MODEL, elsewise.Policy("approved"), missing="impute")
try:
    elsewise.results_of(rows, MODEL, missing="ignore")
except ValueError as error:
    refused = str(error)
print(json.dumps([message, [str(each.message) for each in caught], refused]))`) as [string, string[], string];
    expect(message).toBe(
      'no row has "income" (did you mean "Income"?), which the model needs; missing="impute" leaves it to the model',
    );
    expect(told).toEqual([
      'columns that the model does not know are ignored: id, note',
      'columns that the model does not know are ignored: Income (did you mean "income"?), id',
      'columns that the first row lacks are missing: income',
    ]);
    expect(policy).toBe('missing: expected "raise" or "impute", got \'ignore\'');
  });

  it('gives a row with an infinite value the status invalid', () => {
    const results = explained(`${TWO_ROWS}
rows = [{**rows[0], "income": value} for value in (float("inf"), float("-inf"), 2000)]
print(json.dumps(elsewise.results_of(rows, MODEL, elsewise.Policy("approved"))))`) as {
      status: string;
      reason?: { path: string; message: string };
    }[];
    expect(results.map(({ status }) => status).slice(0, 2)).toEqual(['invalid', 'invalid']);
    expect(results[2].status).not.toBe('invalid');
    expect(results[1].reason).toMatchObject({
      path: 'features.income',
      message: 'expected a finite number, got "-Infinity"',
    });
  });

  it('says how to start a command that is not there', () => {
    const message = explained(`${TWO_ROWS}
try:
    elsewise.explain(rows, MODEL, elsewise.Policy("approved"), command="nonexisting")
except elsewise.ExplainError as error:
    print(json.dumps(str(error)))`);
    expect(message).toMatch(/^nonexisting cannot be started \(No such file.*\): npm install elsewise, or say command=/);
  });

  it('tells changes in the words of the table that the command writes', () => {
    const output = join(folder, 'answers.csv');
    const [changes] = explained(`${TWO_ROWS}
import os, subprocess
rows = rows[:1]
policy = elsewise.Policy("approved").never("employment")
lines = elsewise.explain(rows, MODEL, policy)
lines = lines if isinstance(lines, list) else lines.to_dict("records")
policy.save("p.json")
with open("r.ndjson", "w") as file:
    json.dump(rows[0], file)
files = ["--model", MODEL, "--policy", "p.json", "--input", "r.ndjson", "--output", ${JSON.stringify(output)}]
subprocess.run([*os.environ["ELSEWISE"].split(), "explain", *files], check=True, capture_output=True)
print(json.dumps([line["changes"] for line in lines]))`) as string[];
    expect(changes).toMatch(/from .* to /);
    expect(readFileSync(output, 'utf8')).toContain(`,${changes},`);
  });

  it('explains nothing without rows', () => {
    expect(explained('print(json.dumps(elsewise.results_of([], MODEL)))')).toEqual([]);
  });
});

const FRAMES = fileURLToPath(new URL('./frames.py', import.meta.url));

describe('features', () => {
  it('have the types of arrays', () => {
    expect(JSON.parse(python([FRAMES, 'arrays']))).toEqual({
      integers: { x0: 'integer', x1: 'integer' },
      booleans: { x0: 'boolean', x1: 'boolean' },
      floats: { x0: 'continuous', x1: 'continuous' },
      'whole floats': { x0: 'integer', x1: 'integer' },
    });
  });

  // Debian's scikit-learn comes without pandas; `npm run interop` always has it.
  it.each(hasPandas() || process.env.INTEROP ? ['pandas'] : [])(
    'have the types of a table of %s, and so have answers',
    () => {
      const { dtypes, kept, ...found } = JSON.parse(python([FRAMES]));
      expect(found).toEqual({
        types: {
          housing: 'categorical',
          purpose: 'categorical',
          age: 'integer',
          loans: 'integer',
          income: 'continuous',
          guarantor: 'boolean',
          phone: 'boolean',
          years: 'integer',
        },
        samples: [],
        warnings: ['columns that the model does not know are ignored: since'],
        nothing: [0, true],
        infinite: ['invalid', 'found'],
        ids: true,
        statuses: ['found'],
        predicted: ['yes'],
        twice: ['0', '1', '2', '3'],
        dates: expect.stringMatching(/^X: column 'since': .*is no number: fit on a number made of it/),
      });
      expect(dtypes).toMatchObject({
        answer: 'Int64',
        age: 'Int64',
        loans: 'Int64',
        years: 'Int64',
      });
      expect(dtypes).toMatchObject({ guarantor: 'boolean', income: 'float64' });
      expect(kept).toMatchObject({
        housing: 'category',
        age: 'int64',
        loans: 'Int64',
        phone: 'boolean',
        years: 'float64',
      });
    },
  );
});

function hasPandas(): boolean {
  return spawnSync(PYTHON, ['-c', 'import pandas'], { stdio: 'ignore' }).status === 0;
}

describe('a document', () => {
  it('holds statistics and no row of X unless rows are asked for', () => {
    const script = join(folder, 'rows.py');
    writeFileSync(
      script,
      `
import json, elsewise
import numpy as np
from sklearn.linear_model import LogisticRegression
X = np.random.default_rng(1).normal(size=(300, 4)); y = (X.sum(axis=1) > 0).astype(int)
model = LogisticRegression().fit(X, y)
known = set(map(tuple, X.tolist()))
kept = lambda rows: sum(tuple(row) in known for row in rows)
found = []
for options in ({}, {"background_rows": 20}):
    document = elsewise.export_model(model, name="m", X=X, y=y, **options)
    found.append([sorted(document["background"]), kept(document["background"]["samples"]), kept(document["probes"]["rows"])])
print(json.dumps(found))
`,
    );
    const keys = ['labels', 'mad', 'quantiles', 'samples', 'shares', 'std'];
    expect(JSON.parse(python([script]))).toEqual([
      [keys, 0, 0],
      [keys, 20, 25],
    ]);
  });
});
