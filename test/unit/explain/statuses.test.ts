/** Every status of a result: its shape as documented, and what it says. */
import { describe, expect, it } from 'vitest';
import { prepare } from '../../../src/explain/plan.js';
import { prepare as prepareFromLibrary } from '../../../src/index.js';
import { loadModel } from '../../../src/models/load.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { checkShape, planOf } from '../../support/asking.js';
import { creditModel, creditPolicy, edit, faultOf, regressionModel } from '../../support/documents.js';

const POOR = { age: 30, income: 1200, housing: 'rent' };
const KEYS = ['schema', 'id', 'status', 'model', 'policy', 'target', 'factual', 'counterfactuals'];
const TAIL = ['attempts', 'degraded', 'seed', 'elapsedMs'];

async function explain(
  features: Record<string, unknown>,
  policy: unknown = creditPolicy(),
  model: unknown = creditModel(),
  target?: unknown,
) {
  const plan = await planOf(model, policy);
  return checkShape(plan.explain({ id: 'a-17', features: features as typeof POOR, target }));
}

describe('found', () => {
  it('has the answer, its score by the model itself, its cost and the proof', async () => {
    const result = await explain(POOR);
    expect(Object.keys(result)).toEqual([...KEYS, ...TAIL]);
    expect(result).toMatchObject({ id: 'a-17', status: 'found', target: 'approved', degraded: false, seed: 0 });
    expect(result.factual).toMatchObject({ features: POOR, prediction: 'rejected' });
    // 0.3 + 0.002 income + h - 3.1 > 0 with h = 0.4 for own: income above 1200 by 50s; moving costs 1, 50 cost 0.5
    const own = { age: 30, income: 1250, housing: 'own' };
    const f = 0.3 + 0.002 * 1250 + 0.4 - 3.1;
    const [answer] = result.counterfactuals;
    expect(answer.features).toEqual(own);
    expect(answer).toMatchObject({
      prediction: 'approved',
      distances: { l0: 2, l1: 51, l2: Math.hypot(50, 1) },
      proof: { kind: 'optimal', gap: 0 },
    });
    expect(answer.score).toBeCloseTo(1 / (1 + Math.exp(-f)), 12);
    expect(answer.cost).toBeCloseTo(0.01 * 50 + 1, 12);
    expect(answer.changes).toEqual([
      { feature: 'income', from: 1200, to: 1250 },
      { feature: 'housing', from: 'rent', to: 'own' },
    ]);
  });

  it('names the model, its version, the policy and both digests', async () => {
    const model = loadModel(creditModel(), { version: 3 });
    const policy = loadPolicy(creditPolicy());
    const result = checkShape((await prepare(model, policy)).explain({ id: 'x', features: POOR }));
    expect(result.model).toEqual({ name: 'credit', version: 3, digest: model.digest });
    expect(result.policy).toEqual({ name: 'retail-credit', digest: policy.digest });
  });
});

it('already: the row has the target as it is', async () => {
  const result = await explain({ age: 30, income: 5000, housing: 'own' });
  expect(result).toMatchObject({ status: 'already', counterfactuals: [], attempts: [], degraded: false });
  expect(result.factual!.prediction).toBe('approved');
  expect(result.reason).toBeUndefined();
});

it('infeasible: says what blocks and what would help most cheaply', async () => {
  // own gives 0.7 and 100 more give 0.2; 0.76 are needed, so only age or more income would do
  const result = await explain({ ...POOR, income: 1170 }, edit(creditPolicy(), ['features', 'income', 'max'], 1180));
  expect(result).toMatchObject({ status: 'infeasible', counterfactuals: [], degraded: false });
  expect(Object.keys(result)).toEqual([...KEYS, 'reason', ...TAIL]);
  expect(result.reason).toMatchObject({
    code: 'infeasible',
    blocking: ['features.age.change', 'features.income.max'],
    minimal: true,
  });
  const cost = expect.closeTo(1 + 0.01 * 50, 9);
  expect(result.reason!.relaxation).toMatchObject({ entry: 'features.income.max', cost });
});

