/**
 * `path`: the shortest path over background rows, against Dijkstra's algorithm over all pairs of rows, written here anew. Every step is a row of the
 * background and keeps the policy, whatever the policy is.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PathDocument } from '../../../src/documents/policy-document.js';
import type { CounterfactualDocument, ResultDocument } from '../../../src/documents/result-document.js';
import { checkShape, planOf } from '../../support/asking.js';
import { Dice } from '../../support/dice.js';
import { booleanPart, categoryPart, latticePart, question } from '../../support/questions.js';
import {
  changedNames,
  changeFault,
  costOf,
  type FeatureSpec,
  isOneHot,
  modelDocument,
  numberOf,
  policyDocument,
  type Question,
  type Row,
  reaches,
  type Value,
} from '../../support/second-opinion.js';

/** Deviations that are powers of two: distances are exact, and ties are ties. */
const STD = 2;

interface World {
  readonly asked: Question;
  readonly samples: Row[];
  readonly path: PathDocument;
}

/** A value that the rules of the person may reach, or may not. */
function sampleValue(dice: Dice, feature: FeatureSpec, step: number, from: Value): Value {
  if (feature.type === 'categorical') return feature.categories![dice.integer(0, feature.categories!.length - 1)];
  if (feature.type === 'boolean') return dice.integer(0, 1) === 1;
  const value = (from as number) + step * dice.integer(-2, 4);
  return Math.min(feature.max ?? Infinity, Math.max(feature.min ?? -Infinity, value));
}

function worldOf(asked: Question, seed: number, path: PathDocument): World {
  const dice = new Dice(seed);
  const rowOf = (): Row =>
    Object.fromEntries(
      asked.features.map((feature) => {
        const { name } = feature;
        const value = sampleValue(dice, feature, asked.rules[name]?.step ?? 1, asked.row[name]);
        return [name, asked.rules[name]?.change !== 'never' && dice.integer(0, 2) ? value : asked.row[name]];
      }),
    );
  return { asked, samples: Array.from({ length: dice.integer(10, 80) }, rowOf), path };
}

const paths: fc.Arbitrary<PathDocument> = fc.oneof(
  fc.record({
    method: fc.constantFrom('knn', 'density'),
    k: fc.integer({ min: 1, max: 6 }),
    atLeast: fc.constantFrom(0, 0.3),
  }),
  fc.record({
    method: fc.constant('epsilon'),
    k: fc.integer({ min: 1, max: 4 }),
    epsilon: fc.constantFrom(0.5, 1, 1.5, 2),
    atLeast: fc.constantFrom(0, 0, 0.5),
  }),
);
const anyWorld = fc
  .tuple(
    question({ part: fc.oneof(latticePart, booleanPart, categoryPart), most: 4, capped: true, constraints: 1 }),
    fc.nat(),
    paths,
  )
  .map(([asked, seed, path]) => worldOf(asked, seed, path));

async function explain({ asked, samples, path }: World, more: object = {}): Promise<ResultDocument> {
  const rows = samples.map((row) => asked.features.map(({ name }) => row[name]));
  const std = Object.fromEntries(asked.features.map(({ name }) => [name, STD]));
  const model = { ...modelDocument(asked), background: { samples: rows, std } };
  const plan = await planOf(model, { ...policyDocument(asked), path, ...more });
  return checkShape(plan.explain({ id: 'asked', features: asked.row }));
}

const keyOf = (row: Row) => JSON.stringify(Object.values(row));

function squareBetween({ asked }: World, a: Row, b: Row): number {
  return asked.features.reduce((sum, feature) => {
    const { name, type } = feature;
    if (isOneHot(feature)) return sum + Number(a[name] !== b[name]);
    const scale = type === 'boolean' ? 1 : STD;
    return sum + ((numberOf(feature, a[name]) - numberOf(feature, b[name])) / scale) ** 2;
  }, 0);
}

/** Whether the policy lets the person be this row. */
function isAllowed({ asked }: World, row: Row): boolean {
  const { features, rules, constraints, maxChanges = Infinity } = asked;
  if (changedNames(features, asked.row, row).length > maxChanges) return false;
  if (!constraints.every(({ holds }) => holds(row))) return false;
  return features.every(({ name }, f) => !changeFault(features[f], rules[name] ?? {}, asked.row[name], row[name]));
}

/** Whether no feature goes against its direction. */
const keepsDirections = ({ asked }: World, from: Row, to: Row) =>
  asked.features.every((feature) => {
    const { change } = asked.rules[feature.name] ?? {};
    return !changeFault(feature, { change }, from[feature.name], to[feature.name]);
  });

interface Graph {
  /** Different rows. */
  readonly rows: Row[];
  readonly thin: number[];
  isEdge(a: number, b: number): boolean;
  readonly entries: number[];
}

