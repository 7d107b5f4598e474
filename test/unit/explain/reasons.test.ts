/** Reason codes in results: which features they name, what a feature alone can do, and where they go from a result. */
import { describe, expect, it } from 'vitest';
import { type ResultDocument, resultSchema } from '../../../src/documents/result-document.js';
import { createResultWriter } from '../../../src/jobs/results/result-lines.js';
import { loadModel } from '../../../src/models/load.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { packLines, unpackLines } from '../../../src/store/codec/result-block.js';
import { planOf } from '../../support/asking.js';
import { Dice } from '../../support/dice.js';
import { creditModel, creditPolicy } from '../../support/documents.js';

const samples = [
  [40, 3000, 'own'],
  [50, 2000, 'rent'],
  [30, 1000, 'free'],
];
const model = { ...creditModel(), background: { samples } };
const row = { age: 25, income: 1000, housing: 'rent' };

async function explain(policy: object = {}, features: object = row, document: object = model): Promise<ResultDocument> {
  const plan = await planOf(document, { ...creditPolicy(), reasons: {}, ...policy });
  return resultSchema.parse(JSON.parse(JSON.stringify(plan.explain({ id: 'a', features: features as typeof row }))));
}

const named = ({ reasons = [] }: ResultDocument) => reasons.map(({ feature }) => feature);