it('infeasible: an answer that ends exactly on the boundary is none, and that is proved', async () => {
  const result = await explain(POOR, edit(creditPolicy(), ['features', 'income', 'max'], 1200)); // own gives 0.3 + 2.4 + 0.4 - 3.1
  expect(result.status).toBe('infeasible');
});

describe('not-found', () => {
  it('says that no solver was there when none of those asked for takes the problem', async () => {
    const result = await explain(POOR, { ...creditPolicy(), solvers: ['nearest'] });
    expect(result).toMatchObject({
      status: 'not-found',
      counterfactuals: [],
      degraded: true,
      reason: { code: 'no-solver' },
    });
  });

  /** 1 < 3 x - 3 y <= 2 has no whole solution, and no bound ends the search for one. */
  const ENDLESS = {
    schema: 'elsewise.model/v1',
    name: 'endless',
    family: 'hyperplane',
    features: ['x', 'y'].map((name) => ({ name, type: 'integer' })),
    classes: ['no', 'yes'],
    parameters: { weights: [3, -3], bias: -1 },
  };
  const policyOf = (limits: object) =>
    loadPolicy({ schema: 'elsewise.policy/v1', target: 'yes', constraints: ['3 * x - 3 * y <= 2'], ...limits });
  const ROW = { id: 'a-17', features: { x: 0, y: 0 } };

  it('says that the time was up', async () => {
    let readings = 0;
    const options = { now: () => 100 * readings++ };
    const plan = await prepare(loadModel(ENDLESS), policyOf({ deadlineMs: 60, effort: 1e12 }), options);
    expect(checkShape(plan.explain(ROW))).toMatchObject({
      status: 'not-found',
      counterfactuals: [],
      degraded: true,
      reason: { code: 'deadline' },
      limitedBy: 'time',
    });
  });

  it('says that the effort was spent, whatever the clock', async () => {
    const explainBy = async (now: () => number) => {
      const plan = await prepare(loadModel(ENDLESS), policyOf({ effort: 50, solvers: ['branch'] }), { now });
      return checkShape(plan.explain(ROW));
    };
    const result = await explainBy(() => 0);
    expect(result).toMatchObject({
      status: 'not-found',
      degraded: true,
      reason: { code: 'effort' },
      limitedBy: 'effort',
    });
    let ms = 0;
    const slowly = await explainBy(() => ms++);
    const untimed = ({ attempts, ...rest }: typeof result) => ({ ...rest, attempts: attempts.length, elapsedMs: 0 });
    expect(untimed(slowly)).toEqual(untimed(result));
  });

  it('comes in time without a clock of one’s own: the library measures by default', async () => {
    const plan = await prepareFromLibrary(
      loadModel(creditModel()),
      loadPolicy({ ...creditPolicy(), deadlineMs: 1000 }),
    );
    const { elapsedMs, attempts } = plan.explain({ id: 'x', features: POOR });
    expect(elapsedMs + attempts.reduce((sum, { ms }) => sum + ms, 0)).toBeGreaterThan(0);
  });
});