function graphOf(world: World): Graph {
  const { asked, samples, path } = world;
  const never = asked.features.filter(({ name }) => asked.rules[name]?.change === 'never').map(({ name }) => name);
  const agree = (a: Row, b: Row) => never.every((name) => a[name] === b[name]);
  const keys = samples.map(keyOf);
  const rows = samples.filter((_, s) => keys.indexOf(keys[s]) === s);
  const nearestOf = (row: Row, accepts: (other: Row) => boolean) =>
    rows
      .map((other, r) => ({ r, square: squareBetween(world, row, other) }))
      .filter(({ r }) => agree(rows[r], row) && accepts(rows[r]))
      .sort((a, b) => a.square - b.square || a.r - b.r);
  const taken = (list: { r: number; square: number }[]) =>
    (path.epsilon === undefined
      ? list.slice(0, path.k)
      : list.filter(({ square }) => square <= path.epsilon! ** 2)
    ).map(({ r }) => r);
  const near = rows.map((row) => taken(nearestOf(row, (other) => other !== row)));
  const thin = rows.map((row) => {
    const copies = samples.filter((other) => keyOf(other) === keyOf(row)).length - 1;
    const squares = nearestOf(row, (other) => other !== row).flatMap(({ r, square }) =>
      samples.filter((other) => keyOf(other) === keyOf(rows[r])).map(() => square),
    );
    const all = [...Array.from({ length: copies }, () => 0), ...squares];
    return Math.sqrt(all.length ? all[Math.min(path.k, all.length) - 1] : Infinity);
  });
  return {
    rows,
    thin,
    isEdge: (a, b) => near[a].includes(b) || near[b].includes(a),
    entries: taken(nearestOf(asked.row, (other) => isAllowed(world, other))),
  };
}

/** The length of the shortest path to a row that may be the end; Infinity: there is none. */
function shortestLength(world: World): number {
  const { asked, path } = world;
  const { rows, thin, isEdge, entries } = graphOf(world);
  const finite = thin.filter(Number.isFinite).sort((a, b) => a - b);
  const median = finite[finite.length >> 1] || 1;
  const weight = (a: number, b: number) => (path.method === 'density' ? (thin[a] + thin[b]) / 2 / median : 1);
  const length = rows.map((row, r) => (entries.includes(r) ? costOf(asked, asked.row, row) * weight(r, r) : Infinity));
  const open = new Set(rows.keys());
  while (open.size) {
    const here = [...open].reduce((a, b) => (length[b] < length[a] ? b : a));
    open.delete(here);
    for (const to of open) {
      const isStep = isEdge(here, to) && isAllowed(world, rows[to]) && keepsDirections(world, rows[here], rows[to]);
      if (isStep)
        length[to] = Math.min(length[to], length[here] + costOf(asked, rows[here], rows[to]) * weight(here, to));
    }
  }
  const isEnd = (r: number) => reaches(asked, rows[r]) && isDense(thin, r, path.atLeast);
  return Math.min(Infinity, ...length.filter((_, r) => isEnd(r)));
}

/** At least the share of all rows lies as thinly or more thinly. */
const isDense = (thin: readonly number[], r: number, share: number) =>
  thin.filter((other) => other >= thin[r]).length >= share * thin.length;

function checkPath(world: World, { path, features, proof, solver }: CounterfactualDocument): void {
  const { asked, samples } = world;
  let before = asked.row;
  for (const step of path!.steps) {
    expect(step.features).toEqual(samples[step.sample]);
    const row = step.features as Row;
    expect(isAllowed(world, row)).toBe(true);
    expect(keepsDirections(world, before, row)).toBe(true);
    expect(step.changes.map(({ feature }) => feature)).toEqual(changedNames(asked.features, before, row));
    expect(step.cost).toBeCloseTo(costOf(asked, before, row), 9);
    before = row;
  }
  expect(before).toEqual(features);
  expect(reaches(asked, before)).toBe(true);
  expect([solver, proof]).toEqual(['path', { kind: 'heuristic', lowerBound: null, gap: null }]);
}

/** Half of the worlds have a row that may be the end: most random policies leave none. */
const worlds = fc.oneof(
  anyWorld,
  anyWorld.filter(
    (world) =>
      !reaches(world.asked, world.asked.row) &&
      world.samples.some((row) => isAllowed(world, row) && reaches(world.asked, row)),
  ),
);

const RUNS = { seed: Number(process.env.FC_SEED ?? 3) };

describe('the shortest path', () => {
  it('is as short as all pairs of rows say, or there is none', async () => {
    const lengths: number[] = [];
    const check = async (world: World) => {
      const result = await explain(world);
      if (result.status === 'already') return;
      const expected = shortestLength(world);
      lengths.push(expected);
      expect(result.status).toBe(expected < Infinity ? 'found' : 'not-found');
      if (expected === Infinity) expect(result.reason!.code).toBe('no-path');
      else expect(result.counterfactuals[0].path!.length).toBeCloseTo(expected, 9);
    };
    await fc.assert(fc.asyncProperty(worlds, check), { ...RUNS, numRuns: 200 });
    expect(lengths.filter((length) => length < Infinity).length).toBeGreaterThan(100);
    expect(lengths.filter((length) => length === Infinity).length).toBeGreaterThan(50);
  });

  it('never breaks the policy, and every step is a row of the background', async () => {
    let [seen, longest] = [0, 0];
    const check = async (world: World) => {
      const { counterfactuals } = await explain(world, { count: 3 });
      for (const answer of counterfactuals) {
        checkPath(world, answer);
        seen++;
        longest = Math.max(longest, answer.path!.steps.length);
      }
      expect(new Set(counterfactuals.map(({ features }) => keyOf(features as Row))).size).toBe(counterfactuals.length);
    };
    await fc.assert(fc.asyncProperty(worlds, check), { ...RUNS, numRuns: 300 });
    expect(seen).toBeGreaterThan(200);
    expect(longest).toBeGreaterThan(2);
  });
});
