/** Why there is no answer: the blocking set is minimal and the relaxation the cheapest, both checked by trying everything. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Reason } from '../../../src/documents/result-document.js';
import { prepare } from '../../../src/explain/plan.js';
import { loadModel } from '../../../src/models/load.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { ask, checkShape, planOf } from '../../support/asking.js';
import { allAnswers } from '../../support/brute-force.js';
import { stump } from '../../support/documents.js';
import { booleanPart, boundedPart, categoryPart, question } from '../../support/questions.js';
import { modelDocument, policyDocument, type Question, type RuleSpec, reaches } from '../../support/second-opinion.js';

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

function named(relaxation: Reason['relaxation']) {
  if (!relaxation || relaxation === 'undetermined') throw new Error('no relaxation is named');
  return relaxation;
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
    const { entry, cost, changes, proof } = named(relaxation);
    expect(cost).toBeCloseTo(best, 6);
    expect(proof.kind).toBe('optimal');
    expect(costs[entries.indexOf(entry)]).toBeCloseTo(best, 6);
    expect(changes.length > 0 || best === 0).toBe(true);
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

  it('a policy without entries blocks nothing', async () => {
    const { reason } = await ask({ ...asked, weights: [[0, 0, 0]], rules: {} });
    expect(reason).toMatchObject({ blocking: [], minimal: true, relaxation: null });
    expect(reason!.message).toBe(
      "no row within the model's own types, bounds, decimals and categories has the target, whatever the policy",
    );
  });

  it('a proof for a row whose missing value stays missing says so', async () => {
    const { task, tree } = stump(0);
    const model = {
      ...{ schema: 'elsewise.model/v1', name: 'm', family: 'decision-tree', classes: ['no', 'yes'] },
      features: [{ name: 'x', type: 'continuous' }],
      parameters: { task, tree: { ...tree, missing: 'right' } },
    };
    const plan = await planOf(model, { schema: 'elsewise.policy/v1', target: 'no' });
    const { status, reason } = plan.explain({ id: 'r', features: { x: null } });
    expect([status, reason!.blocking]).toEqual(['infeasible', []]);
    expect(reason!.message).toBe(
      "no row within the model's own types, bounds, decimals and categories has the target while x is missing, and a missing value stays missing",
    );
  });

  it('an entry that is given twice blocks once, and leaving out one of the two does not help', async () => {
    const limit = { text: 'income <= 4', holds: ({ income }: Question['row']) => Number(income) <= 4 };
    const rules = { debt: asked.rules.debt, age: asked.rules.age };
    const twice = await ask({ ...asked, rules, constraints: [limit, limit] });
    expect(twice.reason).toMatchObject({ blocking: ['features.age.change', 'constraints[0]'], minimal: true });
    expect(named(twice.reason!.relaxation)).toMatchObject({ entry: 'features.age.change', cost: 100 });
    const alone = await ask({ ...asked, weights: [[1, -1, 0]], rules: {}, constraints: [limit, limit] });
    expect(alone.reason).toMatchObject({ blocking: ['constraints[0]'], minimal: true, relaxation: null });
    expect(alone.reason!.message).toContain('leaving out a single entry does not help');
  });
});

it('an entry without which the policy has no cost stays open', async () => {
  const model = {
    schema: 'elsewise.model/v1',
    name: 'm',
    family: 'hyperplane',
    classes: ['no', 'yes'],
    features: ['known', 'unknown'].map((name) => ({ name, type: 'integer', min: 0, max: 9 })),
    parameters: { weights: [1, 1], bias: -9.5 },
    background: { quantiles: { known: [0, 9] } },
  };
  const policy = {
    schema: 'elsewise.policy/v1',
    target: 'yes',
    cost: { norm: 'percentile' },
    features: { unknown: { change: 'never' } },
  };
  const result = checkShape((await planOf(model, policy)).explain({ id: 'x', features: { known: 0, unknown: 0 } }));
  expect(result).toMatchObject({
    status: 'infeasible',
    reason: { blocking: ['features.unknown.change'], minimal: 'undetermined', relaxation: 'undetermined' },
  });
});

describe('a budget that ends first', () => {
  /** Sums that must be met exactly: a search has to branch, and each entry is one more question. */
  const asked: Question = {
    family: 'hyperplane',
    features: Array.from({ length: 6 }, (_, k) => ({ name: `f${k}`, type: 'integer', min: 0, max: 9 })),
    weights: [[7, 11, 13, 17, 19, 23]],
    bias: [-700.5],
    target: 1,
    row: { f0: 0, f1: 0, f2: 0, f3: 0, f4: 0, f5: 0 },
    rules: Object.fromEntries(Array.from({ length: 6 }, (_, k) => [`f${k}`, { max: 5, maxIncrease: 6, step: 1 }])),
    norm: 'l1',
    prices: {},
    constraints: [{ text: 'f0 + f1 + f2 <= 9', holds: () => true }],
    margin: 0,
    maxChanges: 5,
  };
  const reasonAt = async (effort: number) => {
    // No clock: what ends a search is its work.
    const plan = await prepare(loadModel(modelDocument(asked)), loadPolicy({ ...policyDocument(asked), effort }));
    return checkShape(plan.explain({ id: 'asked', features: asked.row }));
  };

  it('is told as undetermined, never as a fact, and the same every time', async () => {
    const settled = (await reasonAt(1e9)).reason!;
    expect(settled).toMatchObject({ minimal: true });
    const seen = new Set<string>();
    for (let effort = 1; effort < 1e6; effort *= 1.5) {
      const result = await reasonAt(effort);
      expect(result).toEqual(await reasonAt(effort));
      seen.add(String(result.reason!.minimal));
      expect(result.status).toBe('infeasible');
      const { blocking, minimal, relaxation, message } = result.reason!;
      if (minimal === true) expect(blocking).toHaveLength(settled.blocking!.length);
      else expect(message).toContain('it is undetermined whether all of these are needed');
      if (relaxation === null) expect(settled.relaxation).toBeNull();
      if (relaxation === 'undetermined') {
        expect(message).toContain('it is undetermined whether leaving out a single entry helps');
        expect(result.limitedBy).toBe('effort');
      }
    }
    expect([...seen].sort()).toEqual(['true', 'undetermined']);
  });
});