describe('invalid: the row is bad and the run goes on', () => {
  it.each([
    ['a word for a number', { ...POOR, income: 'much' }, 'features.income', 'expected a finite number, got "much"'],
    ['half a year', { ...POOR, age: 30.5 }, 'features.age', 'expected a whole number, got 30.5'],
    [
      'an unknown category',
      { ...POOR, housing: 'rnet' },
      'features.housing',
      'unknown category "rnet", did you mean "rent"?',
    ],
    [
      'a missing value',
      { age: 30, housing: 'rent' },
      'features.income',
      'is missing, and the model does not impute it',
    ],
    ['an object for a value', { ...POOR, income: {} }, 'features.income', 'expected one value, got an object'],
  ])('%s', async (_, features, path, message) => {
    const result = await explain(features);
    expect(Object.keys(result)).toEqual([...KEYS, 'reason', ...TAIL]);
    expect(result).toMatchObject({
      id: 'a-17',
      status: 'invalid',
      target: null,
      factual: null,
      counterfactuals: [],
      attempts: [],
    });
    expect(result.reason).toEqual({ code: 'invalid', path, message });
  });

  it('tells all faults of a row: fields in the order of the model, then its target', async () => {
    const { reason } = await explain(
      { age: 'old', income: null, housing: 'tent' },
      creditPolicy(),
      creditModel(),
      'aproved',
    );
    expect(reason?.faults?.map(({ path }) => path)).toEqual([
      'features.age',
      'features.income',
      'features.housing',
      'target',
    ]);
    expect(reason).toMatchObject(reason!.faults![0]);
  });

  it('a row whose own target is wrong, or that has none', async () => {
    const wrong = await explain(POOR, creditPolicy(), creditModel(), 'aproved');
    expect(wrong.reason).toMatchObject({
      path: 'target',
      message: 'the model has no class "aproved", did you mean "approved"?',
    });
    const none = await explain(POOR, edit(creditPolicy(), ['target'], undefined));
    expect(none).toMatchObject({ status: 'invalid', reason: { path: 'target' } });
  });

  it.each([
    ['a Poisson prediction that overflows', regressionModel('poisson-regression'), { x: 1000, z: 0 }],
    ['an exponential prediction of 1 / 0', regressionModel('exponential-regression'), { x: 1, z: 1 }],
    [
      'one-vs-rest scores of 0 / 0',
      {
        schema: 'elsewise.model/v1',
        name: 'm',
        family: 'softmax-regression',
        features: [
          { name: 'x', type: 'continuous' },
          { name: 'z', type: 'continuous' },
        ],
        classes: ['a', 'b'],
        parameters: {
          weights: [
            [-1, 0],
            [-1, 0],
          ],
          bias: [0, -1],
          normalization: 'sigmoid',
        },
      },
      { x: 800, z: 0 },
    ],
  ])('%s is no score to report', async (_, model, row) => {
    const target = 'classes' in model ? 'b' : { from: 1, to: 2 };
    const result = await explain(row, { schema: 'elsewise.policy/v1', target }, model);
    expect(result.status).toBe('invalid');
  });

  it('the row after it is answered as if nothing had been', async () => {
    const plan = await planOf(creditModel(), creditPolicy());
    const before = plan.explain({ id: 'x', features: POOR });
    plan.explain({ id: 'bad', features: { ...POOR, income: 'much' } });
    const after = plan.explain({ id: 'x', features: POOR });
    expect({ ...after, attempts: [], elapsedMs: 0 }).toEqual({ ...before, attempts: [], elapsedMs: 0 });
  });
});

describe('a target', () => {
  it('of the row wins over the policy’s', async () => {
    const result = await explain({ age: 30, income: 5000, housing: 'own' }, creditPolicy(), creditModel(), 'rejected');
    expect(result).toMatchObject({ target: 'rejected' });
    expect(result.factual!.score).toBeLessThan(0.5);
  });

  it.each(['', null, undefined])('of %j in a row is none', async (target) => {
    expect((await explain(POOR, creditPolicy(), creditModel(), target)).target).toBe('approved');
  });

  it('of the policy that is wrong, or asks for what no family can, is refused before any row', async () => {
    await expect(planOf(creditModel(), edit(creditPolicy(), ['target'], 'aproved'))).rejects.toMatchObject({
      code: 'bad-document',
      path: 'policy.target',
    });
  });
});

it.each([
  ['an unknown solver', edit(creditPolicy(), ['solvers'], ['auto', 'magic']), 'policy.solvers[1]'],
  [
    'a constraint that cannot be read',
    edit(creditPolicy(), ['constraints'], ['age <= 3', 'age <=']),
    'policy.constraints[1]',
  ],
  ['a constraint on no feature', edit(creditPolicy(), ['constraints'], ['shoes <= 3']), 'policy.constraints[0]'],
])('a policy with %s is refused with its path', async (_, policy, path) => {
  const refused = await planOf(creditModel(), policy).catch((error) => error);
  expect(
    faultOf(() => {
      throw refused;
    }),
  ).toMatchObject({ code: 'bad-document', path });
});
