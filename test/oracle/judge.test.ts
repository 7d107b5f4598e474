/** The judge itself: a library that lies in one way is caught in that way, one that tells the truth is not. */
import { describe, expect, it } from 'vitest';
import * as library from '../../dist/index.js';
import type { FaultCode } from './judge/fault.js';
import { judgeCase } from './judge/judge.js';
import { type Answer, type Library, Product, type Reason, type Result } from './judge/product.js';
import type { Case, PolicySpec } from './question.js';
import { shrinkCase } from './shrink.js';

type Lie = (result: Result) => Result;

/** The real library, but for what its plans say. */
const liar = (lie: Lie): Product =>
  new Product({
    ...(library as unknown as Library),
    async prepare(...given: never[]) {
      const plan = await library.prepare(...(given as unknown as Parameters<typeof library.prepare>));
      return { explain: (row: never) => lie(structuredClone(plan.explain(row)) as unknown as Result) };
    },
  });

/** a + 2 c > 4.5 from a = 1, c = false: the cheapest is a = 3, c = true, then a = 5. */
const asked = (policy: Partial<PolicySpec> = {}): Case => ({
  model: {
    schema: 'elsewise.model/v1',
    name: 'judged',
    family: 'hyperplane',
    classes: ['no', 'yes'],
    features: [
      { name: 'a', type: 'integer', min: 0, max: 9 },
      { name: 'c', type: 'boolean' },
    ],
    parameters: { weights: [1, 2], bias: -4.5 },
  },
  policy: { schema: 'elsewise.policy/v1', target: 'yes', ...policy },
  row: { a: 1, c: false },
});

const codesOf = async (question: Case, lie: Lie): Promise<FaultCode[]> =>
  (await judgeCase(question, liar(lie), 1)).faults.map(({ code }) => code);

const onFirst =
  (change: (answer: Answer) => Partial<Answer>): Lie =>
  (result) => ({
    ...result,
    counterfactuals: result.counterfactuals.map((answer, k) => (k ? answer : { ...answer, ...change(answer) })),
  });

/** An answer with another value of a, and all that follows from it. */
const movedTo = (a: number): Lie =>
  onFirst(() => ({
    features: { a, c: false },
    changes: [{ feature: 'a', from: 1, to: a }],
    cost: a - 1,
    distances: { l0: 1, l1: a - 1, l2: a - 1 },
    score: a - 4.5,
    prediction: a > 4.5 ? 'yes' : 'no',
    proof: { kind: 'optimal', lowerBound: a - 1, gap: 0 },
  }));

const saying =
  (status: Result['status'], reason?: Reason): Lie =>
  (result) => ({ ...result, status, counterfactuals: [], reason });

const regionOf = (a: { from?: number; to?: number }, maximal: boolean): Lie =>
  onFirst(() => ({ region: { features: { a, c: { in: [true] } }, proof: { kind: 'proved', maximal } } }));

const withReason =
  (change: Partial<Reason>): Lie =>
  (result) => ({ ...result, reason: { ...result.reason!, ...change } });