describe('reason codes', () => {
  it('are the costliest features against the mean of the background, by hand', async () => {
    const { reasons, status } = await explain();
    expect(status).toBe('found');
    // Means: age 40, income 2000, housing 0.4 / 3 for own, -0.3 / 3 for rent.
    const [income, housing, age] = [0.002 * -1000, -0.3 - (0.4 - 0.3) / 3, 0.01 * -15];
    const total = income + housing + age;
    expect(reasons).toEqual([
      {
        feature: 'income',
        value: 1000,
        contribution: expect.closeTo(income, 12),
        share: expect.closeTo(income / total, 12),
        alone: true,
      },
      {
        feature: 'housing',
        value: 'rent',
        contribution: expect.closeTo(housing, 12),
        share: expect.closeTo(housing / total, 12),
        alone: false,
      },
      {
        feature: 'age',
        value: 25,
        contribution: expect.closeTo(age, 12),
        share: expect.closeTo(age / total, 12),
        alone: false,
      },
    ]);
  });

  it('are those of the model behind a calibration, a threshold and segments', async () => {
    const { reasons } = await explain();
    const calibration = { type: 'sigmoid', slope: -2, intercept: 1 };
    for (const decision of [
      { calibration },
      { threshold: 0.6 },
      { thresholdBy: 'housing', thresholds: {}, threshold: 0.6 },
    ]) {
      const decided = await explain({}, row, { ...model, decision });
      const facts = (list: typeof reasons) => list!.map(({ feature, contribution }) => [feature, contribution]);
      expect(facts(decided.reasons)).toEqual(facts(reasons));
    }
  });

  it('are compared with the nearest accepted row', async () => {
    // The second row is rejected: 0.5 + 4 - 0.3 - 3.1 is above 0, so it is accepted; the third is not.
    const { reasons } = await explain({ reasons: { reference: 'accepted' } });
    expect(reasons!.map(({ feature, contribution }) => [feature, +contribution.toFixed(9)])).toEqual([
      ['income', -2],
      ['age', -0.25],
    ]);
  });

  it('are points lost against the best values', async () => {
    const { reasons } = await explain({ reasons: { reference: 'best', count: 2 } });
    expect(reasons!.map(({ feature, contribution }) => [feature, +contribution.toFixed(9)])).toEqual([
      ['income', -4],
      ['age', -0.75],
    ]);
  });

  it('name features that are too high, where a prediction has to fall', async () => {
    const document = {
      schema: 'elsewise.model/v1',
      name: 'price',
      family: 'linear-regression',
      features: [
        { name: 'x', type: 'continuous' },
        { name: 'z', type: 'continuous' },
      ],
      parameters: { weights: [2, -3], bias: 1 },
      background: {
        samples: [
          [0, 0],
          [2, 2],
        ],
      },
    };
    const policy = { target: { to: -10 }, maxChanges: undefined, features: {}, cost: { norm: 'l1' }, unbounded: true };
    const result = await explain(policy, { x: 5, z: 0 }, document);
    expect(result.reasons!.map(({ feature, contribution, alone }) => [feature, contribution, alone])).toEqual([
      ['x', 8, true],
      ['z', 3, true],
    ]);
  });

  it('are absent for a row that has the target, and for a policy without reasons', async () => {
    expect((await explain({}, { age: 60, income: 5000, housing: 'own' })).reasons).toBeUndefined();
    expect((await explain({ reasons: undefined })).reasons).toBeUndefined();
  });

  it('stay the same beside levers, a path of rows and many answers', async () => {
    const plain = await explain();
    const levered = await explain({ levers: { money: ['income'], home: ['housing'] } });
    expect(named(levered)).toEqual(named(plain));
    expect(levered.reasons!.map(({ alone }) => alone)).toEqual([true, false, false]);
    expect((await explain({ levers: { home: ['housing'] } })).reasons!.map(({ alone }) => alone)).toEqual([
      false,
      false,
      false,
    ]);
    expect((await explain({ count: 3, region: true })).reasons).toEqual(plain.reasons);
  });

  it('do not change the answers', async () => {
    const withoutTimes = ({ reasons: _, policy: _p, elapsedMs: _e, ...rest }: ResultDocument) => JSON.stringify(rest);
    expect(withoutTimes(await explain())).toBe(withoutTimes(await explain({ reasons: undefined })));
  });

  it('draw a sample of a large background by the seed, for trees', async () => {
    const dice = new Dice(4);
    const drawn = Array.from({ length: 60 }, () => [
      dice.integer(18, 90),
      dice.integer(0, 5000),
      dice.pick(['own', 'rent', 'free']),
    ]);
    const tree = {
      feature: [0, 1, -1, -1, -1],
      threshold: [30, 2000, 0, 0, 0],
      left: [1, 2, -1, -1, -1],
      right: [4, 3, -1, -1, -1],
      value: [[0], [0], [-2], [1], [3]],
    };
    const forest = {
      ...model,
      family: 'tree-ensemble',
      parameters: { trees: [tree], aggregation: 'sum', link: 'logit' },
      background: { samples: drawn },
    };
    const policy = (seed: number, rows: number) => ({ cost: { norm: 'l0' }, seed, reasons: { rows } });
    const ask = async (seed: number, rows: number) => (await explain(policy(seed, rows), row, forest)).reasons!;
    expect(await ask(1, 10)).toEqual(await ask(1, 10));
    expect(await ask(1, 10)).not.toEqual(await ask(2, 10));
    expect(await ask(1, 60)).toEqual(await ask(2, 60));
  });
});

describe('what a feature can do alone', () => {
  /** Every value of the feature that the policy permits, tried by hand. */
  function reachable(features: typeof row, name: string, policy: { maxIncrease: number }): boolean {
    const { age, income, housing } = features;
    const tried = {
      age: [age],
      income: Array.from({ length: 1000 }, (_, k) => income + 50 * k).filter(
        (v) => v === income || (v <= 9000 && v <= income + policy.maxIncrease),
      ),
      housing: ['own', 'rent', housing],
    }[name]!;
    const bonus: Record<string, number> = { own: 0.4, rent: -0.3, free: 0 };
    return tried.some((value) => {
      const own = { ...features, [name]: value } as typeof row;
      return 0.01 * own.age + 0.002 * own.income + bonus[own.housing] - 3.1 > 0;
    });
  }

  it('is what trying every permitted value says', async () => {
    const dice = new Dice(12);
    let [yes, no] = [0, 0];
    for (let run = 0; run < 120; run++) {
      const features = {
        age: dice.integer(18, 60),
        income: 50 * dice.integer(0, 40),
        housing: dice.pick(['own', 'rent', 'free']),
      };
      const maxIncrease = 50 * dice.integer(0, 30);
      const rules = { ...creditPolicy().features, income: { ...creditPolicy().features.income, maxIncrease } };
      const { reasons = [] } = await explain({ features: rules }, features);
      for (const { feature, alone } of reasons) {
        expect(alone).toBe(reachable(features, feature, { maxIncrease }));
        if (alone) yes++;
        else no++;
      }
    }
    expect(Math.min(yes, no)).toBeGreaterThan(20);
  });

  it('keeps the constraints between features', async () => {
    const { reasons } = await explain({ constraints: ['income <= 40 * age'] });
    expect(reasons!.find(({ feature }) => feature === 'income')!.alone).toBe(false);
  });
});

