/** The credit example: its files are what its generator writes, and they keep what its README promises. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

type Value = number | boolean | string;
type Applicant = Record<string, Value>;

interface Feature {
  name: string;
  type: 'continuous' | 'integer' | 'boolean' | 'categorical';
  categories?: string[];
  encoding?: 'ordinal';
  decimals?: number;
  min?: number;
  max?: number;
}

const EXAMPLE = fileURLToPath(new URL('../../../examples/credit/', import.meta.url));
const GENERATOR = join(EXAMPLE, 'generate.mjs');
const FILES = ['model.json', 'policy.json', 'policy-simple.json', 'policy-three-ways.json', 'applicants.csv'];

const readText = (name: string) => readFileSync(join(EXAMPLE, name), 'utf8');
const readJson = (name: string) => JSON.parse(readText(name));

const model = readJson('model.json');
const policy = readJson('policy.json');
const features: Feature[] = model.features;

let temporary: string;
beforeAll(() => {
  temporary = mkdtempSync(join(tmpdir(), 'elsewise-credit-'));
});
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

const generate = (...options: string[]) => execFileSync(process.execPath, [GENERATOR, ...options]);

function readCell(feature: Feature, cell: string): Value {
  if (feature.type === 'categorical') return cell;
  return feature.type === 'boolean' ? cell === 'true' : Number(cell);
}

function readApplicants(csv: string): { ids: string[]; cells: string[][]; applicants: Applicant[] } {
  const lines = csv.trimEnd().split('\n').slice(1);
  const rows = lines.map((line) => line.split(','));
  const toApplicant = (row: string[]) =>
    Object.fromEntries(features.map((feature, index) => [feature.name, readCell(feature, row[index + 1])]));
  return { ids: rows.map((row) => row[0]), cells: rows.map((row) => row.slice(1)), applicants: rows.map(toApplicant) };
}

/** Weight per unit of a feature, or by category: the fitted weights with the scaling taken out. */
function unitWeights(): Map<string, number | Map<string, number>> {
  const { scale } = model.preprocessing[0];
  const perUnit = model.parameters.weights.map((weight: number, column: number) => weight / scale[column]);
  const byFeature = new Map<string, number | Map<string, number>>();
  let column = 0;
  for (const { name, type, categories = [], encoding } of features) {
    if (type === 'categorical' && encoding !== 'ordinal') {
      byFeature.set(name, new Map(categories.map((category) => [category, perUnit[column++]])));
    } else byFeature.set(name, perUnit[column++]);
  }
  return byFeature;
}

const weights = unitWeights();
const { mean, scale } = model.preprocessing[0];
const intercept = model.parameters.weights.reduce(
  (sum: number, weight: number, column: number) => sum - (weight * mean[column]) / scale[column],
  model.parameters.bias,
);

/** The probability of approval in raw units: written apart from both code paths of the generator. */
function probabilityOfApproval(applicant: Applicant): number {
  const contribution = ({ name, categories = [], encoding }: Feature) => {
    const weight = weights.get(name)!;
    const value = applicant[name];
    if (typeof weight !== 'number') return weight.get(String(value))!;
    return weight * (encoding === 'ordinal' ? categories.indexOf(String(value)) : Number(value));
  };
  return 1 / (1 + Math.exp(-features.reduce((sum, feature) => sum + contribution(feature), intercept)));
}

const asApplicant = (row: Value[]): Applicant =>
  Object.fromEntries(features.map(({ name }, index) => [name, row[index]]));

/** The policy's constraints, each written out by hand. */
const CONSTRAINTS: Record<string, (a: Applicant) => boolean> = {
  'monthsAtJob <= monthsEmployed': (a) => a.monthsAtJob <= a.monthsEmployed,
  'monthlyDebt <= 0.6 * income': (a) => Number(a.monthlyDebt) <= 0.6 * Number(a.income) + 1e-9,
  'monthlyDebt >= 20 * openLoans': (a) => Number(a.monthlyDebt) >= 20 * Number(a.openLoans),
  'monthlyDebt <= 1500 * openLoans': (a) => Number(a.monthlyDebt) <= 1500 * Number(a.openLoans),
  'requestedAmount <= 800 * durationMonths': (a) => Number(a.requestedAmount) <= 800 * Number(a.durationMonths),
  'hasGuarantor implies hasCoapplicant': (a) => a.hasGuarantor === false || a.hasCoapplicant === true,
};

/** The `Effect` column of the README's data dictionary, by feature. */
function documentedEffects(): Map<string, string> {
  const rows = readText('README.md').matchAll(/^\| `(\w+)` \| (?:\w+|ordinal: [\w, ]+) \| [\w/]* ?\| ([^|]+) \|/gm);
  return new Map([...rows].map(([, name, effect]) => [name, effect.trim()]));
}

describe('the files', () => {
  it('are what the generator writes, byte for byte', () => {
    generate('--directory', temporary);
    for (const name of FILES)
      expect(readFileSync(join(temporary, name)).equals(readFileSync(join(EXAMPLE, name)))).toBe(true);
  });

  it('are of modest size', () => {
    expect(statSync(join(EXAMPLE, 'model.json')).size).toBeLessThan(100_000);
    expect(statSync(join(EXAMPLE, 'applicants.csv')).size).toBeLessThan(400_000);
  });
});

