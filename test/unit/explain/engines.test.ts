/** Which engines a plan may need. */
import { expect, it } from 'vitest';
import { engines } from '../../../src/explain/engines.js';
import { createPlan } from '../../../src/explain/plan.js';
import { loadModel } from '../../../src/models/load.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { MODEL, TREE } from '../../integration/small-task.js';

const enginesOf = (model: unknown, more: object = {}) =>
  createPlan(loadModel(model), loadPolicy({ schema: 'elsewise.policy/v1', ...more })).engines;

it('a plan names the engines of its ladders', () => {
  expect(engines.map(({ name }) => name)).toEqual(['HiGHS']);
  expect(enginesOf(MODEL, { target: 'yes' })).toEqual(engines);
  expect(enginesOf(TREE, { target: 'yes' })).toEqual([]);
});

it('a plan names the engines that targets of rows may need', () => {
  expect(enginesOf(MODEL)).toEqual(engines);
  expect(enginesOf(MODEL, { target: 'yes', solvers: ['hyperplane'] })).toEqual(engines);
  expect(enginesOf(TREE)).toEqual([]);
});
