/** A receipt against the row, the model and the policy: offers, decision and status. */
import { describe, expect, it } from 'vitest';
import type { ReceiptDocument } from '../../../src/documents/receipt-document.js';
import { prepare } from '../../../src/explain/plan.js';
import { loadModel } from '../../../src/models/load.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { checkOffers, FITS, originFaults } from '../../../src/receipts/check-offer.js';
import { receiptOf } from '../../../src/receipts/receipt-issuer.js';

type Offers = ReceiptDocument['offers'];
const proved = (offer: Offers[number], proof: Partial<Offers[number]['proof']>): Offers[number] => ({
  ...offer,
  proof: { ...offer.proof, ...proof },
});

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
  return [...checkOffers({ ...receipt, ...forged }, { features }, plan).faults];
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
    expect(checkOffers({ ...receipt, offers: weaker }, { features: REJECTED }, plan).faults[0]).toContain(
      'offer 1 does not hold',
    );
  });

  it('says whether solving again gives the same, in words', async () => {
    const plan = await planOf({ count: 2 });
    const receipt = receiptOf(plan.explain({ id: 'a', features: REJECTED }), TERMS, new Date())!;
    const noted = (one: ReceiptDocument) => checkOffers(one, { features: REJECTED }, plan);
    expect(noted(receipt).notes).toContain(FITS.repeated);
    expect(noted({ ...receipt, offers: receipt.offers.slice(0, 1) })).toMatchObject({
      notes: expect.arrayContaining([FITS.other]),
      faults: [],
    });
  });

  it.each<[string, (offers: Offers) => Offers, string]>([
    ['an invented lever', ([first]) => [{ ...first, lever: 'none' }], 'the policy has no lever "none"'],
    ['the same offer twice', ([first]) => [first, first], 'offer 2 stands in the receipt twice'],
    ['offers out of order', ([first, second]) => [second, first], 'costs less than the offer before'],
    ['a dearer offer as the optimum', ([, second]) => [second], 'no answer costs less than'],
    ['an optimum with a gap', ([first]) => [proved(first, { gap: 0.3 })], 'is optimal and has the gap 0.3'],
    ['a bound above the cost', ([first]) => [proved(first, { lowerBound: 2 * first.cost })], 'is above the cost'],
    ['an optimum without a bound', ([first]) => [proved(first, { lowerBound: null })], 'has no bound'],
    [
      'a bound that is no bound',
      ([, second]) => [proved(second, { kind: 'gap', lowerBound: second.cost * 0.9, gap: 0.1 })],
      'no answer costs less',
    ],
    ['a gap of another bound', ([first]) => [proved(first, { kind: 'gap', gap: 0.5 })], 'the gap 0.5 is not that of'],
    ['no offers', () => [], 'the receipt says found, and has 0 offers'],
  ])('with %s is refuted', async (_, forge, fault) => {
    const plan = await planOf({ count: 2, features: { y: { max: -0.2 } } });
    const receipt = receiptOf(plan.explain({ id: 'a', features: REJECTED }), TERMS, new Date())!;
    expect(receipt.offers.length).toBe(2);
    expect(receipt.offers[1].cost).toBeGreaterThan(receipt.offers[0].cost * 1.2);
    const { faults } = checkOffers({ ...receipt, offers: forge(receipt.offers) }, { features: REJECTED }, plan);
    expect(faults.join()).toContain(fault);
  });

  it('of several targets fits, each offer with its own target', async () => {
    const { target: _, ...rules } = { target: undefined, targets: ['yes', 'no'] };
    const plan = await prepare(
      model,
      loadPolicy({ schema: 'elsewise.policy/v1', name: 'p', cost: { norm: 'l1' }, ...rules }),
      { now: () => performance.now() },
    );
    const receipt = receiptOf(plan.explain({ id: 'a', features: REJECTED }), TERMS, new Date())!;
    expect(checkOffers(receipt, { features: REJECTED }, plan).faults).toEqual([]);
  });

  it('names its model and its policy by name, version and digest', () => {
    const [model, policy] = [
      { name: 'm', version: 3, digest: 'sha256:1' },
      { name: 'p', digest: 'sha256:2' },
    ];
    const receipt = { model, policy } as ReceiptDocument;
    expect(originFaults(receipt, { model: { ...model, version: null }, policy })).toEqual([]);
    expect(originFaults(receipt, { model: { ...model, version: 4 }, policy })[0]).toContain('version 3');
    expect(originFaults(receipt, { model: { ...model, name: 'other' }, policy })[0]).toContain('calls the model "m"');
    expect(originFaults(receipt, { model, policy: { ...policy, name: 'q' } })[0]).toContain('calls the policy "p"');
  });
});