describe('the model document', () => {
  it('has probes that an evaluation in raw units confirms', () => {
    expect(model.probes.rows).toHaveLength(20);
    model.probes.rows.forEach((row: Value[], index: number) => {
      const approved = probabilityOfApproval(asApplicant(row));
      expect(model.probes.scores[index][0]).toBeCloseTo(1 - approved, 9);
      expect(model.probes.scores[index][1]).toBeCloseTo(approved, 9);
    });
  });

  it('labels its background samples as the model does', () => {
    const { samples, labels } = model.background;
    const verdict = (row: Value[]) =>
      probabilityOfApproval(asApplicant(row)) < model.parameters.threshold ? 'rejected' : 'approved';
    expect(samples).toHaveLength(200);
    expect(labels).toEqual(samples.map(verdict));
    expect(new Set(labels).size).toBe(2);
  });

  it('has statistics of every number, quantiles ascending', () => {
    const numeric = features.filter(({ type }) => type === 'continuous' || type === 'integer').map(({ name }) => name);
    const { mad, std, quantiles } = model.background;
    for (const statistic of [mad, std, quantiles]) expect(Object.keys(statistic)).toEqual(numeric);
    for (const values of Object.values<number[]>(quantiles)) {
      expect(values).toHaveLength(21);
      expect(values).toEqual(values.toSorted((a, b) => a - b));
    }
  });

  it('has the signs its README documents', () => {
    const effects = documentedEffects();
    expect([...effects.keys()]).toEqual(features.map(({ name }) => name));
    for (const [name, effect] of effects) {
      const weight = weights.get(name)!;
      if (typeof weight === 'number') expect([name, weight > 0 ? '+' : '-']).toEqual([name, effect]);
      else {
        const fromBestToWorst = [...weight].toSorted(([, a], [, b]) => b - a).map(([category]) => category);
        expect([name, fromBestToWorst.join(' > ')]).toEqual([name, effect]);
      }
    }
  });
});

describe('the applicants', () => {
  const csv = readText('applicants.csv');
  const { ids, cells, applicants } = readApplicants(csv);

  it('are 3,000, named in order, with the features in the order of the model', () => {
    expect(csv.slice(0, csv.indexOf('\n'))).toBe(['id', ...features.map(({ name }) => name)].join(','));
    expect(ids).toEqual(Array.from({ length: 3000 }, (_, index) => `a-${String(index + 1).padStart(4, '0')}`));
  });

  it('are written as their features say, within their bounds', () => {
    const isWellFormed = ({ type, decimals = 0, categories = [], min = 0, max = 0 }: Feature, cell: string) => {
      if (type === 'boolean') return cell === 'true' || cell === 'false';
      if (type === 'categorical') return categories.includes(cell);
      return cell === Number(cell).toFixed(decimals) && Number(cell) >= min && Number(cell) <= max;
    };
    const wrong = cells.flatMap((row) => row.filter((cell, index) => !isWellFormed(features[index], cell)));
    expect(wrong).toEqual([]);
  });

  it('are all rejected', () => {
    const { threshold } = model.parameters;
    const approved = ids.filter((_, index) => probabilityOfApproval(applicants[index]) >= threshold);
    expect(approved).toEqual([]);
  });

  it('satisfy every constraint of the policy', () => {
    expect(Object.keys(CONSTRAINTS)).toEqual(policy.constraints);
    for (const [text, holds] of Object.entries(CONSTRAINTS)) {
      expect([text, ids.filter((_, index) => !holds(applicants[index]))]).toEqual([text, []]);
    }
  });
});

describe('the generator', () => {
  const rowsOf = (...options: string[]) => {
    const file = join(temporary, 'some.csv');
    generate('--output', file, ...options);
    return readFileSync(file, 'utf8');
  };

  it('starts a longer file with the rows of a shorter one', () => {
    const longer = rowsOf('--rows', '3100');
    expect(longer.startsWith(readText('applicants.csv'))).toBe(true);
    expect(longer.trimEnd().split('\n')).toHaveLength(3101);
  });

  it('draws other people with another seed, and approved ones with --all', () => {
    expect(rowsOf('--rows', '50', '--seed', '9')).not.toBe(rowsOf('--rows', '50'));
    const { applicants } = readApplicants(rowsOf('--rows', '1000', '--all'));
    const rejected = applicants.filter((a) => probabilityOfApproval(a) < model.parameters.threshold);
    expect(rejected.length / applicants.length).toBeGreaterThan(0.1);
    expect(rejected.length / applicants.length).toBeLessThan(0.4);
  });

  it.each([
    [['--rows', '10'], '--rows and --output go together'],
    [['--rows', 'ten', '--output', 'never.csv'], '--rows: a whole number is needed, not "ten"'],
    [['--row', '10'], "Unknown option '--row'"],
  ])('refuses %j', (options, message) => {
    const { status, stderr } = spawnSync(process.execPath, [GENERATOR, ...options], { encoding: 'utf8' });
    expect(status).toBe(2);
    expect(stderr).toContain(message);
  });
});
