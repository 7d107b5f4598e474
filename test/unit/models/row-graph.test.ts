/** The graph over background rows, against distances between all pairs of rows. */
import { describe, expect, it } from 'vitest';
import { loadModel } from '../../../src/models/load.js';
import { buildRowGraph, type GraphSpec, type SharedRowGraph } from '../../../src/models/rows/row-graph.js';
import { Dice } from '../../support/dice.js';
import { faultOf } from '../../support/documents.js';

type Value = number | string | boolean | null;

const CITIES = ['a', 'b', 'c'];
const FEATURES = [
  { name: 'x', type: 'continuous' },
  { name: 'n', type: 'integer' },
  { name: 'city', type: 'categorical', categories: CITIES },
  { name: 'grade', type: 'categorical', categories: ['low', 'mid', 'high'], encoding: 'ordinal' },
  { name: 'ok', type: 'boolean' },
];
const STD = { x: 2, n: 0.5, grade: 1 };

/** Values on a grid: ties and copies are frequent. Now and then a value is missing. */
function rowsOf(seed: number, count: number, missing: number): Value[][] {
  const dice = new Dice(seed);
  const or = (value: Value): Value => (dice.integer(1, 100) <= missing ? null : value);
  return Array.from({ length: count }, () => [
    or(dice.integer(-6, 6) / 2),
    or(dice.integer(0, 3)),
    or(CITIES[dice.integer(0, 2)]),
    or(['low', 'mid', 'high'][dice.integer(0, 2)]),
    or(dice.integer(0, 1) === 1),
  ]);
}

/** A tree that takes missing values: nothing is imputed. */
const modelOf = (samples: Value[][], bounds?: object) =>
  loadModel(
    {
      schema: 'elsewise.model/v1',
      name: 'tree',
      family: 'decision-tree',
      features: FEATURES,
      classes: ['no', 'yes'],
      parameters: {
        task: 'classification',
        tree: {
          feature: [0, -1, -1],
          threshold: [0, 0, 0],
          left: [1, -1, -1],
          right: [2, -1, -1],
          value: [
            [1, 1],
            [1, 0],
            [0, 1],
          ],
          missing: 'left',
        },
      },
      background: { samples, std: STD },
    },
    bounds as never,
  );

const mean = (rows: Value[][], f: number, numberOf: (value: Value) => number) => {
  const known = rows.map((row) => row[f]).filter((value) => value !== null);
  return known.reduce<number>((sum, value) => sum + numberOf(value), 0) / known.length;
};

/** From the header of row-metric.ts: numbers by their deviation, categories by whether they differ, 1 for what only one row has. */
function squareBetween(rows: Value[][], a: Value[], b: Value[]): number {
  const numbers: [number, number, (value: Value) => number][] = [
    [0, 2, Number],
    [1, 0.5, Number],
    [3, 1, (value) => ['low', 'mid', 'high'].indexOf(String(value))],
    [4, 1, Number],
  ];
  let sum = a[2] === b[2] ? 0 : 1;
  for (const [f, scale, numberOf] of numbers) {
    const middle = f === 4 ? 0 : mean(rows, f, numberOf);
    const at = (row: Value[]) => (row[f] === null ? middle : numberOf(row[f])) / scale;
    sum += (at(a) - at(b)) ** 2 + Number((a[f] === null) !== (b[f] === null));
  }
  return sum;
}

const sameIn = (fixed: readonly number[], a: Value[], b: Value[]) => fixed.every((f) => a[f] === b[f]);

/** By sample: the samples next to it, of those that come first among equal rows. */
function neighboursOf({ order, start, neighbour }: SharedRowGraph): Map<number, number[]> {
  const list = (place: number) => [...neighbour.subarray(start[place], start[place + 1])].map((to) => order[to]);
  return new Map([...order].map((row, place) => [row, list(place).sort((a, b) => a - b)]));
}

