/** Writes neighbours.json and kernel.json, into the folder that is named or into this one: `node generate.mjs [FOLDER]`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = process.argv[2] ?? fileURLToPath(new URL('.', import.meta.url));

/** The same numbers on every machine. */
let state = 20;
const random = () => {
  state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
  return state / 0x80000000;
};
const between = (low, high) => low + (high - low) * random();

const features = [
  { name: 'income', type: 'continuous', min: 0, max: 8000, unit: 'EUR/month' },
  { name: 'debt', type: 'continuous', min: 0, max: 3000, unit: 'EUR/month' },
  { name: 'years', type: 'integer', min: 0, max: 40, unit: 'years at the bank' },
];
const preprocessing = [{ type: 'scale', mean: [3000, 800, 8], scale: [1500, 500, 6] }];
const scaled = (row) => row.map((value, i) => (value - preprocessing[0].mean[i]) / preprocessing[0].scale[i]);

const rows = Array.from({ length: 120 }, () => [
  Math.round(between(800, 7000)),
  Math.round(between(0, 2000)),
  Math.floor(between(0, 25)),
]);
const paid = ([income, debt, years]) => income - 1.6 * debt + 60 * years + between(-700, 700) > 2000;
const labels = rows.map((row) => (paid(row) ? 'approved' : 'rejected'));
const background = { samples: rows, labels };
const header = { schema: 'elsewise.model/v1', features, classes: ['rejected', 'approved'], preprocessing, background };

const neighbours = { samples: rows.map(scaled), labels, k: 5, metric: 'euclidean', weights: 'uniform' };

/** Every twelfth row is a support vector: for its class, and against the other. */
const chosen = rows.map((_, i) => i).filter((i) => i % 12 === 0);
const kernel = {
  supportVectors: chosen.map((i) => scaled(rows[i])),
  kernel: { type: 'rbf', gamma: 0.4 },
  dualCoefficients: chosen.map((i) => (labels[i] === 'approved' ? 1 : -1)),
  intercept: -1,
};

const write = (name, document) => writeFileSync(join(folder, name), `${JSON.stringify(document)}\n`);
write('neighbours.json', { ...header, name: 'neighbours', family: 'knn', parameters: neighbours });
write('kernel.json', { ...header, name: 'kernel', family: 'kernel-svm', parameters: kernel });
