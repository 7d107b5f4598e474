/** `levers`: the answers of a group of features are those of the policy that forbids all other features to change. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ResultDocument } from '../../../src/documents/result-document.js';
import { createResultWriter } from '../../../src/jobs/results/result-lines.js';
import { loadModel } from '../../../src/models/load.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { describeResult } from '../../../src/report/words.js';
import { ask, checkShape, planOf } from '../../support/asking.js';
import { creditModel, creditPolicy, edit } from '../../support/documents.js';
import { booleanPart, boundedPart, categoryPart, continuousPart, question } from '../../support/questions.js';
import { modelDocument, policyDocument, type Question } from '../../support/second-opinion.js';

const part = fc.oneof(boundedPart, booleanPart, categoryPart, continuousPart);

/** A question with up to three groups of its features, which may overlap. */
const levered = fc
  .tuple(
    question({ part, most: 4, capped: true, constraints: 1 }),
    fc.array(fc.nat(14), { minLength: 1, maxLength: 3 }),
  )
  .map(([asked, masks]) => {
    const names = asked.features.map(({ name }) => name);
    const groups = masks.map((mask) => names.filter((_, f) => ((mask + 1) >> f) & 1));
    const named = groups.map((group, k) => [`lever ${k}`, group.length ? group : names]);
    return { asked, levers: Object.fromEntries(named) as Record<string, string[]> };
  });

/** The same question with every feature outside the group forbidden. */
function closed(asked: Question, group: readonly string[]): Question {
  const rules = asked.features.map(({ name }) => [
    name,
    group.includes(name) ? (asked.rules[name] ?? {}) : { ...asked.rules[name], change: 'never' as const },
  ]);
  return { ...asked, rules: Object.fromEntries(rules) };
}

async function compare({ asked, levers }: { asked: Question; levers: Record<string, string[]> }): Promise<void> {
  const plan = await planOf(modelDocument(asked), { ...policyDocument(asked), levers });
  const result = checkShape(plan.explain({ id: 'asked', features: asked.row }));
  if (result.status === 'already') return;
  for (const [lever, group] of Object.entries(levers)) {
    const alone = await ask(closed(asked, group));
    const own = result.levers!.find((entry) => entry.lever === lever)!;
    const answers = result.counterfactuals.filter((answer) => answer.lever === lever);
    expect(own.status).toBe(alone.status);
    expect(answers.map(({ lever: _, ...answer }) => answer)).toEqual(alone.counterfactuals);
  }
  const costs = [...new Set(result.counterfactuals.map(({ lever }) => lever))].map(
    (lever) => result.counterfactuals.find((answer) => answer.lever === lever)!.cost,
  );
  expect(costs).toEqual([...costs].sort((a, b) => a - b));
}

describe('each lever', () => {
  it.each([1, 2])('is answered like the policy that forbids the rest, count %d', async (count) => {
    const arbitrary = levered.map(({ asked, levers }) => ({ asked: { ...asked, count }, levers }));
    await fc.assert(fc.asyncProperty(arbitrary, compare), { seed: Number(process.env.FC_SEED ?? 5), numRuns: 40 });
  });
});

const policy = {
  ...creditPolicy(),
  features: { income: { change: 'increase', max: 2000 } },
  levers: { earnings: ['income'], living: ['housing'], 'both at once': ['income', 'housing'] },
};
const person = { age: 30, income: 1500, housing: 'free' };

async function explain(changes: object = {}): Promise<ResultDocument> {
  const plan = await planOf(creditModel(), { ...policy, ...changes });
  return checkShape(plan.explain({ id: 'p', features: person }));
}

describe('a result with levers', () => {
  it('has answers with the name of their lever, and for the others the proof that there are none', async () => {
    // 0.3 + 3.0 + 0 - 3.1 = 0.2 is approved already: a poorer person is not.
    const plan = await planOf(creditModel(), policy);
    const poor = plan.explain({ id: 'p', features: { ...person, income: 1000, housing: 'rent' } });
    const { levers, status } = checkShape(poor);
    expect(status).toBe('found');
    expect(levers!.map(({ lever, status: own }) => `${lever} ${own}`)).toEqual([
      'earnings found',
      'living infeasible',
      'both at once found',
    ]);
    const living = levers![1].reason!;
    expect(living).toMatchObject({ code: 'infeasible', minimal: true, blocking: ['levers.living'] });
    expect(living.relaxation).toMatchObject({ entry: 'levers.living', proof: { kind: 'optimal' } });
    expect(poor.counterfactuals.map(({ lever }) => lever)).toEqual(['both at once', 'earnings']);
    for (const { proof } of poor.counterfactuals) expect(proof.lowerBound).not.toBeNull();
  });

  it('is infeasible when every lever is', async () => {
    const result = await explain({ levers: { living: ['housing'] }, target: { from: 0.99 } });
    expect(result).toMatchObject({ status: 'infeasible', counterfactuals: [], levers: [{ status: 'infeasible' }] });
    expect(result.reason!.message).toContain('no lever leads to the target');
  });

  it('is told by lever', async () => {
    const plan = await planOf(creditModel(), policy);
    const poor = plan.explain({ id: 'p', features: { ...person, income: 1000, housing: 'rent' } });
    const words = describeResult(poor, { features: plan.model.document.features });
    expect(words).toContain('By earnings alone it would have been approved');
    expect(words).toContain('By living alone nothing would have changed that. What stands in the way: levers.living.');
  });

  it('stands in a column of CSV, and a lever without an answer in the reason', async () => {
    const model = creditModel();
    const plan = await planOf(model, policy);
    const poor = plan.explain({ id: 'p', features: { ...person, income: 1000, housing: 'rent' } });
    const writer = createResultWriter('csv', loadModel(model), loadPolicy(policy));
    expect(writer.header).toContain(',changes,reason,lever,');
    const lines = writer.line(poor).trimEnd().split('\n');
    expect(lines.map((line) => line.split(',')[2])).toEqual(['1', '2']);
    expect(lines[1]).toContain('income from 1000 to 1551 EUR/month');
    expect(lines[0]).toContain('"by living: no change that the policy allows leads to the target: levers.living');
    expect(lines[0]).toContain('",both at once,');
    expect(lines[1]).toContain('",earnings,');
  });

  it('has a region for each of its answers where the policy asks for it', async () => {
    const plan = await planOf(creditModel(), { ...policy, region: true });
    const { counterfactuals } = checkShape(plan.explain({ id: 'p', features: { ...person, income: 1000 } }));
    expect(counterfactuals.map(({ lever }) => lever)).toEqual(['both at once', 'earnings']);
    for (const { region } of counterfactuals) expect(region!.proof.kind).toBe('proved');
  });
});

describe('a policy with wrong levers is refused with the place', () => {
  it.each([
    [['levers'], { earnings: ['incom'] }, 'policy.levers.earnings[0]: unknown feature "incom", did you mean "income"?'],
    [['levers'], { earnings: [] }, 'policy.levers.earnings'],
    [['levers'], {}, 'policy.levers'],
  ])('%j %j', async (path, levers, expected) => {
    await expect(async () => planOf(creditModel(), edit(policy, path, levers))).rejects.toThrow(expected);
  });
});
