/**
 * Models that are one sum over features, at 30 features: microseconds a row of the first rung, and the share of rows that it proves.
 *
 *   one row       15 numbers with steps, 10 categories, 5 numbers without steps; l0, l1, l2, percentile; at most 3 changes or any number
 *   continuous    100 numbers under l0
 *   gaussian      naive Bayes of two classes over 30 numbers under l1
 *   mains         an additive model with 30 features of up to 64 bins under l1
 *   pairs         the same with 20 pairs of 8 x 8 bins
 */
import { buildLadder } from '../dist/explain/ladder.js';
import { loadModel, loadPolicy } from '../dist/index.js';
import { readValue } from '../dist/models/features.js';
import { Scorer } from '../dist/models/load.js';
import { createDomain, fillDomain } from '../dist/policy/domain.js';
import { resolveTarget } from '../dist/policy/target.js';
import { Budget, EFFORT_PER_MS } from '../dist/problems/budget.js';
import { compilePolicy, compileProblems } from '../dist/problems/compile.js';
import { createRandom } from './random.mjs';
import { summarise } from './timing.mjs';

const now = () => performance.now();
const DEADLINE_MS = 250;
const ROUNDS = 5;
export const SUM_ROWS = { full: 300, short: 40 };
const NORMS = ['l0', 'l1', 'l2', 'percentile'];

