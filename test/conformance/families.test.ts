/**
 * What every model family owes the rest of the code, over the table of families: its region holds exactly where the model
 * reaches the goal, in the row's own columns, whatever the preprocessing; its scores mean what the goals say; and its
 * document can be written down and read again.
 */
import { describe, expect, it } from 'vitest';
import { applyMap } from '../../src/linalg/affine.js';
import { families } from '../../src/models/index.js';
import { type LoadedModel, loadModel, Scorer } from '../../src/models/load.js';
import { Network } from '../../src/models/machines/network.js';
import {
  type Atom,
  contains,
  type Goal,
  type LinearRow,
  type NeighboursAtom,
  type NetworkAtom,
  type Piece,
  pullBack,
  type Region,
  type TreesAtom,
} from '../../src/models/region.js';
import { resolveTarget } from '../../src/policy/target.js';
import { Dice } from '../support/dice.js';
import { faultOf } from '../support/documents.js';
import { generators, type RandomModel, randomModel, randomValue } from '../support/random-models.js';
import type { Row } from '../support/second-opinion.js';

const MODELS = 30;
const POINTS = 60;
/** Points whose scores are ends of intervals. */
const ENDS = 6;
const NEAR = 1e-9;

type Position = 'inside' | 'outside' | 'near';

/** Where a value lies against a bound, with the rounding that its terms may carry. */
function against(excess: number, scale: number): Position {
  if (Math.abs(excess) <= NEAR * (1 + scale)) return 'near';
  return excess < 0 ? 'inside' : 'outside';
}

function rowPosition({ a, lower, upper }: LinearRow, x: Float64Array): Position[] {
  const terms = Array.from(a, (value, i) => value * x[i]);
  const value = terms.reduce((sum, term) => sum + term, 0);
  const scale = terms.reduce((sum, term) => sum + Math.abs(term), 0);
  return [
    lower === -Infinity ? 'inside' : against(lower - value, scale + Math.abs(lower)),
    upper === Infinity ? 'inside' : against(value - upper, scale + Math.abs(upper)),
  ];
}

/** What a family says of a region in the row's own columns; null: nothing. */
function described({ preprocessing }: LoadedModel, region: Region): Piece[] | null {
  return region === 'unknown' ? null : region.map((piece) => pullBack(preprocessing.map, piece));
}

/** Trees jump: a sum within rounding of its need is near, everything else is clear. */
function treePosition(atom: TreesAtom, x: Float64Array): Position {
  const slack = 4 * atom.slack + NEAR;
  const piece = { rows: [], atoms: [atom] };
  if (contains(piece, x, -slack)) return 'inside';
  return contains(piece, x, slack) ? 'near' : 'outside';
}

/** Neighbours are clear where no other sample is as near as the last of them, nor a weighted score at an end of the goal. */
function neighboursPosition(atom: NeighboursAtom, x: Float64Array, margin: number): Position {
  const inputs = new Float64Array(atom.nearest.inputs);
  if (atom.map) applyMap(atom.map, x, inputs);
  else inputs.set(x);
  const all = Array.from({ length: atom.nearest.count }, (_, s) => atom.nearest.measure(s, inputs)).sort(
    (a, b) => a - b,
  );
  const [last, next] = [all[atom.nearest.k - 1], all[atom.nearest.k] ?? Infinity];
  if (next - last <= NEAR * (1 + last)) return 'near';
  if (!atom.isUniform && Math.abs(margin) <= NEAR) return 'near';
  return contains({ rows: [], atoms: [atom] }, x) ? 'inside' : 'outside';
}

function networkPosition({ layers, head, map }: NetworkAtom, point: Point): Position {
  const inputs = map ? new Float64Array(map.offset.length) : point.columns;
  if (map) applyMap(map, point.columns, inputs);
  return piecePosition(head, { ...point, columns: new Network(layers).run(inputs) });
}

const isRelaxed = ({ atoms }: Piece) => atoms.some((atom) => atom.kind === 'trees' && atom.relaxed === true);

function atomPosition(atom: Atom, point: Point): Position {
  const { columns: x, margin } = point;
  if (atom.kind === 'neighbours') return neighboursPosition(atom, x, margin(atom.goal));
  if (atom.kind === 'trees') return treePosition(atom, x);
  if (atom.kind === 'quadratic') return against(atom.form.value(x), atom.form.magnitude(x));
  if (atom.kind === 'exp-quadratics') {
    const sizes = atom.forms.map((form) => form.magnitude(x));
    const total = atom.forms.reduce((sum, form) => sum + Math.exp(form.value(x) / 2), 0);
    const log = Math.log(total) * (atom.atLeast ? -1 : 1);
    return against(log, Math.max(...sizes) + Math.abs(atom.logBound) + 1 / total);
  }
  if (atom.kind === 'network') return networkPosition(atom, point);
  if (atom.kind !== 'exp-sum') return 'near';
  const { weights, exponents, shifts, bound } = atom;
  const total = exponents.reduce(
    (sum, u, j) => sum + weights[j] * Math.exp(u.reduce((s, value, i) => s + value * x[i], shifts[j])),
    0,
  );
  return against((total - bound) * (atom.atLeast ? -1 : 1), total + Math.abs(bound));
}