describe('the judge', () => {
  it.each<[string, Partial<PolicySpec>]>([
    ['an answer', {}],
    ['another norm', { cost: { norm: 'l2' } }],
    ['several answers', { count: 3 }],
    ['a region', { region: true }],
    ['no answer', { features: { a: { max: 2 } } }],
    ['a row that has the target', { target: 'no' }],
  ])('has nothing against the truth: %s', async (_, policy) => {
    expect(await codesOf(asked(policy), (result) => result)).toEqual([]);
  });

  const proof = (kind: 'gap', lowerBound: number) =>
    onFirst(({ cost }) => ({ proof: { kind, lowerBound, gap: (cost - lowerBound) / cost } }));
  it.each<[string, FaultCode, Lie]>([
    ['a dearer answer as the optimum', 'false-optimal', movedTo(6)],
    ['a point that misses the target', 'no-answer', movedTo(4)],
    ['a point outside of the bounds', 'breaks-policy', movedTo(10)],
    ['a value between two whole numbers', 'breaks-policy', movedTo(5.5)],
    ['another cost', 'wrong-cost', onFirst(({ cost }) => ({ cost: cost * 0.999 }))],
    ['no changes', 'wrong-changes', onFirst(() => ({ changes: [] }))],
    ['other distances', 'wrong-distances', onFirst(({ distances }) => ({ distances: { ...distances, l2: 9 } }))],
    [
      'a distance that is none',
      'breaks-schema',
      onFirst(({ distances }) => ({ distances: { ...distances, l1: Infinity } })),
    ],
    ['another prediction', 'wrong-prediction', onFirst(() => ({ prediction: 'no' }))],
    ['another score', 'wrong-score', onFirst(({ score }) => ({ score: score + 1e-6 }))],
    ['a bound above the optimum', 'false-bound', (result) => proof('gap', 4)(movedTo(6)(result))],
    ['a bound above the cost', 'wrong-proof', proof('gap', 10)],
    [
      'no answer where there is one',
      'false-infeasible',
      saying('infeasible', { code: 'infeasible', message: '', blocking: [] }),
    ],
    ['nothing found', 'given-up', saying('not-found', { code: 'numerical', message: '' })],
    ['the target as it is', 'wrong-already', saying('already')],
    ['a bad row', 'wrong-invalid', saying('invalid', { code: 'invalid', message: '' })],
    ['a region with a point that is no answer', 'region-holds-no-answer', regionOf({ from: 2, to: 9 }, false)],
    ['a region without the answer', 'region-misses-answer', regionOf({ from: 4, to: 9 }, false)],
    ['a region that could be wider', 'region-not-maximal', regionOf({ from: 3, to: 8 }, true)],
    ['other bytes every time', 'not-repeatable', (result) => ({ ...result, id: String(Math.random()) })],
  ])('finds %s: %s', async (_, code, lie) => {
    expect(await codesOf(asked(), lie)).toContain(code);
  });

  it('finds an exception', async () => {
    const throws = () => {
      throw new TypeError('undefined is not a function');
    };
    expect(await codesOf(asked(), throws)).toEqual(['throws']);
  });

  it.each<[string, FaultCode, Lie]>([
    [
      'a set twice',
      'count-repeats-a-set',
      (r) => ({ ...r, counterfactuals: [r.counterfactuals[0], r.counterfactuals[0]] }),
    ],
    ['an answer too few', 'count-too-few', (r) => ({ ...r, counterfactuals: r.counterfactuals.slice(0, 1) })],
    [
      'a dearer set before a cheaper one',
      'count-not-cheapest',
      (r) => ({ ...r, counterfactuals: r.counterfactuals.toReversed() }),
    ],
  ])('finds, of several answers, %s: %s', async (_, code, lie) => {
    expect(await codesOf(asked({ count: 2 }), lie)).toContain(code);
  });

  const blocked = asked({ features: { a: { max: 2 }, c: { change: 'never' } }, constraints: ['a <= 8'] });
  const relaxed = (entry: string, cost: number): Lie =>
    withReason({ relaxation: { entry, cost, changes: [], proof: { kind: 'optimal', lowerBound: cost, gap: 0 } } });
  it.each<[string, FaultCode, Lie]>([
    ['entries that do not block', 'blocking-does-not-block', withReason({ blocking: ['constraints[0]'] })],
    ['entries that are no policy', 'blocking-unknown-entry', withReason({ blocking: ['constraints[7]'] })],
    [
      'entries beyond a minimal set',
      'blocking-not-minimal',
      withReason({ blocking: ['features.a.max', 'constraints[0]'], minimal: true }),
    ],
    ['a relaxation that does not help', 'relaxation-does-not-help', relaxed('constraints[0]', 4)],
    ['a relaxation that is not the cheapest', 'relaxation-not-cheapest', relaxed('features.a.max', 5)],
    ['a relaxation cheaper than it is', 'relaxation-wrong-cost', relaxed('features.a.max', 1)],
    [
      'no relaxation where one helps',
      'relaxation-missed',
      withReason({ relaxation: null, message: 'no single entry is to blame' }),
    ],
  ])('finds, where there is no answer, %s: %s', async (_, code, lie) => {
    expect(await codesOf(blocked, lie)).toContain(code);
  });
});

describe('shrinking', () => {
  it('leaves nothing that the fault does not need', async () => {
    const large = asked({
      features: { a: { max: 8, maxIncrease: 7 } },
      constraints: ['a <= 8'],
      count: 2,
      region: true,
    });
    const product = liar(onFirst(({ cost }) => ({ cost: cost + 1 })));
    const small = await shrinkCase(large, product, { code: 'wrong-cost', seed: 1, tries: 300, ms: 60_000 });
    expect(small.policy).toEqual({ schema: 'elsewise.policy/v1', target: 'yes' });
    expect(small.model.features).toHaveLength(1);
  });
});