const normal = (random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const round = (value, decimals) => Number(value.toFixed(decimals));
const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
const times = (count, draw) => Array.from({ length: count }, (_, k) => draw(k));
const byName = (features, of) => Object.fromEntries(features.map((feature, i) => [feature.name, of(feature, i)]));

const CATEGORIES = ['a', 'b', 'c', 'd', 'e'];

/** Kinds of features: a document, a rule, a spread and a draw. */
const KINDS = {
  free: (name) => ({ document: { name, type: 'continuous' }, rule: {}, draw: (random) => round(normal(random), 4) }),
  step: (name) => ({
    document: { name, type: 'continuous', min: -4, max: 4, decimals: 2 },
    rule: { step: 0.1 },
    draw: (random) => round(clamp(normal(random), -4, 4), 2),
  }),
  whole: (name) => ({
    document: { name, type: 'integer', min: -6, max: 6 },
    rule: {},
    draw: (random) => clamp(Math.round(2 * normal(random)), -6, 6),
  }),
  category: (name) => ({
    document: { name, type: 'categorical', categories: CATEGORIES },
    rule: {},
    draw: (random) => CATEGORIES[Math.floor(random() * CATEGORIES.length)],
  }),
};

const kindsOf = (layout) => layout.map((kind, i) => KINDS[kind](`x${i}`));
const MIXED = kindsOf(times(30, (i) => (i < 15 ? (i % 3 === 2 ? 'whole' : 'step') : i < 25 ? 'category' : 'free')));
const CONTINUOUS = (count) => kindsOf(times(count, () => 'free'));

/** Each case: features, a model's family and parameters, and policies. */
const MODELS = {
  row: (random, features) => {
    const weights = features.flatMap(({ document }) =>
      document.type === 'categorical'
        ? CATEGORIES.map(() => normal(random))
        : [normal(random) / (document.type === 'integer' ? 2 : 1)],
    );
    return { family: 'logistic-regression', parameters: { weights, bias: -0.5 * Math.sqrt(features.length) } };
  },
  gaussian: (random, features) => ({
    family: 'gaussian-naive-bayes',
    parameters: {
      means: times(2, () => features.map(() => normal(random))),
      variances: times(2, () => features.map(() => (0.5 + random()) ** 2)),
      priors: [0.5, 0.5],
    },
  }),
  mains: (random, features) => additive(random, features, 0),
  pairs: (random, features) => additive(random, features, 20),
};

function additive(random, features, pairs) {
  const cuts = (count) => [...new Set(times(count, () => round(1.2 * normal(random), 3)))].sort((a, b) => a - b);
  const mains = features.map(({ document: { name, type } }) => {
    if (type === 'categorical')
      return { feature: name, categories: Object.fromEntries(CATEGORIES.map((c) => [c, normal(random)])) };
    const own = cuts(63);
    let level = 0;
    const trend = 0.15 * normal(random);
    return {
      feature: name,
      cuts: own,
      values: times(own.length + 1, () => (level += trend / 4 + 0.08 * normal(random))),
    };
  });
  return {
    family: 'additive',
    parameters: { intercept: -2, terms: [...mains, ...times(pairs, () => pairOf(random, features))], link: 'logit' },
  };
}

/** A table of 8 x 8 bins over two numbers. */
function pairOf(random, features) {
  const numbers = features
    .filter(({ document }) => document.type !== 'categorical')
    .map(({ document }) => document.name);
  const first = Math.floor(random() * numbers.length);
  const second = (first + 1 + Math.floor(random() * (numbers.length - 1))) % numbers.length;
  const axes = times(2, () => ({ cuts: [-1.5, -1, -0.5, 0, 0.5, 1, 1.5] }));
  const values = times(8, () => times(8, () => 0.15 * normal(random)));
  return { features: [numbers[first], numbers[second]], axes, values };
}

const policyOf = (features, norm, more) => ({
  schema: 'elsewise.policy/v1',
  target: 'yes',
  cost: { norm },
  features: byName(features, ({ rule }) => rule),
  deadlineMs: DEADLINE_MS,
  ...more,
});

const named = (features) => features.map((feature) => ({ ...feature, name: feature.document.name }));

export const SUM_CASES = [
  ...NORMS.flatMap((norm) => [
    { label: `one row ${norm}`, group: 'row', model: 'row', features: MIXED, norm },
    { label: `one row ${norm}, 3 changes`, group: 'row', model: 'row', features: MIXED, norm, more: { maxChanges: 3 } },
  ]),
  { label: 'continuous l0 d=100', group: 'continuous', model: 'row', features: CONTINUOUS(100), norm: 'l0' },
  { label: 'gaussian l1', group: 'gaussian', model: 'gaussian', features: CONTINUOUS(30), norm: 'l1' },
  { label: 'mains l1', group: 'mains', model: 'mains', features: MIXED, norm: 'l1' },
  {
    label: 'mains l1, 3 changes',
    group: 'mains',
    model: 'mains',
    features: MIXED,
    norm: 'l1',
    more: { maxChanges: 3 },
  },
  { label: 'mains and pairs l1', group: 'pairs', model: 'pairs', features: MIXED, norm: 'l1' },
];

function documentsOf({ model, features, norm, more = {} }) {
  const random = createRandom(20_260);
  const drawRow = () => features.map(({ draw }) => draw(random));
  const document = {
    schema: 'elsewise.model/v1',
    name: 'sums',
    features: features.map((feature) => feature.document),
    classes: ['no', 'yes'],
    ...MODELS[model](random, features),
    background: { samples: times(200, drawRow) },
  };
  return { model: loadModel(document), policy: loadPolicy(policyOf(named(features), norm, more)), drawRow };
}

/** Rows without the target, as domains of persons. */
function drawDomains({ model, policy, drawRow }, count) {
  const { target, margin, tolerance } = policy.document;
  const compiled = compilePolicy(policy.document, model);
  const goals = resolveTarget(target, model, margin, tolerance);
  const problems = goals.flatMap((goal) => compileProblems(model, compiled, goal));
  const scorer = new Scorer(model);
  const domains = [];
  while (domains.length < count) {
    const raw = drawRow();
    const values = Float64Array.from(model.space.features, (feature) => readValue(feature, raw[feature.index]));
    scorer.runValues(values);
    if (goals.some((goal) => model.model.achieves(scorer.raw, goal))) continue;
    const domain = createDomain(model.space);
    fillDomain(domain, model.space, compiled.rules, values, model.preprocessing.imputed);
    domains.push(domain);
  }
  return { problem: problems[0], domains };
}

export function measureSums(sumCase, rows = SUM_ROWS.full) {
  const { problem, domains } = drawDomains(documentsOf(sumCase), rows);
  const [rung] = buildLadder(problem, ['auto']);
  const prepared = rung.prepared();
  const best = new Float64Array(rows).fill(Infinity);
  let proved = 0;
  for (let pass = 0; pass < ROUNDS; pass++) {
    proved = 0;
    for (const [i, domain] of domains.entries()) {
      const budget = new Budget(EFFORT_PER_MS * DEADLINE_MS, { now }, DEADLINE_MS);
      const limits = { budget, nudge: 1e-12, seed: 0, anyAnswer: false, cutoff: Infinity, gap: 0 };
      const start = now();
      const { status } = prepared.solve(domain, limits);
      best[i] = Math.min(best[i], 1000 * (now() - start));
      if (status === 'solved' || status === 'infeasible') proved++;
    }
  }
  const { median, p99 } = summarise(best);
  const most = Math.max(...best);
  const figure = (value) => Number(value.toPrecision(3));
  return {
    label: sumCase.label,
    group: sumCase.group,
    solver: rung.solver.name,
    isWhole: rows === SUM_ROWS.full,
    provedShare: proved / rows,
    us: { median: figure(median), p99: figure(p99), most: figure(most) },
  };
}

if (process.argv[1] === new URL(import.meta.url).pathname)
  for (const sumCase of SUM_CASES.filter(({ label }) => !process.argv[2] || label.includes(process.argv[2])))
    console.log(JSON.stringify(measureSums(sumCase, Number(process.argv[3] ?? SUM_ROWS.full))));