function piecePosition(piece: Piece, point: Point): Position {
  const all = [
    ...piece.rows.flatMap((row) => rowPosition(row, point.columns)),
    ...piece.atoms.map((atom) => atomPosition(atom, point)),
  ];
  if (all.includes('outside')) return 'outside';
  return all.includes('near') ? 'near' : 'inside';
}

const unionPosition = (pieces: readonly Piece[], point: Point): Position => {
  const all = pieces.map((piece) => piecePosition(piece, point));
  if (all.includes('inside')) return 'inside';
  return all.includes('near') ? 'near' : 'outside';
};

interface Point {
  columns: Float64Array;
  scores: number[];
  decided: number;
  achieves(goal: Goal): boolean;
  margin(goal: Goal): number;
}

/** A row's columns as the model sees them. */
function pointAt(scorer: Scorer, columns: Float64Array): Point {
  const { model, preprocessing } = scorer.loaded;
  scorer.runColumns(columns);
  const raw = scorer.raw.slice();
  return {
    columns: columns.map((value, c) => (Number.isNaN(value) ? preprocessing.imputed[c] : value)),
    scores: [...scorer.show()],
    decided: model.decide(raw),
    achieves: (goal) => model.achieves(raw, goal),
    margin: (goal) => model.margin(raw, goal),
  };
}

/** A random row; it may miss a value that the model imputes. */
function drawPoint(dice: Dice, scorer: Scorer, random: RandomModel): Point {
  const { space, preprocessing } = scorer.loaded;
  const columns = new Float64Array(space.columns);
  for (const feature of space.features) {
    const value = randomValue(dice, random.document.features[feature.index]);
    const at = typeof value === 'string' ? feature.categories.indexOf(value) : Number(value);
    if (feature.kind === 'choice') columns[feature.column + at] = 1;
    else columns[feature.column] = at;
    const missing = !Number.isNaN(preprocessing.imputed[feature.column]) && dice.chance(0.1);
    if (missing) columns.fill(Number.NaN, feature.column, feature.column + feature.width);
  }
  return pointAt(scorer, columns);
}

/** Two points on either side of the boundary, a millionth of the way between two random ones apart. */
function straddle(scorer: Scorer, goal: Goal, points: readonly Point[]): Point[] {
  let yes = points.find((point) => point.achieves(goal));
  let no = points.find((point) => !point.achieves(goal));
  for (let k = 0; k < 20 && yes && no; k++) {
    const there = no.columns;
    const middle = pointAt(
      scorer,
      yes.columns.map((value, c) => (value + there[c]) / 2),
    );
    if (middle.achieves(goal)) yes = middle;
    else no = middle;
  }
  return yes && no ? [yes, no] : [];
}

const intervals = (index: number, from: number, to: number): Goal[] =>
  [
    [from, to],
    [from, Infinity],
    [-Infinity, to],
    [to + 1e3, Infinity],
  ].map(([low, high]) => ({ kind: 'interval', index, from: low, to: high }));

/** A number halfway between two neighbouring scores that occur: trees have few, and none of them lies on it. */
function halfway(dice: Dice, points: readonly Point[], index: number): number {
  const scores = [...new Set(points.map((point) => point.scores[index]))].sort((a, b) => a - b);
  const at = dice.integer(0, Math.max(0, scores.length - 2));
  return scores[at] + ((scores[at + 1] ?? scores[at] + 1) - scores[at]) / 2;
}

/** Goals of every kind, intervals between scores that really occur. */
function drawGoals(dice: Dice, random: RandomModel, points: readonly Point[]): Goal[] {
  const between = (index: number): Goal[] => {
    const [from, to] = [halfway(dice, points, index), halfway(dice, points, index)].sort((a, b) => a - b);
    return intervals(index, from, to);
  };
  if (!random.classes) return [...between(0), { kind: 'interval', index: 0, from: -1, to: 1 }];
  const index = dice.integer(0, random.classes - 1);
  const margins = [0, 0.02, dice.between(0, 0.5), 0.95];
  return [...margins.map((margin): Goal => ({ kind: 'class', index, margin })), ...between(index)];
}

/** A black box is scored elsewhere and says nothing of its region: test/unit/models/black-box.test.ts. */
const SCORED_HERE = [...families.keys()].filter((name) => name !== 'black-box');

