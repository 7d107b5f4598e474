/** Writes the model of this example: a small logistic model of credit decisions with 400 rows of its training set. */
import { generatorOf, within, writeModel } from '../sample-rows.mjs';

const SAMPLES = 400;
const HOUSING = ['own', 'rent', 'free'];
const WEIGHTS = [0.01, 0.0016, -0.0025, 0.012, 0.35, -0.2, 0];
const BIAS = -3.2;

const { random, normal } = generatorOf(7);

function sample() {
  const wealth = normal();
  const age = within(42 + 11 * normal(), 18, 80);
  const income = 10 * within(210 + 60 * wealth + 25 * normal(), 80, 800);
  const debt = 10 * within(35 - 12 * wealth + 15 * normal(), 0, 200);
  const months = within(60 + 20 * wealth + 35 * normal(), 0, 480);
  const housing = HOUSING[random() < 0.45 + 0.15 * wealth ? 0 : random() < 0.85 ? 1 : 2];
  return [age, income, debt, months, housing];
}

const samples = Array.from({ length: SAMPLES }, sample);
const model = {
  schema: 'elsewise.model/v1',
  name: 'small-credit',
  family: 'logistic-regression',
  features: [
    { name: 'age', type: 'integer', min: 18, max: 80, unit: 'years' },
    { name: 'income', type: 'integer', min: 800, max: 8000, unit: 'EUR/month' },
    { name: 'monthlyDebt', type: 'integer', min: 0, max: 2000, unit: 'EUR/month' },
    { name: 'monthsAtJob', type: 'integer', min: 0, max: 480, unit: 'months' },
    { name: 'housing', type: 'categorical', categories: HOUSING },
  ],
  classes: ['rejected', 'approved'],
  parameters: { weights: WEIGHTS, bias: BIAS, threshold: 0.6 },
  background: { samples },
};
writeModel(model, import.meta.url);
