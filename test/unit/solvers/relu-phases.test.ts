/**
 * Networks of relu units: against all patterns of phases, each a linear program of HiGHS; against enumeration where all is discrete; and
 * against dense random points below the bound.
 */
import type { Highs } from 'highs';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadModel, loadPolicy, prepare } from '../../../src/index.js';
import { Dice } from '../../support/dice.js';
import { networkDocument, type RandomNetwork, randomNetwork } from '../../support/random-networks.js';

let highs: Highs;
beforeAll(async () => {
  // The declarations say CommonJS, the file that Node takes is a module: its default export is the loader itself.
  const { default: load } = (await import('highs')) as unknown as { default: () => Promise<Highs> };
  highs = await load();
});

const numbers = (d: number) => Array.from({ length: d }, (_, j) => ({ name: `f${j}`, type: 'continuous' }));
const named = (x: readonly number[]) => Object.fromEntries(x.map((value, j) => [`f${j}`, value]));
const policyOf = (rest: object) =>
  loadPolicy({ schema: 'elsewise.policy/v1', effort: 400_000, deadlineMs: 60_000, solvers: ['relu-phases'], ...rest });

/** The cheapest L1 change over all patterns of one hidden layer, each pattern by itself; Infinity: none. */
function byAllPatterns({ layers: [hidden, last] }: RandomNetwork, x: readonly number[], reach: number): number {
  const units = hidden.bias.length;
  let best = Infinity;
  for (let pattern = 0; pattern < 2 ** units; pattern++) {
    const isOn = (i: number) => ((pattern >> i) & 1) === 1;
    const rows = hidden.weights.map((row, i) => ({ row, constant: hidden.bias[i], sign: isOn(i) ? 1 : -1 }));
    const output = x.map((_, j) =>
      rows.reduce((sum, { row }, i) => sum + (isOn(i) ? last.weights[0][i] * row[j] : 0), 0),
    );
    const constant = rows.reduce((sum, r, i) => sum + (isOn(i) ? last.weights[0][i] * r.constant : 0), last.bias[0]);
    best = Math.min(best, linearProgram([...rows, { row: output, constant, sign: 1 }], x, reach));
  }
  return best;
}

/** min Σ |x' - x|  s.t.  sign (row·x' + constant) >= 0,  |x' - x| <= reach. */
function linearProgram(
  rows: { row: readonly number[]; constant: number; sign: number }[],
  x: readonly number[],
  reach: number,
): number {
  const term = (value: number, name: string) => `${value < 0 ? '-' : '+'} ${Math.abs(value).toFixed(15)} ${name}`;
  const constraints = rows.map(({ row, constant, sign }, i) => {
    const here = row.reduce((sum, w, j) => sum + w * x[j], constant);
    return ` c${i}: ${row.map((w, j) => `${term(sign * w, `u${j}`)} ${term(-sign * w, `v${j}`)}`).join(' ')} >= ${(-sign * here).toFixed(15)}`;
  });
  const moves = x.flatMap((_, j) => [`u${j}`, `v${j}`]);
  const text = `Minimize\n obj: ${moves.join(' + ')}\nSubject To\n${constraints.join('\n')}\nBounds\n${moves.map((m) => ` 0 <= ${m} <= ${reach}`).join('\n')}\nEnd`;
  const { Status, ObjectiveValue } = highs.solve(text);
  return Status === 'Optimal' ? ObjectiveValue : Infinity;
}

describe('one hidden layer', () => {
  it('has the optimum over all patterns of its phases', async () => {
    const dice = new Dice(11);
    const seen = { found: 0, infeasible: 0, already: 0 };
    for (let round = 0; round < 40; round++) {
      const network = randomNetwork(dice, [3, 6, 1], 'logistic');
      const model = loadModel(networkDocument(numbers(3), network.layers, ['no', 'yes']));
      const reach = dice.pick([0.4, 1.5, 6]);
      const features = Object.fromEntries([0, 1, 2].map((j) => [`f${j}`, { maxIncrease: reach, maxDecrease: reach }]));
      const plan = await prepare(model, policyOf({ target: 'yes', cost: { norm: 'l1' }, features }));
      const x = dice.vector(3);
      const result = plan.explain({ id: 'r', features: named(x) });
      seen[result.status as keyof typeof seen]++;
      if (result.status === 'already') continue;
      const optimum = byAllPatterns(network, x, reach);
      if (optimum === Infinity) expect(result.status).toBe('infeasible');
      else {
        const [{ cost, proof }] = result.counterfactuals;
        expect(proof.kind).toBe('optimal');
        expect(Math.abs(cost - optimum)).toBeLessThanOrEqual(1e-6 * (1 + optimum));
      }
    }
    expect(Math.min(seen.found, seen.infeasible)).toBeGreaterThan(3);
  });
});

