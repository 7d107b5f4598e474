/** A receipt against the row, the model and the policy: offers, decision and status. */
import { describe, expect, it } from 'vitest';
import { prepare } from '../../../src/explain/plan.js';
import { loadModel } from '../../../src/models/load.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { offerFaults } from '../../../src/receipts/check-offer.js';
import { receiptOf } from '../../../src/receipts/receipt-issuer.js';

const TERMS = { validDays: 30, issuer: '', maxBytes: 20_000, software: 'test' };
const model = loadModel({
  schema: 'elsewise.model/v1',
  name: 'sum',
  family: 'hyperplane',
  features: [
    { name: 'x', type: 'continuous' },
    { name: 'y', type: 'continuous' },
  ],
  classes: ['no', 'yes'],
  parameters: { weights: [1, 1], bias: 0 },
  background: { quantiles: { x: [-5, 5], y: [-5, 5] }, mad: { x: 1, y: 1 } },
});
const NO_WAY = { features: { x: { change: 'never' }, y: { change: 'never' } } };
const planOf = (rules: object) =>
  prepare(
    model,
    loadPolicy({ schema: 'elsewise.policy/v1', name: 'p', target: 'yes', cost: { norm: 'l1' }, ...rules }),
    { now: () => performance.now() },
  );
const REJECTED = { x: -1, y: -1 };
const ACCEPTED = { x: 1, y: 1 };

/** The faults of the receipt of a row, after a forger changed parts of the receipt. */
async function faultsOf(features: Record<string, number>, forged: object, rules: object = {}): Promise<string[]> {
  const plan = await planOf(rules);
  const receipt = receiptOf(plan.explain({ id: 'a', features }), TERMS, new Date())!;
  return offerFaults({ ...receipt, ...forged }, { features }, plan);
}

describe('a receipt beside its row, model and policy', () => {
  it('fits with each status that solving again gives', async () => {
    expect(await faultsOf(REJECTED, {})).toEqual([]);
    expect(await faultsOf(ACCEPTED, {})).toEqual([]);
    expect(await faultsOf(REJECTED, {}, NO_WAY)).toEqual([]);
  });

  it.each([
    ['infeasible', REJECTED, {}, 'found'],
    ['already', REJECTED, {}, 'found'],
    ['already', REJECTED, NO_WAY, 'infeasible'],
    ['infeasible', ACCEPTED, {}, 'already'],
    ['not-found', ACCEPTED, {}, 'already'],
  ] as const)('that says %s of %o under %o is refuted: %s', async (status, row, rules, solved) => {
    expect(await faultsOf(row, { status, offers: [] }, rules)).toEqual([
      `the receipt says ${status}, and solving the row again gives ${solved}`,
    ]);
  });

  it('whose offer the model does not accept is wrong', async () => {
    const plan = await planOf({});
    const receipt = receiptOf(plan.explain({ id: 'a', features: REJECTED }), TERMS, new Date())!;
    const weaker = receipt.offers.map((offer) => ({ ...offer, changes: { x: -0.5 } }));
    expect(offerFaults({ ...receipt, offers: weaker }, { features: REJECTED }, plan)[0]).toContain(
      'offer 1 does not hold',
    );
  });
});
