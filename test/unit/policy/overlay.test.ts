/** Wishes on top of a policy: the stricter entry stays, a wider one is refused, and the weights follow the difficulty. */
import { describe, expect, it } from 'vitest';
import type { PolicyInput } from '../../../src/documents/policy-document.js';
import { policyFaults } from '../../../src/explain/checks/policy-faults.js';
import { loadModel } from '../../../src/models/load.js';
import { difficultyOf, underOverlay } from '../../../src/policy/overlay.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { planOf } from '../../support/asking.js';

type Entries = Omit<PolicyInput, 'schema'>;
const load = (entries: Entries) => loadPolicy({ schema: 'elsewise.policy/v1', ...entries });
const rulesOf = (entries: Entries) => underOverlay(load(entries).document).features;

describe('an overlay', () => {
  it('keeps the stricter entry of both', () => {
    const features = {
      a: { change: 'increase', min: 1, max: 9, maxIncrease: 4, step: 2 },
      b: { allow: ['x', 'y'] },
      c: {},
    };
    const overlay = {
      features: {
        a: { min: 3, max: 8, maxIncrease: 2 },
        b: { allow: ['y'] },
        c: { change: 'decrease' },
        d: { max: 5 },
      },
    };
    expect(rulesOf({ features, overlay } as Entries)).toEqual({
      a: { change: 'increase', min: 3, max: 8, maxIncrease: 2, step: 2 },
      b: { allow: ['y'] },
      c: { change: 'decrease' },
      d: { max: 5 },
    });
  });

  it('holds a feature where nothing is common to both', () => {
    expect(rulesOf({ features: { a: { max: 4 } }, overlay: { features: { a: { min: 5 } } } })).toEqual({
      a: { change: 'never' },
    });
  });

  it('takes the smaller number of changes, and the number of answers that is asked for', () => {
    const settled = underOverlay(
      load({ maxChanges: 3, count: 1, overlay: { maxChanges: 2, count: 4, region: true } }).document,
    );
    expect(settled).toMatchObject({ maxChanges: 2, count: 4, region: true });
    expect(underOverlay(load({ overlay: { maxChanges: 2 } }).document).maxChanges).toBe(2);
  });

  const WIDER: Record<string, [policy: Entries, path: string]> = {
    'another direction': [
      { features: { a: { change: 'increase' } }, overlay: { features: { a: { change: 'any' } } } },
      'features.a.change',
    ],
    'a change where there is none': [
      { features: { a: { change: 'never' } }, overlay: { features: { a: { change: 'increase' } } } },
      'features.a.change',
    ],
    'a lower end': [{ features: { a: { min: 2 } }, overlay: { features: { a: { min: 1 } } } }, 'features.a.min'],
    'a higher end': [{ features: { a: { max: 2 } }, overlay: { features: { a: { max: 3 } } } }, 'features.a.max'],
    'a larger increase': [
      { features: { a: { maxIncrease: 2 } }, overlay: { features: { a: { maxIncrease: 3 } } } },
      'features.a.maxIncrease',
    ],
    'a larger decrease': [
      { features: { a: { maxDecrease: 2 } }, overlay: { features: { a: { maxDecrease: 3 } } } },
      'features.a.maxDecrease',
    ],
    'another category': [
      { features: { a: { allow: ['x'] } }, overlay: { features: { a: { allow: ['z'] } } } },
      'features.a.allow',
    ],
    'more changes': [{ maxChanges: 2, overlay: { maxChanges: 3 } }, 'maxChanges'],
  };

  it.each(Object.entries(WIDER))('may not ask for %s', (_name, [policy, path]) => {
    expect(() => load(policy)).toThrow(`policy.overlay.${path}: `);
    expect(() => load(policy)).toThrow('may only tighten');
  });

  it('tells all its faults at once', () => {
    const model = loadModel(MODEL);
    const overlay = { features: { a: { max: 12 }, b: { min: 1 }, agee: {} }, difficulty: { bb: 2 } };
    const faults = policyFaults({ schema: 'elsewise.policy/v1', features: { a: { max: 10 } }, overlay }, model);
    expect(faults.map(({ path }) => path).sort()).toEqual([
      'policy.overlay.difficulty.bb',
      'policy.overlay.features.a.max',
      'policy.overlay.features.agee',
    ]);
  });
});

const MODEL = {
  schema: 'elsewise.model/v1',
  name: 'two',
  family: 'hyperplane',
  features: [
    { name: 'a', type: 'continuous' },
    { name: 'b', type: 'continuous' },
  ],
  classes: ['no', 'yes'],
  parameters: { weights: [1, 1], bias: -4 },
  background: { quantiles: { a: [0, 5], b: [0, 5] }, mad: { a: 1, b: 1 } },
};

describe('an answer', () => {
  const answer = async (overlay: Entries['overlay'], cost: Entries['cost'] = { norm: 'l1' }) => {
    const plan = await planOf(MODEL, { schema: 'elsewise.policy/v1', target: 'yes', cost, overlay });
    return plan.explain({ id: 'p', features: { a: 1, b: 1 } });
  };

  it.each(['l0', 'l1', 'l2', 'mahalanobis', 'percentile'] as const)(
    'prefers the easier feature under %s',
    async (norm) => {
      const withCovariance = {
        ...MODEL,
        background: {
          ...MODEL.background,
          covariance: {
            features: ['a', 'b'],
            matrix: [
              [1, 0],
              [0, 1],
            ],
          },
        },
      };
      for (const [easy, hard] of [
        ['a', 'b'],
        ['b', 'a'],
      ]) {
        const overlay = { difficulty: { [easy]: 0.1, [hard]: 10 }, maxChanges: 1 };
        const plan = await planOf(withCovariance, {
          schema: 'elsewise.policy/v1',
          target: 'yes',
          cost: { norm },
          overlay,
        });
        const { counterfactuals } = plan.explain({ id: 'p', features: { a: 1, b: 1 } });
        expect(counterfactuals[0].changes.map(({ feature }) => feature)).toEqual([easy]);
      }
    },
  );

  it('stays within the range of the background, also where the wish is wider than that range', async () => {
    const result = await answer({ features: { a: { max: 1000 }, b: { change: 'never' } } });
    expect(result.counterfactuals[0].features.a).toBeLessThanOrEqual(5);
    expect((await answer({ features: { a: { max: 2 }, b: { change: 'never' } } })).status).toBe('infeasible');
  });

  it('names the digest of policy and wishes together', async () => {
    expect((await answer({ maxChanges: 1 })).policy.digest).not.toBe((await answer(undefined)).policy.digest);
  });

  it('has the weights of the policy where the person gives no difficulty', () => {
    expect(difficultyOf(load({ overlay: { difficulty: { a: 3 } } }).document, 'b')).toBe(1);
  });
});