describe.each(SCORED_HERE)('%s', (name) => {
  it('has a generator of random documents', () => {
    expect(Object.keys(generators)).toContain(name);
  });

  const draws = generators[name] ? Array.from({ length: MODELS }, (_, k) => prepareDraw(name, k + 1)) : [];

  it('has a region that holds exactly where the model reaches the goal', () => {
    const wrong: unknown[] = [];
    const tally = { inside: 0, outside: 0, near: 0 };
    for (const { random, loaded, scorer, points, goals } of draws) {
      for (const goal of goals.filter((candidate) => !random.refuses?.(candidate))) {
        const pieces = described(loaded, loaded.model.region(goal));
        if (!pieces) continue;
        for (const point of [...points, ...straddle(scorer, goal, points)]) {
          const position = unionPosition(pieces, point);
          tally[position]++;
          if (position === 'near') continue;
          const contained = pieces.some((piece) => contains(piece, point.columns));
          // A relaxed piece may hold more than the region, never less.
          if (contained && !point.achieves(goal) && pieces.some(isRelaxed)) continue;
          if (point.achieves(goal) !== (position === 'inside') || contained !== (position === 'inside'))
            wrong.push({ goal, position, point });
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(tally.near).toBeLessThan(0.05 * (tally.inside + tally.outside));
    expect(Math.min(tally.inside, tally.outside)).toBeGreaterThan(0.1 * (tally.inside + tally.outside));
  });

  it('has a region that holds the points on its very ends', () => {
    const lost: unknown[] = [];
    let ends = 0;
    for (const { random, loaded, points } of draws) {
      const index = Math.max(0, random.classes - 1);
      // A probability next to 1 stands for a whole range of log-odds: its last digits are all that is left of them.
      const clear = points.filter(({ scores }) => !(Math.abs(1 - scores[index]) < 1e-6));
      for (const { scores } of clear.slice(0, ENDS)) {
        for (const goal of intervals(index, scores[index], scores[index]).filter((g) => !random.refuses?.(g))) {
          const pieces = described(loaded, loaded.model.region(goal));
          if (!pieces) continue;
          const reached = points.filter((point) => point.achieves(goal));
          ends += reached.filter((point) => point.scores[index] === scores[index]).length;
          lost.push(...reached.filter((point) => unionPosition(pieces, point) === 'outside'));
        }
      }
    }
    expect(lost).toEqual([]);
    expect(ends > 0 || draws.every(({ random }) => random.refuses?.(intervals(0, 0, 0)[1]))).toBe(true);
  });

  it('has scores that mean what goals say: intervals of the score, and classes that are predicted', () => {
    const says = (point: Point, goal: Goal) => {
      const score = point.scores[goal.index];
      if (goal.kind === 'interval') return score >= goal.from && score <= goal.to;
      return goal.margin === 0 ? point.decided === goal.index : point.achieves(goal) && point.decided === goal.index;
    };
    const wrong = draws.flatMap(({ points, goals }) =>
      goals.flatMap((goal) => points.filter((point) => point.achieves(goal) !== says(point, goal))),
    );
    expect(wrong).toEqual([]);
    expect(
      draws.every(({ random, points }) =>
        points.every(({ decided }) => decided >= 0 && decided < Math.max(1, random.classes)),
      ),
    ).toBe(true);
  });

  it('reaches a list of classes exactly where it predicts one of them', () => {
    for (const { random, loaded, points } of draws.filter(({ random }) => random.classes > 2)) {
      const listed = [random.classes - 1, 0];
      const goals = resolveTarget(
        listed.map((k) => `class ${k}`),
        loaded,
        0,
      );
      const regions = goals.map((goal) => described(loaded, loaded.model.region(goal)));
      if (regions.includes(null)) continue;
      const pieces = regions.flatMap((region) => region!);
      for (const point of points) {
        const position = unionPosition(pieces, point);
        if (position !== 'near') expect(position === 'inside').toBe(listed.includes(point.decided));
      }
    }
  });

  it('refuses by name the goals that it has no exact region for', () => {
    for (const { random, loaded, goals } of draws) {
      for (const goal of goals.filter((candidate) => random.refuses?.(candidate))) {
        expect(faultOf(() => loaded.model.region(goal))).toMatchObject({ code: 'unsupported', path: 'target' });
      }
    }
  });

  it('says the same after its document was written down and read again', () => {
    for (const { random, loaded } of draws) {
      const again = loadModel(JSON.parse(JSON.stringify(random.document)));
      expect(again.digest).toBe(loaded.digest);
      const dice = new Dice(9);
      for (let k = 0; k < 5; k++) {
        const row: Row = Object.fromEntries(
          random.document.features.map((feature) => [feature.name, randomValue(dice, feature)]),
        );
        expect(again.predict(row)).toEqual(loaded.predict(row));
      }
    }
  });
});

function prepareDraw(name: string, seed: number) {
  const dice = new Dice(seed);
  const random = randomModel(dice, name);
  const loaded = loadModel(random.document);
  const scorer = new Scorer(loaded);
  const points = Array.from({ length: POINTS }, () => drawPoint(dice, scorer, random));
  return { random, loaded, scorer, points, goals: drawGoals(dice, random, points) };
}
