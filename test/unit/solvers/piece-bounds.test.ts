import { describe, expect, it } from 'vitest';
import { loadPolicy, prepare } from '../../../src/index.js';
import { gather, spread } from '../../../src/models/features.js';
import { loadModel } from '../../../src/models/load.js';
import { contains } from '../../../src/models/region.js';
import { evaluateCost } from '../../../src/policy/cost.js';
import { createDomain, fillDomain } from '../../../src/policy/domain.js';
import { compilePolicy, compileProblems } from '../../../src/problems/compile.js';
import type { Problem } from '../../../src/problems/problem.js';
import { PieceBounds } from '../../../src/solvers/shared/piece-bounds.js';
import { Dice } from '../../support/dice.js';

const NORMS = ['l0', 'l1', 'l2', 'percentile', 'mahalanobis'] as const;
const CATEGORIES = ['a', 'b', 'c'];

type Relevances = 'none' | 'one' | 'by prototype';

/** Prototypes over three numbers in their own units and one category: six of each class. */
function drawModel(dice: Dice, relevances: Relevances) {
  const units = [1e-6, 1, 1e5];
  const names = units.map((_, i) => `f${i}`);
  const numbers = (draw: () => number) => units.map((unit) => unit * draw());
  const samples = Array.from({ length: 40 }, () => [...numbers(() => dice.normal()), dice.pick(CATEGORIES)]);
  const relevance = () => {
    const root = dice.matrix(6, 6);
    const scale = [...units, 1, 1, 1];
    return root.map((a, i) =>
      root.map((b, j) => a.reduce((sum, value, k) => sum + value * b[k], 0) / scale[i] / scale[j]),
    );
  };
  const labels = Array.from({ length: 12 }, (_, k) => `class ${k % 2}`);
  return loadModel({
    schema: 'elsewise.model/v1',
    name: 'prototypes',
    family: 'lvq',
    features: [
      ...names.map((name) => ({ name, type: 'continuous' })),
      { name: 'kind', type: 'categorical', categories: CATEGORIES },
    ],
    classes: ['class 0', 'class 1'],
    parameters: {
      prototypes: labels.map(() => [...numbers(() => 2 * dice.normal()), ...dice.vector(3)]),
      labels,
      ...(relevances === 'one' && { relevance: relevance() }),
      ...(relevances === 'by prototype' && { relevances: labels.map(relevance) }),
    },
    background: { samples },
  });
}

/** The last point of the piece on the way from a point of it to the row: every answer is on such a way. */
function pulledTo(problem: Problem, row: Float64Array, x: Float64Array): Float64Array {
  let [near, far] = [0, 1];
  const at = (t: number) => row.map((value, c) => value + t * (x[c] - value));
  for (let k = 0; k < 40; k++) {
    const middle = (near + far) / 2;
    if (contains(problem.piece, at(middle))) far = middle;
    else near = middle;
  }
  return at(far);
}

describe('bounds of pieces without a search', () => {
  it.each(NORMS)('are below the cost of every point of the piece under %s', (norm) => {
    const dice = new Dice(NORMS.indexOf(norm) + 1);
    let positive = 0;
    for (let round = 0; round < 24; round++) {
      const model = drawModel(dice, dice.pick(['none', 'one', 'by prototype'] as const));
      const compiled = compilePolicy(loadPolicy({ schema: 'elsewise.policy/v1', cost: { norm } }).document, model);
      const problems = compileProblems(model, compiled, { kind: 'class', index: 1, margin: 0 });
      const [first, other] = dice.shuffle(model.background.samples);
      const domain = createDomain(model.space);
      fillDomain(domain, model.space, compiled.rules, first, model.preprocessing.imputed);
      const bounds = new PieceBounds(problems).at(domain).slice();
      positive += bounds.filter((bound) => bound > 0).length;
      for (const [k, problem] of problems.entries()) {
        for (let draw = 0; draw < 40; draw++) {
          const values = other.map((value, f) =>
            f === 3 ? dice.integer(0, 2) : value + 3 * (value - first[f]) * dice.normal(),
          );
          const columns = new Float64Array(model.space.columns);
          spread(model.space, values, columns);
          if (!contains(problem.piece, columns)) continue;
          // The category's columns move at once: only numbers are pulled back.
          const start = domain.origin.map((value, c) => (c < 3 ? value : columns[c]));
          const nearest = pulledTo(problem, start, columns);
          gather(model.space, nearest, values);
          expect(bounds[k]).toBeLessThanOrEqual(evaluateCost(compiled.cost, model.space, first, values));
        }
      }
    }
    expect(positive).toBeGreaterThan(20);
  });

  it('tell the one row whose features cannot move that its piece is empty', () => {
    const model = drawModel(new Dice(3), 'none');
    const never = Object.fromEntries(['f0', 'f1', 'f2', 'kind'].map((name) => [name, { change: 'never' }]));
    const compiled = compilePolicy(loadPolicy({ schema: 'elsewise.policy/v1', features: never }).document, model);
    const problems = compileProblems(model, compiled, { kind: 'class', index: 1, margin: 0 });
    const domain = createDomain(model.space);
    const row = model.background.samples.find((values) => {
      fillDomain(domain, model.space, compiled.rules, values, model.preprocessing.imputed);
      return !problems[0].holds(domain.origin);
    });
    expect(row).toBeDefined();
    expect([...new PieceBounds(problems).at(domain)].every((bound) => bound === Infinity)).toBe(true);
  });
});

describe('pieces in the order of their bounds', () => {
  it.each(NORMS)(
    'give the same answer as every piece by itself, and one attempt per solver, under %s',
    async (norm) => {
      const dice = new Dice(71 + NORMS.indexOf(norm));
      for (let round = 0; round < 4; round++) {
        const model = drawModel(dice, 'one');
        // Without weights l2 lets the least feature move so far that the model's own sums of squares are rounding.
        const weights = norm === 'l2' ? 'std' : 'none';
        const policy = loadPolicy({ schema: 'elsewise.policy/v1', target: 'class 1', cost: { norm, weights } });
        const plan = await prepare(model, policy);
        const [values] = dice.shuffle(model.background.samples);
        const raw = [...values.subarray(0, 3), CATEGORIES[values[3]]];
        const result = plan.explainRecord('1', raw);
        if (result.status === 'already') continue;
        expect(result.counterfactuals[0].proof.kind).toBe('optimal');
        const names = result.attempts.map(({ solver }) => solver);
        expect(new Set(names).size).toBe(names.length);
        // Every prototype of the class alone is a model whose region is one of the pieces.
        const alone = await Promise.all(
          [1, 3, 5, 7, 9, 11].map(async (kept) => {
            const { parameters, ...document } = model.document;
            const { prototypes, labels, relevance } = parameters as {
              prototypes: number[][];
              labels: string[];
              relevance: number[][];
            };
            const keep = [...labels.keys()].filter((p) => p % 2 === 0 || p === kept);
            const part = loadModel({
              ...document,
              parameters: { relevance, prototypes: keep.map((p) => prototypes[p]), labels: keep.map((p) => labels[p]) },
            });
            return (await prepare(part, policy)).explainRecord('1', raw).counterfactuals[0]?.cost ?? Infinity;
          }),
        );
        expect(result.counterfactuals[0].cost).toBeCloseTo(Math.min(...alone), 6);
      }
    },
  );
});
