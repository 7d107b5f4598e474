/** Every way in which a model document can be wrong is refused with the place and what is wrong there. */
import { describe, expect, it } from 'vitest';
import { loadModel } from '../../../src/models/load.js';
import { creditModel, edit, faultOf, regressionModel } from '../../support/documents.js';

type Wrong = [what: string, path: (string | number)[], value: unknown, place: string, message: string | RegExp];

const faultWith = (path: (string | number)[], value: unknown) =>
  faultOf(() => loadModel(edit(creditModel(), path, value)));

function refuses(cases: Wrong[]): void {
  it.each(cases)('%s', (_, path, value, place, message) => {
    const fault = faultWith(path, value);
    expect({ code: fault.code, exit: fault.exitCode, path: fault.path }).toEqual({
      code: 'bad-document',
      exit: 2,
      path: place,
    });
    expect(fault.message.startsWith(`${place}: `)).toBe(true);
    const said = fault.message.slice(place.length + 2);
    if (typeof message === 'string') expect(said).toBe(message);
    else expect(said).toMatch(message);
  });
}

it('the document that the cases spoil is right', () => {
  expect(loadModel(creditModel()).predict({ age: 41, income: 2300, housing: 'own' }).prediction).toBe('approved');
});

describe('an unknown key is named with its path and the nearest known one', () => {
  refuses([
    ['at the top', ['nam'], 'x', 'model.nam', 'unknown key, did you mean "name"?'],
    ['in a feature', ['features', 0, 'mni'], 3, 'model.features[0].mni', 'unknown key, did you mean "min"?'],
    [
      'in the parameters',
      ['parameters', 'treshold'],
      0.5,
      'model.parameters.treshold',
      'unknown key, did you mean "threshold"?',
    ],
    ['in the background', ['background'], { madd: {} }, 'model.background.madd', 'unknown key, did you mean "mad"?'],
    [
      'in the probes',
      ['probes'],
      { rows: [], scores: [], precison: 'float32' },
      'model.probes.precison',
      'unknown key, did you mean "precision"?',
    ],
    [
      'far from all known',
      ['background'],
      { medians: {} },
      'model.background.medians',
      /^unknown key; known are mad, std, quantiles, shares, covariance, samples, labels, isolationForest, autoencoder, mixture$/,
    ],
  ]);

  it('in a step of the preprocessing', () => {
    const fault = faultWith(
      ['preprocessing'],
      [{ type: 'scale', mean: [0, 0, 0, 0, 0], scale: [1, 1, 1, 1, 1], offfset: [1] }],
    );
    expect(fault.path).toBe('model.preprocessing[0].offfset');
  });

  it('of another type of feature, without suggesting the key itself', () => {
    const fault = faultWith(['features', 0, 'decimals'], 1);
    expect(fault.path).toBe('model.features[0].decimals');
    expect(fault.message).not.toContain('did you mean "decimals"');
  });
});