describe('a network of very many units', () => {
  it.each([
    [10_000, 'relu-phases'],
    [10_001, 'lbfgs'],
  ])('of %d units has an answer of %s', async (units, solver) => {
    const hidden = { weights: Array(units).fill([1]), bias: Array(units).fill(0), activation: 'relu' };
    const last = { weights: [Array(units).fill(1 / units)], bias: [-2], activation: 'logistic' };
    const model = loadModel(networkDocument(numbers(1), [hidden, last], ['no', 'yes']));
    const plan = await prepare(model, policyOf({ target: 'yes', cost: { norm: 'l1' }, solvers: ['auto'] }));
    const [answer] = plan.explain({ id: 'r', features: { f0: 1 } }).counterfactuals;
    expect(answer).toMatchObject({ solver });
    expect(answer.cost).toBeCloseTo(1, 3);
  });
});

/** Lattices and categories: few enough values to enumerate. */
const mixed = [
  { name: 'a', type: 'integer', min: -3, max: 3 },
  { name: 'b', type: 'integer', min: -3, max: 3 },
  { name: 'c', type: 'categorical', categories: ['x', 'y', 'z'] },
  { name: 'd', type: 'boolean' },
];
const background = {
  quantiles: { a: [-3, -1, 0, 1, 3], b: [-2, 0, 0.5, 2] },
  covariance: {
    features: ['a', 'b', 'd'],
    matrix: [
      [2, 0.3, 0],
      [0.3, 1, 0.1],
      [0, 0.1, 0.5],
    ],
  },
};
const mixedRow = (dice: Dice) => ({
  a: dice.integer(-3, 3),
  b: dice.integer(-3, 3),
  c: dice.pick(['x', 'y', 'z']),
  d: dice.chance(0.5),
});

describe.each(['l0', 'l1', 'l2', 'percentile', 'mahalanobis'])('on a lattice under %s', (norm) => {
  const policies = [
    {},
    { maxChanges: 1 },
    { constraints: ['a + b <= 2'], features: { b: { change: 'increase' } } },
    { constraints: ['a >= 1 or d'], features: { a: { step: 2 } } },
  ];

  it.each(policies)('answers as enumeration does: %j', async (rest) => {
    const dice = new Dice(17);
    const seen = new Map<string, number>();
    for (let round = 0; round < 12; round++) {
      const classes = dice.pick([2, 3]);
      const labels = ['p', 'q', 'r'].slice(0, classes);
      const hidden = dice.pick([[5], [4, 3]]);
      const network = randomNetwork(
        dice,
        [6, ...hidden, classes > 2 ? classes : 1],
        classes > 2 ? 'softmax' : 'logistic',
      );
      const model = loadModel({ ...networkDocument(mixed, network.layers, labels), background });
      const target = dice.pick([labels[1], { from: dice.between(0.3, 0.8), class: labels[1] }]);
      const shared = { target: typeof target === 'string' ? target : labels[1], cost: { norm }, ...rest };
      const margin = typeof target === 'string' ? {} : { margin: dice.between(0.01, 0.3) };
      const [own, judge] = await Promise.all(
        ['relu-phases', 'enumerate'].map((solver) =>
          prepare(model, policyOf({ ...shared, ...margin, solvers: [solver] })),
        ),
      );
      for (let k = 0; k < 3; k++) {
        const row = { id: 'r', features: mixedRow(dice) };
        const [said, right] = [own.explain(row), judge.explain(row)];
        expect(said.status).toBe(right.status);
        seen.set(said.status, 1 + (seen.get(said.status) ?? 0));
        if (said.status !== 'found') continue;
        expect(said.counterfactuals[0].proof.kind).toBe('optimal');
        expect(said.counterfactuals[0].cost).toBeCloseTo(right.counterfactuals[0].cost, 6);
      }
    }
    expect(seen.get('found')).toBeGreaterThan(2);
  });
});

