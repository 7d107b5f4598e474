/** Covering a box by many pieces is counted work: it ends with the budget, by no clock. */
import { expect, it } from 'vitest';
import { coverBox } from '../../../src/explain/regions/box-cover.js';
import { loadModel } from '../../../src/models/load.js';
import { createDomain } from '../../../src/policy/domain.js';
import { Budget } from '../../../src/problems/budget.js';
import { boxEffort } from '../../../src/proofs/box-effort.js';

it('looks at no more pieces than its effort pays for', () => {
  const { space } = loadModel({
    schema: 'elsewise.model/v1',
    name: 'm',
    family: 'hyperplane',
    classes: ['n', 'y'],
    features: [{ name: 'a', type: 'continuous' }],
    parameters: { weights: [1], bias: 0 },
  });
  const domain = createDomain(space);
  [domain.lower[0], domain.upper[0]] = [0, 1];
  let looks = 0;
  const piece = {
    proof: { prove: () => 'unknown', ends: () => null } as never,
    contains: () => ++looks < 0,
    work: 10,
  };
  const cover = {
    pieces: Array.from({ length: 500 }, () => piece),
    effort: boxEffort(40_000, new Budget(1000, { now: () => 0 }, 60_000)),
    isAnswer: () => true,
  };
  const box = { domain, varies: Uint8Array.of(1), at: Float64Array.of(0.5) };
  expect(coverBox(box, cover)).toBe('unknown');
  expect(looks).toBeLessThanOrEqual(100);
});
