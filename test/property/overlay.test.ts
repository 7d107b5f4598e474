/** Random policies with random wishes on top: every answer keeps the policy and the wishes, and wishes never make an answer cheaper. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { loadPolicy } from '../../src/policy/policy.js';
import { checkShape, planOf } from '../support/asking.js';
import { anyPart, quarters, question } from '../support/questions.js';
import {
  type FeatureSpec,
  faultsOf,
  modelDocument,
  policyDocument,
  type Question,
  type Row,
  type RuleSpec,
} from '../support/second-opinion.js';

const seed = Number(process.env.FC_SEED ?? 20);

const isNumber = ({ type }: FeatureSpec): boolean => type === 'continuous' || type === 'integer';
const hasOrder = (feature: FeatureSpec): boolean => feature.type !== 'categorical' || feature.encoding === 'ordinal';

function wishOn(feature: FeatureSpec, here: Row[string]): fc.Arbitrary<RuleSpec> {
  const changes = hasOrder(feature) ? (['never', 'increase', 'decrease'] as const) : (['never', 'any'] as const);
  const change = fc.constantFrom<RuleSpec['change']>(...changes);
  if (isNumber(feature)) {
    const end = (low: number, high: number) => quarters(low, high).map((distance) => Number(here) + distance);
    const size = quarters(0, 12);
    const ends = { min: end(-12, 1), max: end(-1, 12), maxIncrease: size, maxDecrease: size };
    return fc.oneof(fc.record({ change }), fc.record(ends, { requiredKeys: [] }));
  }
  const values = feature.type === 'boolean' ? [true, false] : feature.categories!;
  return fc.record({ change, allow: fc.subarray([...values] as (string | boolean)[]) }, { requiredKeys: [] });
}

interface Wished {
  readonly asked: Question;
  readonly wishes: Record<string, RuleSpec>;
  readonly maxChanges: number | undefined;
}

const wished: fc.Arbitrary<Wished> = question({ part: anyPart, most: 5, constraints: 1, margins: [0.25], capped: true })
  .chain((asked) =>
    fc.tuple(
      fc.constant(asked),
      fc.subarray(asked.features, { minLength: 1, maxLength: Math.min(2, asked.features.length) }),
    ),
  )
  .chain(([asked, chosen]) => {
    const rules = Object.fromEntries(chosen.map((feature) => [feature.name, wishOn(feature, asked.row[feature.name])]));
    const maxChanges = fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined });
    return fc.record({ asked: fc.constant(asked), wishes: fc.record(rules), maxChanges });
  });

it('keeps every answer within the policy and within the wishes', async () => {
  let answers = 0;
  let refusals = 0;
  await fc.assert(
    fc.asyncProperty(wished, async ({ asked, wishes, maxChanges }) => {
      const policy = { ...policyDocument(asked), overlay: { features: wishes, maxChanges } };
      if (isRefused(policy)) {
        refusals++;
        return;
      }
      const model = modelDocument(asked);
      const row = { id: 'asked', features: asked.row };
      const result = checkShape((await planOf(model, policy)).explain(row));
      const free = (await planOf(model, policyDocument(asked))).explain(row);
      for (const answer of result.counterfactuals) {
        answers++;
        expect(faultsOf(asked, answer.features as Row)).toEqual([]);
        expect(faultsOf({ ...asked, rules: wishes, maxChanges }, answer.features as Row)).toEqual([]);
        const { lowerBound } = free.counterfactuals[0].proof;
        if (lowerBound !== null) expect(answer.cost).toBeGreaterThanOrEqual(lowerBound * (1 - 1e-6) - 1e-9);
      }
      if (free.status === 'infeasible') expect(result.status).toBe('infeasible');
    }),
    { seed, numRuns: 200 },
  );
  expect(answers).toBeGreaterThan(20);
  expect(refusals).toBeGreaterThan(20);
});

function isRefused(policy: unknown): boolean {
  try {
    loadPolicy(policy);
    return false;
  } catch (error) {
    expect((error as Error).message).toContain('may only tighten');
    return true;
  }
}
