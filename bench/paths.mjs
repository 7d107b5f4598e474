/**
 * Paths over 30,000 background rows of 14 mixed features: the time and the memory of the graph, and the time of a path.
 *
 *   node bench/paths.mjs [ROWS 30000]
 *
 * Numbers are correlated and noisy, categories are skewed. People stand beside rows of the background.
 */
import { performance } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';
import { loadModel, loadPolicy, prepare } from '../dist/index.js';
import { graphBytes } from '../dist/models/rows/row-graph.js';
import { buildGraphs } from '../dist/policy/path.js';
import { textTable } from './tables.mjs';

export const GOAL = { graphS: 60, processMb: 500, pathMs: 50 };
export const PATH_ROWS = { full: 30_000, short: 2_000 };
const PEOPLE = 300;
const MEGABYTE = 2 ** 20;
const CATEGORIES = [4, 6, 2, 3, 5].map((count, c) => Array.from({ length: count }, (_, k) => `${'abcde'[c]}${k}`));

/** A linear congruential generator: the same rows every time. */
let state = 12_345;
function random() {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
}
const normal = () => Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random());

function sample() {
  const [z, w] = [normal(), normal()];
  const numbers = [z + normal() / 2, w + normal() / 2, z * w + normal(), Math.exp(normal()), 3 * normal(), random()];
  const whole = [40 + 10 * z + 5 * normal(), 5 * random() - 0.5, 10 + 3 * w + normal()].map(Math.round);
  return [...numbers, ...whole, ...CATEGORIES.map((names) => names[Math.floor(random() * random() * names.length)])];
}

function document(rows) {
  const samples = Array.from({ length: rows }, sample);
  const features = [
    ...Array.from({ length: 6 }, (_, f) => ({ name: `x${f}`, type: 'continuous' })),
    ...Array.from({ length: 3 }, (_, f) => ({ name: `n${f}`, type: 'integer' })),
    ...CATEGORIES.map((categories, f) => ({ name: `c${f}`, type: 'categorical', categories })),
  ];
  const weights = Array.from({ length: 9 + CATEGORIES.flat().length }, (_, c) => (c === 6 ? 0.1 : 1) * normal());
  const parameters = { weights, bias: -1 };
  const classes = ['no', 'yes'];
  return {
    schema: 'elsewise.model/v1',
    name: 'paths',
    family: 'logistic-regression',
    features,
    classes,
    parameters,
    background: { samples },
  };
}

const base = { schema: 'elsewise.policy/v1', target: 'yes', cost: { norm: 'l1', weights: 'std' } };
const POLICIES = {
  'k nearest, everything may change': { ...base, path: { method: 'knn' } },
  'density, one direction, one category fixed': {
    ...base,
    features: { c2: { change: 'never' }, n0: { change: 'increase' } },
    path: { method: 'density', atLeast: 0.2 },
  },
  'k = 20, a far target': { ...base, target: { from: 0.9999 }, path: { method: 'knn', k: 20 } },
};

const quantile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];

function person({ features, background }, i) {
  const row = background.samples[(i * 97) % background.samples.length];
  const beside = (value, { type }) => (type === 'continuous' ? value + 0.01 : value);
  return Object.fromEntries(features.map((feature, f) => [feature.name, beside(row[f], feature)]));
}

async function measure(own, model, name, policyDocument) {
  const policy = loadPolicy(policyDocument);
  const start = performance.now();
  const graphs = buildGraphs(policy.document, model);
  const graphS = (performance.now() - start) / 1000;
  const graphMb = [...graphs.values()].reduce((sum, graph) => sum + graphBytes(graph), 0) / MEGABYTE;
  const plan = await prepare(model, policy, { graphs });
  const [times, steps] = [[], []];
  for (let i = 0; i < PEOPLE; i++) {
    const before = performance.now();
    const { status, counterfactuals } = plan.explain({ id: `${i}`, features: person(own, i) });
    if (status !== 'already') times.push(performance.now() - before);
    if (status === 'found') steps.push(counterfactuals[0].path.steps.length);
  }
  times.sort((a, b) => a - b);
  steps.sort((a, b) => a - b);
  const residentMb = process.memoryUsage().rss / MEGABYTE;
  const pathMs = { median: quantile(times, 0.5), p95: quantile(times, 0.95) };
  return {
    name,
    graphS,
    graphMb,
    asked: times.length,
    found: steps.length,
    steps: quantile(steps, 0.5),
    pathMs,
    residentMb,
  };
}

export async function measurePaths(rows = PATH_ROWS.full) {
  const own = document(rows);
  const model = loadModel(own);
  const policies = [];
  for (const [name, policy] of Object.entries(POLICIES)) policies.push(await measure(own, model, name, policy));
  return { rows, policies };
}

const COLUMNS = [
  { title: 'policy', left: true, of: ({ name }) => name },
  { title: 'graph s', of: ({ graphS }) => graphS.toFixed(1) },
  { title: 'graph MB', of: ({ graphMb }) => graphMb.toFixed(1) },
  { title: 'process MB', of: ({ residentMb }) => residentMb.toFixed(0) },
  { title: 'found', of: ({ asked, found }) => `${found}/${asked}` },
  { title: 'steps', of: ({ steps }) => `${steps}` },
  { title: 'path ms', of: ({ pathMs }) => pathMs.median.toFixed(1) },
  { title: '95 % ms', of: ({ pathMs }) => pathMs.p95.toFixed(1) },
];

export const describePaths = ({ rows, policies }) =>
  `${rows} background rows of 14 mixed features\n${textTable(COLUMNS, policies)}`;

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [rows = PATH_ROWS.full] = process.argv.slice(2).map(Number);
  console.log(describePaths(await measurePaths(rows)));
}