describe('reasons are refused', () => {
  it.each([
    [
      'a family without an exact sum',
      {},
      {
        family: 'knn',
        parameters: { samples: [[1, 2, 0, 0, 1]], labels: ['approved'], k: 1, metric: 'euclidean', weights: 'uniform' },
      },
      /family knn has no exact contributions/,
    ],
    ['a background without rows', {}, { background: {} }, /no rows of a background/],
    [
      'no accepted row',
      { reference: 'accepted' },
      { background: { samples: [[20, 0, 'rent']] } },
      /no row of the background has the target/,
    ],
    ['a feature without a range', { reference: 'best' }, { background: {} }, /"income" has no best value/],
    ['five features', { count: 5 }, {}, /count/],
    ['an unknown key', { refernce: 'best' }, {}, /did you mean "reference"/],
  ])('with %s', async (_, reasons, document, message) => {
    await expect(explain({ reasons }, row, { ...model, ...document })).rejects.toThrow(message);
  });

  it('with trees behind a step that mixes columns', async () => {
    const matrix = [0, 1, 2, 3, 4].map((i) => [0, 1, 2, 3, 4].map((j) => +(i === j) + 0.1));
    const tree = {
      feature: [0, -1, -1],
      threshold: [30, 0, 0],
      left: [1, -1, -1],
      right: [2, -1, -1],
      value: [[0], [-2], [3]],
    };
    const document = {
      ...model,
      family: 'tree-ensemble',
      preprocessing: [{ type: 'affine', matrix, offset: [0, 0, 0, 0, 0] }],
      parameters: { trees: [tree], aggregation: 'sum', link: 'logit' },
    };
    await expect(explain({}, row, document)).rejects.toThrow(/mixes columns/);
  });
});

describe('results with reasons', () => {
  it('keep their bytes in the store', async () => {
    const results = [
      await explain(),
      await explain({}, { age: 60, income: 5000, housing: 'own' }),
      await explain({}, { ...row, income: 1500 }),
    ];
    const lines = `${results.map((result) => JSON.stringify(result)).join('\n')}\n`;
    expect((await unpackLines(packLines(lines), 'it')).toString()).toBe(lines);
  });

  it('tell them in a column of a table and in brief lines', async () => {
    const result = await explain();
    const policy = loadPolicy({ ...creditPolicy(), reasons: {} });
    const csv = createResultWriter('csv', loadModel(model), policy);
    expect(csv.header).toContain(',reason,reasons,age,');
    expect(csv.line(result)).toContain(
      '"income -2 (81 %, enough alone); housing -0.3333 (13 %, not enough alone); age -0.15 (6 %, not enough alone)"',
    );
    const brief = createResultWriter('brief', loadModel(model), policy);
    expect(JSON.parse(brief.line(result)).reasons[0]).toEqual({ feature: 'income', contribution: -2, alone: true });
    const plain = createResultWriter('csv', loadModel(model), loadPolicy(creditPolicy()));
    expect(plain.header).not.toContain('reasons');
  });
});
