/** Features that no output depends on. */
import { expect, it } from 'vitest';
import { findEffects } from '../../../src/models/effect.js';
import { loadModel } from '../../../src/models/load.js';
import { creditModel, regressionModel, stump } from '../../support/documents.js';

const tree = {
  schema: 'elsewise.model/v1',
  name: 'm',
  family: 'decision-tree',
  classes: ['no', 'yes'],
  features: [
    { name: 'a', type: 'continuous' },
    { name: 'b', type: 'continuous' },
  ],
  parameters: stump(1e9),
};

it('are proved for trees, whatever the thresholds', () => {
  expect(findEffects(loadModel(tree))).toEqual({ none: ['b'], isProved: true });
  const mixed = [{ type: 'affine', matrix: [[1, 1]], offset: [0] }];
  expect(findEffects(loadModel({ ...tree, preprocessing: mixed }))).toEqual({ none: [], isProved: true });
});

it('are found by trying for other families', () => {
  expect(findEffects(loadModel(creditModel()))).toEqual({ none: [], isProved: false });
  const idle = { ...regressionModel(), parameters: { weights: [2, 0], bias: 1 } };
  expect(findEffects(loadModel(idle))).toEqual({ none: ['z'], isProved: false });
  const flat = { ...creditModel(), parameters: { weights: [0.01, 0, 0, 0, 0], bias: -1 } };
  expect(findEffects(loadModel(flat))!.none).toEqual(['income', 'housing']);
});
