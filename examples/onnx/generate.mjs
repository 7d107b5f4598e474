/** Writes this example: a network of one hidden layer as an ONNX file, its model document with probes, and rows. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { INT64, writeModel } from './onnx-writer.mjs';

const here = (name) => new URL(name, import.meta.url);

const HOUSING = ['own', 'rent', 'free'];
/** Inputs: age, income, debt, and one column for each kind of housing. The first layer scales its inputs as well. */
const HIDDEN = [
  { weights: [0.02, 0.0008, 0, 0.3, -0.2, 0], bias: -2 },
  { weights: [0, -0.0003, 0.004, 0, 0.4, 0.1], bias: 0.2 },
  { weights: [-0.03, 0.0005, -0.001, 0, 0, 0.5], bias: 0.4 },
  { weights: [0.01, 0.0002, -0.002, 0.5, 0, 0], bias: 0.1 },
];
const OUTPUT = {
  rejected: { weights: [-1, 1.2, -0.6, -0.5], bias: 0.4 },
  approved: { weights: [1, -1.2, 0.6, 0.5], bias: -0.4 },
};

const dot = (a, b) => a.reduce((sum, value, k) => sum + value * b[k], 0);
const layer = (units, x) => units.map(({ weights, bias }) => dot(weights, x) + bias);

function probabilities([age, income, debt, housing]) {
  const columns = [age, income, debt, ...HOUSING.map((kind) => (kind === housing ? 1 : 0))];
  const hidden = layer(HIDDEN, columns).map((value) => Math.max(0, value));
  const exponents = layer(Object.values(OUTPUT), hidden).map(Math.exp);
  const sum = exponents.reduce((total, value) => total + value, 0);
  return exponents.map((value) => value / sum);
}

/** Weights by input, as Gemm reads them. */
const matrix = (units) => units[0].weights.flatMap((_, input) => units.map(({ weights }) => weights[input]));

const onnx = writeModel({
  inputs: [{ name: 'input', shape: ['n', 6] }],
  nodes: [
    { type: 'Gemm', inputs: ['input', 'w1', 'b1'], outputs: ['sum'] },
    { type: 'Relu', inputs: ['sum'], outputs: ['hidden'] },
    { type: 'Gemm', inputs: ['hidden', 'w2', 'b2'], outputs: ['logits'] },
    { type: 'Softmax', inputs: ['logits'], outputs: ['probabilities'], attributes: { axis: 1 } },
    { type: 'ArgMax', inputs: ['logits'], outputs: ['label'], attributes: { axis: 1, keepdims: 0 } },
  ],
  weights: [
    { name: 'w1', shape: [6, 4], data: matrix(HIDDEN) },
    { name: 'b1', shape: [4], data: HIDDEN.map(({ bias }) => bias) },
    { name: 'w2', shape: [4, 2], data: matrix(Object.values(OUTPUT)) },
    { name: 'b2', shape: [2], data: Object.values(OUTPUT).map(({ bias }) => bias) },
  ],
  outputs: [
    { name: 'label', type: INT64, shape: ['n'] },
    { name: 'probabilities', shape: ['n', 2] },
  ],
});

const rows = Array.from({ length: 40 }, (_, k) => [
  20 + ((k * 7) % 45),
  900 + ((k * 370) % 3000),
  (k * 190) % 1500,
  HOUSING[k % 3],
]);
const probes = rows.slice(0, 5);

const document = {
  schema: 'elsewise.model/v1',
  name: 'credit-network',
  family: 'black-box',
  features: [
    { name: 'age', type: 'integer', min: 18, max: 100 },
    { name: 'income', type: 'continuous', min: 0, max: 20000, decimals: 0 },
    { name: 'debt', type: 'continuous', min: 0, max: 20000, decimals: 0 },
    { name: 'housing', type: 'categorical', categories: HOUSING },
  ],
  classes: Object.keys(OUTPUT),
  parameters: {
    scorer: {
      type: 'onnx',
      file: 'model.onnx',
      sha256: createHash('sha256').update(onnx).digest('hex'),
      output: 'probabilities',
    },
    outputs: 'probabilities',
  },
  background: { samples: rows.filter((row) => probabilities(row)[1] > 0.5) },
  probes: { rows: probes, scores: probes.map(probabilities), precision: 'float32' },
};

const policy = {
  schema: 'elsewise.policy/v1',
  name: 'example',
  target: 'approved',
  features: {
    age: { change: 'never' },
    income: { change: 'increase', step: 50 },
    debt: { change: 'decrease', step: 50 },
  },
};

const ids = rows.map((row, k) => [`a-${k + 1}`, ...row]);
writeFileSync(here('model.onnx'), onnx);
writeFileSync(here('model.json'), `${JSON.stringify(document, null, 2)}\n`);
writeFileSync(here('policy.json'), `${JSON.stringify(policy, null, 2)}\n`);
writeFileSync(
  here('applicants.csv'),
  `${['id,age,income,debt,housing', ...ids.map((row) => row.join(','))].join('\n')}\n`,
);