describe('a wrong shape', () => {
  refuses([
    ['another schema', ['schema'], 'elsewise.model/v2', 'model.schema', /"elsewise\.model\/v1"/],
    ['no schema', ['schema'], undefined, 'model.schema', /"elsewise\.model\/v1"/],
    ['a name with a space', ['name'], 'a b', 'model.name', /^a name is letters, digits/],
    [
      'a misspelt family',
      ['family'],
      'logistic-regresion',
      'model.family',
      'unknown family "logistic-regresion", did you mean "logistic-regression"?',
    ],
    [
      'an unheard-of family',
      ['family'],
      'oracle',
      'model.family',
      /^unknown family "oracle", known are hyperplane, logistic-regression, /,
    ],
    ['no features', ['features'], [], 'model.features', 'must not be empty'],
    ['features by name', ['features'], { age: {} }, 'model.features', 'expected a list, got an object'],
    [
      'a feature of no known type',
      ['features', 0, 'type'],
      'int',
      'model.features[0].type',
      /^expected "continuous", "integer", "boolean" or "categorical"/,
    ],
    [
      'an unknown encoding',
      ['features', 2, 'encoding'],
      'onehot',
      'model.features[2].encoding',
      /^expected "one-hot" or "ordinal"/,
    ],
    [
      'a category without categories',
      ['features', 2, 'categories'],
      [],
      'model.features[2].categories',
      'must not be empty',
    ],
    [
      'half a decimal',
      ['features', 1, 'decimals'],
      1.5,
      'model.features[1].decimals',
      'expected a whole number, got 1.5',
    ],
    ['a bound in words', ['features', 0, 'min'], '18', 'model.features[0].min', 'expected a finite number, got "18"'],
    ['a null bound', ['features', 0, 'min'], null, 'model.features[0].min', 'expected a finite number, got null'],
    ['no parameters', ['parameters'], undefined, 'model.parameters', /./],
    ['parameters as a list', ['parameters'], [], 'model.parameters', /./],
    ['no bias', ['parameters', 'bias'], undefined, 'model.parameters.bias', 'is missing: expected a finite number'],
    [
      'weights by name',
      ['parameters', 'weights'],
      { age: 1 },
      'model.parameters.weights',
      'expected a list, got an object',
    ],
    ['a single class', ['classes'], ['approved'], 'model.classes', /2/],
    ['classes that are numbers', ['classes'], [0, 1], 'model.classes[0]', /^expected text, got 0/],
    [
      'a sample of another length',
      ['background'],
      { samples: [[41, 2300]] },
      'model.background.samples[0]',
      'expected 3 values, one per feature, got 2',
    ],
    [
      'a sample of no known category',
      ['background'],
      { samples: [[41, 2300, 'tent']] },
      'model.background.samples[0][2]',
      /unknown category "tent"/,
    ],
    [
      'labels for other samples',
      ['background'],
      { samples: [[41, 2300, 'own']], labels: ['a', 'b'] },
      'model.background.labels',
      '2 labels for 1 samples',
    ],
    ['a statistic of no feature', ['background'], { std: { agee: 1 } }, 'model.background.std.agee', /feature/],
    [
      'quantiles that fall',
      ['background'],
      { quantiles: { age: [30, 20, 40] } },
      'model.background.quantiles.age',
      /ascend/,
    ],
    [
      'a covariance that is not square',
      ['background'],
      { covariance: { features: ['age', 'income'], matrix: [[1, 0]] } },
      'model.background.covariance.matrix',
      /2 x 2/,
    ],
    [
      'a covariance of no feature',
      ['background'],
      { covariance: { features: ['agee'], matrix: [[1]] } },
      'model.background.covariance.features[0]',
      /feature/,
    ],
    ['a negative spread', ['background'], { mad: { age: -1 } }, 'model.background.mad.age', /0/],
  ]);

  it.each([[null], [[]], ['model'], [3], [undefined]])('%j is no model document at all', (value) => {
    expect(faultOf(() => loadModel(value))).toMatchObject({ code: 'bad-document', path: 'model' });
  });
});

describe('a number that is not finite', () => {
  refuses([
    [
      'NaN in a weight',
      ['parameters', 'weights', 2],
      Number.NaN,
      'model.parameters.weights[2]',
      'expected a finite number, got NaN',
    ],
    [
      'Infinity in a bound',
      ['features', 0, 'max'],
      Infinity,
      'model.features[0].max',
      'expected a finite number, got Infinity',
    ],
    [
      '-Infinity in the bias',
      ['parameters', 'bias'],
      -Infinity,
      'model.parameters.bias',
      'expected a finite number, got -Infinity',
    ],
    [
      'NaN in a statistic',
      ['background'],
      { mad: { age: Number.NaN } },
      'model.background.mad.age',
      'expected a finite number, got NaN',
    ],
    [
      'NaN in a probe',
      ['probes'],
      { rows: [[41, 2300, 'own']], scores: [[Number.NaN, 1]] },
      'model.probes.scores[0][0]',
      'expected a finite number, got NaN',
    ],
  ]);

  it('1e999 in JSON', () => {
    const text = JSON.stringify(creditModel()).replace('"bias":-3.1', '"bias":-1e999');
    expect(faultOf(() => loadModel(JSON.parse(text))).message).toBe(
      'model.parameters.bias: expected a finite number, got -Infinity',
    );
  });
});