describe('several layers', () => {
  it.each([
    ['l1', [4, 6, 5, 1]],
    ['l2', [4, 6, 5, 1]],
    ['l1', [3, 4, 4, 3, 1]],
  ] as const)('have no answer below the bound, under %s with widths %j', async (norm, widths) => {
    const dice = new Dice(23);
    let proved = 0;
    for (let round = 0; round < 8; round++) {
      const network = randomNetwork(dice, widths, 'identity');
      const model = loadModel(networkDocument(numbers(widths[0]), network.layers));
      const x = dice.vector(widths[0]);
      const here = network.outputs(x)[0];
      const plan = await prepare(model, policyOf({ target: { from: here + 0.3, to: here + 2 }, cost: { norm } }));
      const result = plan.explain({ id: 'r', features: named(x) });
      if (result.status !== 'found') continue;
      const [{ cost, proof }] = result.counterfactuals;
      proved += +(proof.kind === 'optimal');
      expect(cost).toBeGreaterThanOrEqual(proof.lowerBound! * (1 - 1e-9));
      const least = (norm === 'l1' ? 1 : 0.5) * Math.log(proof.lowerBound!);
      for (let k = 0; k < 3000; k++) {
        const way = dice.vector(widths[0], () => dice.normal() * (dice.chance(0.4) ? 0 : 1));
        const size = norm === 'l1' ? way.reduce((sum, v) => sum + Math.abs(v), 0) : Math.hypot(...way);
        if (size === 0) continue;
        const y = network.outputs(x.map((value, j) => value + (way[j] / size) * Math.exp(least) * (1 - 2e-6)))[0];
        expect(y < here + 0.3 || y > here + 2).toBe(true);
      }
    }
    expect(proved).toBeGreaterThan(5);
  });
});

it('answers alike in other units: features from 1e-6 to 1e6', async () => {
  const dice = new Dice(29);
  const units = [1e-6, 1, 1e6];
  for (let round = 0; round < 10; round++) {
    const { layers } = randomNetwork(dice, [3, 6, 1], 'logistic');
    const x = dice.vector(3);
    const [first, ...others] = layers;
    const scaled = [{ ...first, weights: first.weights.map((row) => row.map((w, j) => w / units[j])) }, ...others];
    const weights = (u: readonly number[]) => named(u.map((unit) => 1 / unit));
    const [plain, rough] = await Promise.all(
      [
        { layers, weights: weights([1, 1, 1]) },
        { layers: scaled, weights: weights(units) },
      ].map((draw) =>
        prepare(
          loadModel(networkDocument(numbers(3), draw.layers, ['no', 'yes'])),
          policyOf({ target: 'yes', cost: { norm: 'l1', weights: draw.weights } }),
        ),
      ),
    );
    const one = plain.explain({ id: 'r', features: named(x) });
    const other = rough.explain({ id: 'r', features: named(x.map((value, j) => value * units[j])) });
    expect(other.status).toBe(one.status);
    if (one.status !== 'found') continue;
    expect(other.counterfactuals[0].proof.kind).toBe('optimal');
    expect(other.counterfactuals[0].cost).toBeCloseTo(one.counterfactuals[0].cost, 6);
  }
});

it('ends by its effort, with an answer and a bound that holds', async () => {
  const dice = new Dice(31);
  const network = randomNetwork(dice, [20, 40, 20, 1], 'logistic');
  const model = loadModel(networkDocument(numbers(20), network.layers, ['no', 'yes']));
  let cut = 0;
  for (let round = 0; round < 6; round++) {
    const x = dice.vector(20);
    const target = model.predict(named(x)).prediction === 'yes' ? 'no' : 'yes';
    const explain = async (effort: number) =>
      (await prepare(model, policyOf({ target, effort, cost: { norm: 'l1' } }))).explain({
        id: 'r',
        features: named(x),
      });
    const [short, long] = [await explain(3000), await explain(60_000)];
    if (short.status !== 'found') continue;
    cut += +(short.counterfactuals[0].proof.kind === 'gap');
    expect(short.counterfactuals[0].proof.lowerBound!).toBeLessThanOrEqual(long.counterfactuals[0].cost * (1 + 1e-6));
    expect(long.counterfactuals[0].cost).toBeLessThanOrEqual(short.counterfactuals[0].cost * (1 + 1e-9));
  }
  expect(cut).toBeGreaterThan(0);
});
