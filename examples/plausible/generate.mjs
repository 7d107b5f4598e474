/** Writes the model of this example, into the folder that is named or into this one: `node generate.mjs [FOLDER]`. */
import { generatorOf, within, writeModel } from '../sample-rows.mjs';

const SAMPLES = 200;
const MEAN = [2400, 600, 60];
const SCALE = [800, 300, 40];

const { normal } = generatorOf(11);

/** People with more income have more debt and longer jobs: a low income without any debt is rare. */
function sample() {
  const wealth = normal();
  return [
    10 * within(240 + 70 * wealth + 25 * normal(), 80, 800),
    10 * within(60 + 22 * wealth + 12 * normal(), 0, 200),
    within(60 + 25 * wealth + 20 * normal(), 0, 480),
  ];
}

/** One unit between the inputs and themselves: the direction in which all three numbers grow together. */
const DIRECTION = [0.6, 0.56, 0.57];
const autoencoder = {
  layers: [
    { weights: [DIRECTION], bias: [0], activation: 'identity' },
    { weights: DIRECTION.map((value) => [value]), bias: [0, 0, 0], activation: 'identity' },
  ],
};

const model = {
  schema: 'elsewise.model/v1',
  name: 'plausible-credit',
  family: 'logistic-regression',
  features: [
    { name: 'income', type: 'integer', min: 800, max: 8000, unit: 'EUR/month' },
    { name: 'monthlyDebt', type: 'integer', min: 0, max: 2000, unit: 'EUR/month' },
    { name: 'monthsAtJob', type: 'integer', min: 0, max: 480, unit: 'months' },
  ],
  classes: ['rejected', 'approved'],
  preprocessing: [{ type: 'scale', mean: MEAN, scale: SCALE }],
  parameters: { weights: [1.4, -1.6, 0.5], bias: -0.6 },
  background: { samples: Array.from({ length: SAMPLES }, sample), autoencoder },
};
writeModel(model, import.meta.url);