describe('what contradicts itself', () => {
  refuses([
    ['a feature named twice', ['features', 1, 'name'], 'age', 'model.features[1].name', '"age" is used twice'],
    [
      'a category listed twice',
      ['features', 2, 'categories'],
      ['own', 'rent', 'own'],
      'model.features[2].categories',
      'a category is listed twice',
    ],
    ['a class listed twice', ['classes'], ['approved', 'approved'], 'model.classes', 'a class is listed twice'],
    [
      'three classes for a two-class family',
      ['classes'],
      ['a', 'b', 'c'],
      'model.classes',
      'logistic-regression has exactly two classes, got 3',
    ],
    [
      'a classifier without classes',
      ['classes'],
      undefined,
      'model.classes',
      'logistic-regression is a classifier and needs its classes',
    ],
    ['min above max', ['features', 0, 'min'], 101, 'model.features[0].min', '101 is above max 100'],
    [
      'one weight too few for the one-hot group',
      ['parameters', 'weights'],
      [0.01, 0.002, 0.4, -0.3],
      'model.parameters.weights',
      'expected 5 entries, one per model column, got 4',
    ],
    [
      'one category too few for the weights',
      ['features', 2, 'categories'],
      ['own', 'rent'],
      'model.parameters.weights',
      'expected 4 entries, one per model column, got 5',
    ],
    [
      'an ordinal group with one-hot weights',
      ['features', 2, 'encoding'],
      'ordinal',
      'model.parameters.weights',
      'expected 3 entries, one per model column, got 5',
    ],
    [
      'a scale for other columns',
      ['preprocessing'],
      [{ type: 'scale', mean: [0], scale: [1] }],
      'model.preprocessing[0].mean',
      'expected 5 numbers, one per model column, got 1',
    ],
    [
      'a scale of zero',
      ['preprocessing'],
      [{ type: 'scale', mean: [0, 0, 0, 0, 0], scale: [1, 1, 0, 1, 1] }],
      'model.preprocessing[0].scale[2]',
      'a scale of 0 divides by zero',
    ],
    [
      'a ragged matrix',
      ['preprocessing'],
      [
        {
          type: 'affine',
          matrix: [
            [1, 2, 3, 4, 5],
            [1, 2],
          ],
          offset: [0, 0],
        },
      ],
      'model.preprocessing[0].matrix[1]',
      'expected 5 numbers, one per model column, got 2',
    ],
    [
      'weights for the columns before a projection',
      ['preprocessing'],
      [{ type: 'affine', matrix: [[1, 2, 3, 4, 5]], offset: [0] }],
      'model.parameters.weights',
      /^expected 1 entr/,
    ],
    [
      'an imputer for other columns',
      ['preprocessing'],
      [{ type: 'impute', values: [1] }],
      'model.preprocessing[0].values',
      'expected 5 numbers, one per model column, got 1',
    ],
  ]);

  it('an imputer behind a projection', () => {
    const steps = [
      { type: 'affine', matrix: [[1, 2, 3, 4, 5]], offset: [0] },
      { type: 'impute', values: [0] },
    ];
    expect(faultWith(['preprocessing'], steps)).toMatchObject({ code: 'unsupported', path: 'model.preprocessing[1]' });
  });

  it('a regressor with classes', () => {
    const fault = faultOf(() => loadModel({ ...regressionModel(), classes: ['a', 'b'] }));
    expect(fault.message).toBe('model.classes: linear-regression is a regressor and has no classes');
  });

  it.each([0, 1, -0.5, 1.5])('a threshold of %d, which says that it must lie between 0 and 1', (threshold) => {
    const fault = faultWith(['parameters', 'threshold'], threshold);
    expect(fault.path).toBe('model.parameters.threshold');
    expect(fault.message).toMatch(
      threshold <= 0 ? /(above|between|greater|more|>)\D*0\b/ : /(below|between|less|<)\D*(0 and )?1\b/,
    );
  });
});

it('several faults are listed together, the first one as the path', () => {
  const document = edit(edit(creditModel(), ['features', 0, 'mni'], 1), ['background'], { medians: {} });
  const fault = faultOf(() => loadModel(document));
  expect(fault.path).toBe('model.features[0].mni');
  expect(fault.message).toContain('\nmodel.background.medians: unknown key');
});

it('many faults are counted, not all listed', () => {
  const weights = Array.from({ length: 9 }, () => Number.NaN);
  const { message } = faultWith(['parameters', 'weights'], weights);
  expect(message.split('\n')).toHaveLength(6);
  expect(message.endsWith('(and 4 more)')).toBe(true);
});
