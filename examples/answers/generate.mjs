/** Writes the model of this example: a small logistic model of credit decisions with 400 rows of its training set. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SAMPLES = 400;
const HOUSING = ['own', 'rent', 'free'];
const WEIGHTS = [0.01, 0.0016, -0.0025, 0.012, 0.35, -0.2, 0];
const BIAS = -3.2;

/** A linear congruential generator: the same rows every time. */
let state = 7;
function random() {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
}
/** About normal: the sum of twelve numbers between 0 and 1. */
const normal = () => Array.from({ length: 12 }, random).reduce((sum, number) => sum + number, -6);
const within = (value, low, high) => Math.min(high, Math.max(low, Math.round(value)));

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
const folder = process.argv[2] ?? fileURLToPath(new URL('.', import.meta.url));
const lines = JSON.stringify(model, null, 2).replace(
  /\[\s+((?:[^[\]{}]|\n)*?)\s+\]/g,
  (_, list) => `[${list.replace(/\s*\n\s*/g, ' ')}]`,
);
writeFileSync(join(folder, 'model.json'), `${lines}\n`);
