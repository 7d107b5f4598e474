/** Networks: scores by hand, refusals by path, and layers that threads share. */
import { describe, expect, it } from 'vitest';
import { loadModel } from '../../../src/models/load.js';
import { packModel, unpackModel } from '../../../src/models/packed-model.js';
import { faultOf } from '../../support/documents.js';
import { networkDocument } from '../../support/random-networks.js';

const features = [
  { name: 'a', type: 'continuous' },
  { name: 'b', type: 'continuous' },
];
const hidden = {
  weights: [
    [1, -1],
    [2, 1],
    [-1, 0.5],
  ],
  bias: [0.5, -1, 0],
  activation: 'relu',
};
const documentOf = (layers: unknown, classes?: string[]) => networkDocument(features, layers, classes);
const one = (activation: string) => ({ weights: [[1, -0.5, 2]], bias: [0.25], activation });
const two = ['no', 'yes'];

describe('scores', () => {
  // relu(1 - 2 + 0.5) = 0, relu(2 + 2 - 1) = 3, relu(-1 + 1 + 0) = 0  ->  z = -1.5 + 0.25
  const row = { a: 1, b: 2 };

  it('are those of the last layer over the activations', () => {
    const p = 1 / (1 + Math.exp(1.25));
    expect(loadModel(documentOf([hidden, one('logistic')], two)).predict(row)).toEqual({
      prediction: 'no',
      scores: { no: 1 - p, yes: p },
    });
    expect(loadModel(documentOf([hidden, one('identity')])).predict(row)).toEqual({ prediction: -1.25, scores: {} });
  });

  it('run through tanh and logistic units', () => {
    const layers = [
      { weights: [[1, 0]], bias: [0], activation: 'tanh' },
      { weights: [[2]], bias: [1], activation: 'logistic' },
      { weights: [[3]], bias: [0], activation: 'identity' },
    ];
    const { prediction } = loadModel(documentOf(layers)).predict(row);
    expect(prediction).toBeCloseTo(3 / (1 + Math.exp(-(2 * Math.tanh(1) + 1))), 14);
  });

  it('of several classes sum to 1, and ties go to the lower class', () => {
    const last = {
      weights: [
        [1, 0, 0],
        [1, 0, 0],
        [0, 0, 1],
      ],
      bias: [0, 0, 0],
      activation: 'softmax',
    };
    const { prediction, scores } = loadModel(documentOf([hidden, last], ['x', 'y', 'z'])).predict(row);
    expect(prediction).toBe('x');
    expect(Object.values(scores).reduce((sum, score) => sum + score, 0)).toBeCloseTo(1, 14);
  });
});

describe('a document', () => {
  const faults: [string, unknown, string[] | undefined, string, string][] = [
    [
      'a row of the wrong length',
      [{ ...hidden, weights: [[1], [2, 1], [3, 4]] }, one('logistic')],
      two,
      'layers[0].weights[0]',
      'expected 2',
    ],
    [
      'a layer that does not fit the one before',
      [hidden, { weights: [[1, 2]], bias: [0], activation: 'logistic' }],
      two,
      'layers[1].weights[0]',
      'unit of layers[0]',
    ],
    ['too few biases', [{ ...hidden, bias: [1] }, one('logistic')], two, 'layers[0].bias', 'expected 3'],
    [
      'softmax in the middle',
      [{ ...hidden, activation: 'softmax' }, one('logistic')],
      two,
      'layers[0].activation',
      'only the last layer',
    ],
    ['the wrong end for two classes', [hidden, one('identity')], two, 'layers[1].activation', 'logistic'],
    ['the wrong end for a regressor', [hidden, one('logistic')], undefined, 'layers[1].activation', 'identity'],
    [
      'too few units for its classes',
      [hidden, one('logistic')],
      ['x', 'y', 'z'],
      'layers[1].weights',
      'expected 3 units',
    ],
  ];

  it.each(faults)('with %s is refused by its path', (_, layers, classes, path, words) => {
    const fault = faultOf(() => loadModel(documentOf(layers, classes)));
    expect(fault).toMatchObject({ code: 'bad-document', path: `model.parameters.${path}` });
    expect(fault.message).toContain(words);
  });
});

it('shares its layers with threads', () => {
  const loaded = loadModel(documentOf([hidden, one('logistic')], two));
  const packed = packModel(loaded);
  expect(JSON.stringify(packed.document)).not.toContain('layers');
  const again = unpackModel(packed);
  expect(again.model.shared!.numbers).toBe(loaded.model.shared!.numbers);
  for (const row of [
    { a: 1, b: 2 },
    { a: -3, b: 0.5 },
  ])
    expect(again.predict(row)).toEqual(loaded.predict(row));
});
