/**
 * Why there is no answer, on worlds so small that every policy made of some of the entries is answered by trying all rows: steps off
 * the decimals, rows outside their bounds, constraints given twice, caps, ranks, several families.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Reason } from '../../../src/documents/result-document.js';
import { checkShape, planOf } from '../../support/asking.js';
import { costsOfAnswers, judgeOf, modelOf, policyOf, type SmallWorld, smallWorld } from '../../support/small-worlds.js';

function entriesOf({ rules, constraints, maxChanges }: SmallWorld): string[] {
  const ofRules = Object.entries(rules).flatMap(([name, rule]) =>
    Object.keys(rule).map((key) => `features.${name}.${key}`),
  );
  const ofConstraints = constraints.map((_, k) => `constraints[${k}]`);
  return [...ofRules, ...ofConstraints, ...(maxChanges === undefined ? [] : ['maxChanges'])];
}

function under(world: SmallWorld, kept: readonly string[]): SmallWorld {
  const { rules, constraints, maxChanges } = world;
  const ruleOf = (name: string) =>
    Object.fromEntries(Object.entries(rules[name]).filter(([key]) => kept.includes(`features.${name}.${key}`)));
  return {
    ...world,
    rules: Object.fromEntries(Object.keys(rules).map((name) => [name, ruleOf(name)])),
    constraints: constraints.filter((_, k) => kept.includes(`constraints[${k}]`)),
    maxChanges: kept.includes('maxChanges') ? maxChanges : undefined,
  };
}

const without = (entries: readonly string[], entry: string) => entries.filter((other) => other !== entry);

/** What is wrong with a reason, by trying everything. */
function faultsOf(world: SmallWorld, reason: Reason): string[] {
  const reaches = judgeOf(world);
  const costs = (kept: readonly string[]) => costsOfAnswers(under(world, kept), reaches);
  const all = entriesOf(world);
  const { blocking = [], minimal, relaxation } = reason;
  const faults: string[] = [];
  if (costs(blocking).length) faults.push('the blocking set does not block');
  for (const entry of blocking)
    if (minimal === true && !costs(without(blocking, entry)).length) faults.push(`${entry} is not needed`);
  const cheapest = (entry: string) => Math.min(Infinity, ...costs(without(all, entry)));
  const best = Math.min(Infinity, ...all.map(cheapest));
  if (relaxation === null && best < Infinity) faults.push(`an entry helps, at ${best}`);
  if (relaxation === null || relaxation === undefined || relaxation === 'undetermined') return faults;
  const { entry, cost, proof } = relaxation;
  if (!(Math.abs(cheapest(entry) - cost) <= 1e-6 * Math.max(1, cost)) && proof.kind === 'optimal')
    faults.push(`without ${entry} the cheapest costs ${cheapest(entry)}, not ${cost}`);
  if ((proof.lowerBound ?? 0) > best + 1e-6 * Math.max(1, best))
    faults.push(`the bound ${proof.lowerBound} is above ${best}`);
  return faults;
}

const blocked = smallWorld().filter((world) => {
  const reaches = judgeOf(world);
  return !reaches(world.row) && costsOfAnswers(world, reaches).length === 0;
});

describe('on small worlds', () => {
  it('what is said of entries is so, and most is said', async () => {
    const count = { rows: 0, settled: 0 };
    await fc.assert(
      fc.asyncProperty(blocked, async (world) => {
        const plan = await planOf(modelOf(world), policyOf(world));
        const { status, reason } = checkShape(plan.explain({ id: 'small', features: world.row }));
        expect(['infeasible', 'not-found']).toContain(status);
        if (status === 'infeasible') expect(faultsOf(world, reason!)).toEqual([]);
        count.rows++;
        count.settled += +(reason!.minimal === true && isSettled(reason!.relaxation));
      }),
      { seed: Number(process.env.FC_SEED ?? 12), numRuns: Number(process.env.FC_RUNS ?? 150) },
    );
    expect(count.settled / count.rows).toBeGreaterThan(SETTLED);
  });
});

/** The share of rows of which all is said. */
const SETTLED = 0.85;

const isSettled = (relaxation: Reason['relaxation']): boolean =>
  relaxation === null || (typeof relaxation === 'object' && relaxation.proof.kind === 'optimal');