function expectedNeighbours(rows: Value[][], { k, epsilon, fixed }: GraphSpec): Map<number, number[]> {
  const keys = rows.map((row) => JSON.stringify(row));
  const firsts = rows.map((_, r) => r).filter((r) => keys.indexOf(keys[r]) === r);
  const near = new Map<number, number[]>();
  for (const r of firsts) {
    const others = firsts
      .filter((o) => o !== r && sameIn(fixed, rows[r], rows[o]))
      .map((o) => ({ o, square: squareBetween(rows, rows[r], rows[o]) }))
      .sort((a, b) => a.square - b.square || a.o - b.o);
    const taken = epsilon === null ? others.slice(0, k) : others.filter(({ square }) => square <= epsilon ** 2);
    near.set(
      r,
      taken.map(({ o }) => o),
    );
  }
  const joined = firsts.map((r): [number, number[]] => [
    r,
    firsts.filter((o) => near.get(r)!.includes(o) || near.get(o)!.includes(r)),
  ]);
  return new Map(joined);
}

describe('the graph of background rows', () => {
  const specs: GraphSpec[] = [
    { k: 4, epsilon: null, fixed: [] },
    { k: 3, epsilon: null, fixed: [2] },
    { k: 2, epsilon: null, fixed: [2, 4] },
    { k: 5, epsilon: 1.5, fixed: [] },
    { k: 5, epsilon: 1, fixed: [3] },
  ];
  it.each(specs)('joins the rows that all pairs say: %j', (spec) => {
    for (const seed of [1, 2, 3]) {
      const rows = rowsOf(seed, 120, 0);
      const found = neighboursOf(buildRowGraph(modelOf(rows), spec));
      expect([...found].sort(byRow)).toEqual([...expectedNeighbours(rows, spec)].sort(byRow));
    }
  });
  const byRow = (a: [number, number[]], b: [number, number[]]) => a[0] - b[0];

  it('takes rows with missing values, by nothing that an imputer would say', () => {
    const rows = rowsOf(7, 60, 10);
    const found = neighboursOf(buildRowGraph(modelOf(rows), { k: 5, epsilon: 2, fixed: [] }));
    for (const [row, near] of expectedNeighbours(rows, { k: 5, epsilon: 2, fixed: [] }))
      expect(found.get(row)).toEqual(near);
  });

  it('knows how thinly rows lie: the distance to the k-th other row, copies counted', () => {
    const rows = rowsOf(9, 80, 0);
    const { order: placed, sparsity } = buildRowGraph(modelOf(rows), { k: 6, epsilon: null, fixed: [] });
    for (const [place, row] of placed.entries()) {
      const squares = rows.filter((_, r) => r !== row).map((other) => squareBetween(rows, rows[row], other));
      expect(sparsity[place]).toBe(Math.sqrt(squares.sort((a, b) => a - b)[5]));
    }
  });

  it('is the same for the same rows, bit by bit', () => {
    const build = () => buildRowGraph(modelOf(rowsOf(4, 200, 5)), { k: 4, epsilon: null, fixed: [1] });
    expect(build()).toEqual(build());
  });

  it('is refused beyond the bounds, with the bound and the place', () => {
    const within = (bounds: object) => modelOf(rowsOf(1, 100, 0), { bounds });
    const defaults = modelOf([[0, 0, 'a', 'low', true]]).bounds;
    const spec = { k: 4, epsilon: null, fixed: [] };
    const distances = faultOf(() => buildRowGraph(within({ ...defaults, pathDistances: 500 }), spec));
    expect([distances.path, distances.detail]).toEqual([
      'policy.path',
      expect.stringContaining('bounds.pathDistances'),
    ]);
    const edges = faultOf(() => buildRowGraph(within({ ...defaults, pathEdges: 50 }), spec));
    expect([edges.path, edges.detail]).toEqual(['policy.path', expect.stringContaining('bounds.pathEdges')]);
  });

  it('looks at a small part of all pairs', () => {
    const count = 4000;
    const bounds = { ...modelOf([[0, 0, 'a', 'low', true]]).bounds, pathDistances: count ** 2 / 10 };
    const dice = new Dice(3);
    const rows = Array.from({ length: count }, (): Value[] => [
      dice.integer(0, 1e6) / 1e3,
      dice.integer(0, 900),
      'a',
      'low',
      true,
    ]);
    expect(buildRowGraph(modelOf(rows, { bounds }), { k: 10, epsilon: null, fixed: [] }).order.length).toBe(count);
  });
});
