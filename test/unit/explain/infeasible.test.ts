/** Why there is no answer: the blocking set is minimal and the relaxation the cheapest, both checked by trying everything. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ask } from '../../support/asking.js';
import { allAnswers } from '../../support/brute-force.js';
import { booleanPart, boundedPart, categoryPart, question } from '../../support/questions.js';
import { type Question, type RuleSpec, reaches } from '../../support/second-opinion.js';

/** Every entry of the policy, by the path that a reason gives it. */
function entriesOf({ rules, constraints, maxChanges, margin }: Question): string[] {
  const ofRules = Object.entries(rules).flatMap(([name, rule]) =>
    Object.keys(rule).map((key) => `features.${name}.${key}`),
  );
  return [
    ...ofRules,
    ...constraints.map((_, k) => `constraints[${k}]`),
    ...(maxChanges === undefined ? [] : ['maxChanges']),
    ...(margin > 0 ? ['margin'] : []),
  ];
}

/** The question under a policy that has only these entries. */
function underOnly(asked: Question, entries: readonly string[]): Question {
  const kept = (name: string, rule: RuleSpec) =>
    Object.fromEntries(Object.entries(rule).filter(([key]) => entries.includes(`features.${name}.${key}`)));
  return {
    ...asked,
    rules: Object.fromEntries(Object.entries(asked.rules).map(([name, rule]) => [name, kept(name, rule)])),
    constraints: asked.constraints.filter((_, k) => entries.includes(`constraints[${k}]`)),
    maxChanges: entries.includes('maxChanges') ? asked.maxChanges : undefined,
    margin: entries.includes('margin') ? asked.margin : 0,
  };
}

const without = <T>(items: readonly T[], item: T) => items.filter((other) => other !== item);
const part = fc.oneof({ weight: 3, arbitrary: boundedPart }, booleanPart, categoryPart);
const blocked = question({ part, most: 3, constraints: 2, margins: [0.25], capped: true }).filter(
  (asked) => !reaches(asked, asked.row) && allAnswers(asked).length === 0,
);

const always = (holds: (asked: Question, reason: NonNullable<Awaited<ReturnType<typeof ask>>['reason']>) => void) =>
  fc.assert(
    fc.asyncProperty(blocked, async (asked) => {
      const result = await ask(asked);
      expect(result.status).toBe('infeasible');
      holds(asked, result.reason!);
    }),
    { seed: Number(process.env.FC_SEED ?? 6), numRuns: 80 },
  );

describe('the blocking set', () => {
  it('blocks on its own, and no part of it does', () =>
    always((asked, { blocking, minimal }) => {
      expect(minimal).toBe(true);
      expect(entriesOf(asked)).toEqual(expect.arrayContaining(blocking!));
      expect(allAnswers(underOnly(asked, blocking!))).toEqual([]);
      for (const entry of blocking!) {
        const fewer = underOnly(asked, without(blocking!, entry));
        expect({ entry, answers: allAnswers(fewer).length > 0 || reaches(fewer, fewer.row) }).toEqual({
          entry,
          answers: true,
        });
      }
    }));

  it('is empty exactly when the model itself has no such row', () =>
    always((asked, { blocking }) => {
      expect(blocking!.length === 0).toBe(allAnswers(underOnly(asked, [])).length === 0);
    }));
});

it('the relaxation is the cheapest single one, or none when no single one helps', () =>
  always((asked, { relaxation }) => {
    const entries = entriesOf(asked);
    const costs = entries.map((entry) =>
      Math.min(Infinity, ...allAnswers(underOnly(asked, without(entries, entry))).map(({ cost }) => cost)),
    );
    const best = Math.min(Infinity, ...costs);
    if (best === Infinity) return expect(relaxation).toBeNull();
    expect(relaxation!.cost).toBeCloseTo(best, 6);
    expect(costs[entries.indexOf(relaxation!.entry)]).toBeCloseTo(best, 6);
    expect(relaxation!.changes.length > 0 || best === 0).toBe(true);
  }));

describe('by hand', () => {
  const asked: Question = {
    family: 'hyperplane',
    features: [
      { name: 'income', type: 'integer', min: 0 },
      { name: 'debt', type: 'integer', min: 0 },
      { name: 'age', type: 'integer' },
    ],
    weights: [[1, -1, 10]],
    bias: [-5.5],
    target: 1,
    row: { income: 2, debt: 1, age: 0 },
    rules: { income: { max: 4 }, debt: { change: 'never' }, age: { change: 'never' } },
    norm: 'l1',
    prices: { age: 100 },
    constraints: [],
    margin: 0,
  };

  it('all that stands in the way is named, and the cheapest way out', async () => {
    // 2 - 1 - 5.5 = -4.5: income alone needs to rise by 5, debt can give 1 of it, age would do it for 100
    const { reason } = await ask(asked);
    expect(reason!.blocking).toEqual(['features.income.max', 'features.age.change']);
    expect(reason!.relaxation).toMatchObject({
      entry: 'features.income.max',
      cost: 5,
      changes: [{ feature: 'income', from: 2, to: 7 }],
    });
    expect(reason!.message).toContain('features.income.max');
  });

  it('a policy without blame says so', async () => {
    const never = {
      ...asked,
      features: asked.features.map((feature) => ({ ...feature, max: 3 })),
      rules: {},
      weights: [[1, -1, 0]],
    };
    const { status, reason } = await ask(never);
    expect(status).toBe('infeasible');
    expect(reason).toMatchObject({ blocking: [], relaxation: null });
  });
});
