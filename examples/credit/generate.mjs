/**
 * A synthetic portfolio of consumer loans for the demo, the tests and the benchmarks.
 *
 * What is simulated: people apply for a loan. Each has a hidden carefulness with money and a hidden earning power;
 * age, work, income, debts and the loan asked for follow from these, so the columns are correlated as they are in a
 * bank's books. Whether a loan is repaid is drawn from a hidden rule that is NOT linear (the burden of all
 * instalments on the income, logarithms, an interaction, the hidden carefulness itself). A logistic regression is
 * then fitted to what a bank would see, as a bank would do it, and that regression is the model to be explained.
 *
 * Why synthetic: the data may be published, any number of rows can be had, and it is known what drives the labels.
 * No row describes a real person, and no protected attribute other than age is simulated.
 *
 * Everything is drawn from a seeded generator, and fitted figures are rounded before use, so that the same command
 * writes the same bytes.
 *
 *   node generate.mjs [--directory DIR]                             the model, the policies and applicants.csv
 *   node generate.mjs --rows N --output FILE [--seed S] [--all]     N rejected applicants (with --all: any) as CSV
 */
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const TRAINING_ROWS = 20_000;
const BACKGROUND_ROWS = 200;
const PROBE_ROWS = 20;
const APPLICANT_ROWS = 3_000;

const MODEL_SEED = 2024;
const APPLICANT_SEED = 1;

/** One stream of random numbers per use: changing how many rows one of them takes leaves the others as they are. */
const STREAM = { training: 1, probes: 2, applicants: 3 };

/** The business asks for more than an even chance of being repaid. */
const APPROVAL_THRESHOLD = 0.6;
const RIDGE = 1;

const FEATURES = [
  { name: 'age', type: 'integer', min: 18, max: 80, unit: 'years' },
  { name: 'dependants', type: 'integer', min: 0, max: 6 },
  { name: 'income', type: 'continuous', min: 600, max: 20000, decimals: 0, unit: 'EUR/month' },
  { name: 'savings', type: 'continuous', min: 0, max: 100000, decimals: 0, unit: 'EUR' },
  { name: 'monthlyDebt', type: 'continuous', min: 0, max: 9000, decimals: 0, unit: 'EUR/month' },
  { name: 'openLoans', type: 'integer', min: 0, max: 6 },
  { name: 'latePayments12m', type: 'integer', min: 0, max: 12 },
  { name: 'requestedAmount', type: 'continuous', min: 500, max: 50000, decimals: 0, unit: 'EUR' },
  { name: 'durationMonths', type: 'integer', min: 6, max: 84, unit: 'months' },
  { name: 'monthsAtJob', type: 'integer', min: 0, max: 720, unit: 'months' },
  { name: 'monthsEmployed', type: 'integer', min: 0, max: 720, unit: 'months' },
  { name: 'hasCoapplicant', type: 'boolean' },
  { name: 'hasGuarantor', type: 'boolean' },
  { name: 'housing', type: 'categorical', categories: ['own', 'rent', 'free'] },
  { name: 'employment', type: 'categorical', categories: ['permanent', 'fixed-term', 'self-employed', 'on-call'] },
  { name: 'purpose', type: 'categorical', categories: ['car', 'home', 'education', 'other'] },
  { name: 'collateral', type: 'categorical', encoding: 'ordinal', categories: ['none', 'partial', 'full'] },
];

const CLASSES = ['rejected', 'approved'];

// ---------------------------------------------------------------------------------------------- random numbers

/** sfc32 (Small Fast Counting generator), seeded by a seed and a stream number. */
class Random {
  #a;
  #b;
  #c = 0x9e3779b9;
  #counter = 1;

  constructor(seed, stream) {
    this.#a = seed | 0;
    this.#b = stream | 0;
    for (let round = 0; round < 15; round++) this.#next32();
  }

  #next32() {
    const result = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + result) | 0;
    return result >>> 0;
  }

  /** Uniform in [0, 1). */
  uniform() {
    return this.#next32() / 2 ** 32;
  }

  between(low, high) {
    return low + (high - low) * this.uniform();
  }

  chance(probability) {
    return this.uniform() < probability;
  }

  /** Standard normal by Marsaglia's polar method. */
  normal() {
    for (;;) {
      const x = this.between(-1, 1);
      const y = this.between(-1, 1);
      const square = x * x + y * y;
      if (square > 0 && square < 1) return x * Math.sqrt((-2 * Math.log(square)) / square);
    }
  }

  /** Poisson by Knuth's method: right for the small rates used here. */
  poisson(rate) {
    const limit = Math.exp(-rate);
    let product = this.uniform();
    let count = 0;
    while (product > limit) {
      product *= this.uniform();
      count++;
    }
    return count;
  }

  /** One key of `weights`, with a probability proportional to its value. */
  pick(weights) {
    const entries = Object.entries(weights);
    const total = entries.reduce((sum, [, weight]) => sum + weight, 0);
    let remaining = this.uniform() * total;
    for (const [key, weight] of entries) {
      remaining -= weight;
      if (remaining < 0) return key;
    }
    return entries.at(-1)[0];
  }
}

const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
const sigmoid = (x) => 1 / (1 + Math.exp(-x));

/** People state money in round figures. */
const roundTo = (value, unit) => Math.round(value / unit) * unit;

// ---------------------------------------------------------------------------------------------- the applicants

function drawAge(random) {
  for (;;) {
    const age = Math.round(40 + 12.5 * random.normal());
    if (age >= 19 && age <= 72) return age;
  }
}

function drawDependants(random, age) {
  const familyAge = Math.exp(-(((age - 39) / 11) ** 2));
  return Math.min(6, random.poisson(0.25 + 1.3 * familyAge));
}

function drawEmployment(random, age, earningPower) {
  const youth = clamp((34 - age) / 15, 0, 1);
  return random.pick({
    permanent: Math.exp(0.9 + 0.35 * earningPower - 0.9 * youth),
    'fixed-term': Math.exp(-0.3 + 0.8 * youth),
    'self-employed': Math.exp(-0.9 + 0.2 * earningPower - 0.6 * youth),
    'on-call': Math.exp(-1.2 - 0.5 * earningPower + 0.6 * youth),
  });
}

/** Months in any job so far, and months in the present one, which are part of them. */
function drawCareer(random, age, employment) {
  const monthsSinceStart = 12 * (age - random.between(16, Math.min(age, 25)));
  const monthsEmployed = Math.round(monthsSinceStart * random.between(0.6, 1));
  const typicalShare = { permanent: 0.9, 'fixed-term': 2.6, 'self-employed': 1.4, 'on-call': 3 }[employment];
  const monthsAtJob = Math.round(monthsEmployed * random.uniform() ** (1 + typicalShare));
  return { monthsEmployed, monthsAtJob };
}

function drawIncome(random, employment, monthsEmployed, earningPower) {
  const premium = { permanent: 0.1, 'fixed-term': -0.08, 'self-employed': 0.05, 'on-call': -0.3 }[employment];
  const experience = 0.014 * Math.min(monthsEmployed / 12, 25);
  const logIncome = 7.4 + experience + premium + 0.3 * earningPower + 0.14 * random.normal();
  return clamp(roundTo(Math.exp(logIncome), 10), 600, 15000);
}

function drawHousing(random, age, income) {
  return random.pick({
    own: Math.exp(-1.1 + 0.035 * (age - 35) + 0.35 * (income / 1000 - 2)),
    rent: 1,
    free: Math.exp(-1.6 - 0.06 * (age - 30)),
  });
}

function drawSavings(random, age, income, dependants, carefulness) {
  if (random.chance(0.12 * Math.exp(-0.6 * carefulness))) return 0;
  const logSavings = 7.6 + 0.012 * (age - 40) + 0.0003 * (income - 2200) - 0.12 * dependants + 0.45 * carefulness;
  return clamp(roundTo(Math.exp(logSavings + 0.75 * random.normal()), 50), 0, 60000);
}

/** Every open loan costs something each month, and all of them together at most 60 % of the income. */
function drawDebts(random, income, dependants, carefulness) {
  const openLoans = Math.min(6, random.poisson(Math.exp(0.1 + 0.08 * dependants - 0.2 * carefulness)));
  let instalments = 0;
  for (let loan = 0; loan < openLoans; loan++) {
    instalments += clamp(income * 0.075 * Math.exp(0.5 * random.normal()), 30, 1000);
  }
  const ceiling = Math.floor((0.6 * income) / 20) * 20;
  return { openLoans, monthlyDebt: Math.min(ceiling, roundTo(instalments, 20)) };
}

function drawLatePayments(random, income, monthlyDebt, carefulness) {
  const strain = monthlyDebt / income;
  const rate = Math.exp(-1.7 + 2.4 * strain - 0.75 * carefulness + 0.7 * random.normal());
  return Math.min(12, random.poisson(Math.min(rate, 8)));
}

/** The loan asked for: its instalment never exceeds 800 EUR a month. */
function drawLoan(random, income, carefulness) {
  const purpose = random.pick({ car: 0.36, home: 0.24, education: 0.12, other: 0.28 });
  const typicalAmount = { car: 9500, home: 12000, education: 6000, other: 4500 }[purpose];
  const incomeEffect = 0.45 * Math.log(income / 2200);
  const amount = typicalAmount * Math.exp(incomeEffect - 0.08 * carefulness + 0.42 * random.normal());
  const requestedAmount = clamp(roundTo(amount, 100), 500, 40000);
  const comfortableInstalment = income * random.between(0.08, 0.2);
  const shortestTerm = Math.ceil(requestedAmount / 800 / 6) * 6;
  const term = roundTo(requestedAmount / comfortableInstalment, 6);
  return { purpose, requestedAmount, durationMonths: clamp(Math.max(term, shortestTerm), 6, 84) };
}

/** A guarantor signs next to a co-applicant, never alone. */
function drawSecurity(random, age, dependants, housing, loan) {
  const large = loan.requestedAmount / 10000;
  const hasCoapplicant = random.chance(sigmoid(-1.5 + 0.4 * large + 0.15 * dependants + 0.012 * (age - 40)));
  const hasGuarantor = hasCoapplicant && random.chance(sigmoid(-0.9 + 0.25 * large + (age < 30 ? 0.8 : 0)));
  const hasAssets = (housing === 'own' ? 0.9 : 0) + (loan.purpose === 'car' ? 0.6 : 0);
  const collateral = random.pick({
    none: 1,
    partial: Math.exp(-1.2 + hasAssets),
    full: Math.exp(-2.3 + hasAssets + 0.2 * large),
  });
  return { hasCoapplicant, hasGuarantor, collateral };
}

/** One applicant: what the bank sees (`features`) and what it does not (`carefulness`). */
function drawApplicant(random) {
  const carefulness = random.normal();
  const earningPower = 0.3 * carefulness + Math.sqrt(1 - 0.3 ** 2) * random.normal();
  const age = drawAge(random);
  const dependants = drawDependants(random, age);
  const employment = drawEmployment(random, age, earningPower);
  const { monthsEmployed, monthsAtJob } = drawCareer(random, age, employment);
  const income = drawIncome(random, employment, monthsEmployed, earningPower);
  const housing = drawHousing(random, age, income);
  const savings = drawSavings(random, age, income, dependants, carefulness);
  const { openLoans, monthlyDebt } = drawDebts(random, income, dependants, carefulness);
  const latePayments12m = drawLatePayments(random, income, monthlyDebt, carefulness);
  const loan = drawLoan(random, income, carefulness);
  const { requestedAmount, durationMonths, purpose } = loan;
  const { hasCoapplicant, hasGuarantor, collateral } = drawSecurity(random, age, dependants, housing, loan);
  const features = {
    age,
    dependants,
    income,
    savings,
    monthlyDebt,
    openLoans,
    latePayments12m,
    requestedAmount,
    durationMonths,
    monthsAtJob,
    monthsEmployed,
    hasCoapplicant,
    hasGuarantor,
    housing,
    employment,
    purpose,
    collateral,
  };
  return { features, carefulness };
}

/** The hidden truth: the log-odds that this loan is repaid. */
function repaymentLogOdds({ features: f, carefulness }) {
  const burden = (1.4 * f.monthlyDebt + f.requestedAmount / f.durationMonths) / f.income;
  const cushion = Math.log1p(f.savings / 1000);
  const lateness = Math.log1p(f.latePayments12m);
  return (
    1 +
    0.35 * carefulness -
    4.2 * Math.max(0, burden - 0.12) +
    0.0001 * (Math.min(f.income, 5000) - 2200) +
    0.7 * (cushion - 1.2) -
    0.8 * lateness -
    0.25 * lateness * Math.max(0, 1 - cushion) -
    0.000065 * (f.requestedAmount - 8000) -
    0.028 * (f.durationMonths - 36) -
    0.16 * f.openLoans -
    0.1 * f.dependants +
    0.65 * Math.log1p(f.monthsAtJob / 12) +
    0.3 * Math.log1p(f.monthsEmployed / 12) +
    0.006 * (f.age - 40) +
    (f.hasCoapplicant ? 0.4 : 0) +
    (f.hasGuarantor ? 0.5 : 0) +
    { none: 0, partial: 0.45, full: 0.9 }[f.collateral] +
    { own: 0.35, rent: -0.1, free: 0.1 }[f.housing] +
    { permanent: 0.3, 'fixed-term': 0.05, 'self-employed': 0.1, 'on-call': -0.15 }[f.employment] +
    { car: 0.1, home: 0.2, education: 0, other: -0.2 }[f.purpose]
  );
}

function drawHistory(random, rows) {
  return Array.from({ length: rows }, () => {
    const applicant = drawApplicant(random);
    return { features: applicant.features, repaid: random.chance(sigmoid(repaymentLogOdds(applicant))) };
  });
}

// ---------------------------------------------------------------------------------------------- the regression

/** The model's columns of one applicant: ordinals by rank, other categoricals one-hot, booleans 0 or 1. */
function encode(features) {
  const columns = [];
  for (const { name, type, encoding, categories } of FEATURES) {
    const value = features[name];
    if (type !== 'categorical') columns.push(Number(value));
    else if (encoding === 'ordinal') columns.push(categories.indexOf(value));
    else for (const category of categories) columns.push(category === value ? 1 : 0);
  }
  return columns;
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

function standardDeviation(values) {
  const centre = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - centre) ** 2)));
}

const significant = (value, digits = 6) => Number(value.toPrecision(digits));
const decimals = (value, digits) => Number(value.toFixed(digits));

function fitScale(rows) {
  const columns = rows[0].map((_, column) => rows.map((row) => row[column]));
  return {
    mean: columns.map((values) => significant(mean(values))),
    scale: columns.map((values) => significant(standardDeviation(values))),
  };
}

const applyScale = (row, scaling) => row.map((value, column) => (value - scaling.mean[column]) / scaling.scale[column]);

/** Solves `matrix` x = `right` for a symmetric positive definite matrix by Cholesky's factorisation. */
function solvePositiveDefinite(matrix, right) {
  const size = right.length;
  const lower = matrix.map((row) => row.slice());
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      let rest = matrix[i][j];
      for (let k = 0; k < j; k++) rest -= lower[i][k] * lower[j][k];
      lower[i][j] = i === j ? Math.sqrt(rest) : rest / lower[j][j];
    }
  }
  const solution = right.slice();
  for (let i = 0; i < size; i++) {
    for (let k = 0; k < i; k++) solution[i] -= lower[i][k] * solution[k];
    solution[i] /= lower[i][i];
  }
  for (let i = size - 1; i >= 0; i--) {
    for (let k = i + 1; k < size; k++) solution[i] -= lower[k][i] * solution[k];
    solution[i] /= lower[i][i];
  }
  return solution;
}

/** Gradient and (negative) Hessian of the penalised log-likelihood; the last coefficient is the unpenalised bias. */
function newtonSystem(rows, outcomes, coefficients) {
  const size = coefficients.length;
  const gradient = coefficients.map((value, i) => (i === size - 1 ? 0 : -RIDGE * value));
  const hessian = coefficients.map((_, i) => coefficients.map((_, j) => (i === j && i < size - 1 ? RIDGE : 0)));
  rows.forEach((row, index) => {
    let logOdds = 0;
    for (let i = 0; i < size; i++) logOdds += row[i] * coefficients[i];
    const probability = sigmoid(logOdds);
    const residual = outcomes[index] - probability;
    const curvature = probability * (1 - probability);
    for (let i = 0; i < size; i++) {
      gradient[i] += residual * row[i];
      for (let j = 0; j <= i; j++) hessian[i][j] += curvature * row[i] * row[j];
    }
  });
  return { gradient, hessian };
}

/** Logistic regression by Newton's method (iteratively reweighted least squares) with a small ridge. */
function fitLogisticRegression(standardisedRows, outcomes) {
  const rows = standardisedRows.map((row) => [...row, 1]);
  let coefficients = rows[0].map(() => 0);
  for (;;) {
    const { gradient, hessian } = newtonSystem(rows, outcomes, coefficients);
    const step = solvePositiveDefinite(hessian, gradient);
    coefficients = coefficients.map((value, i) => value + step[i]);
    if (Math.max(...step.map(Math.abs)) < 1e-10) break;
  }
  const rounded = coefficients.map((value) => decimals(value, 6));
  return { weights: rounded.slice(0, -1), bias: rounded.at(-1) };
}

function fitModel(history) {
  const rows = history.map(({ features }) => encode(features));
  const scaling = fitScale(rows);
  const standardised = rows.map((row) => applyScale(row, scaling));
  const outcomes = history.map(({ repaid }) => Number(repaid));
  return { scaling, ...fitLogisticRegression(standardised, outcomes) };
}

function approvalProbability(model, features) {
  const columns = applyScale(encode(features), model.scaling);
  return sigmoid(columns.reduce((sum, value, column) => sum + value * model.weights[column], model.bias));
}

const isRejected = (model, features) => approvalProbability(model, features) < APPROVAL_THRESHOLD;

// ---------------------------------------------------------------------------------------------- model document

/** The value at `fraction` of the sorted values, linear between neighbours. */
function quantile(sorted, fraction) {
  const position = fraction * (sorted.length - 1);
  const below = Math.floor(position);
  const above = Math.ceil(position);
  return sorted[below] + (position - below) * (sorted[above] - sorted[below]);
}

const sortNumbers = (values) => values.toSorted((a, b) => a - b);

function medianAbsoluteDeviation(values) {
  const median = quantile(sortNumbers(values), 0.5);
  return quantile(sortNumbers(values.map((value) => Math.abs(value - median))), 0.5);
}

const QUANTILE_FRACTIONS = Array.from({ length: 21 }, (_, index) => index / 20);

/** Statistics of the numeric features over the whole history, and some of its rows with the model's verdict. */
function describeBackground(model, history) {
  const background = { mad: {}, std: {}, quantiles: {} };
  for (const { name, type } of FEATURES) {
    if (type !== 'continuous' && type !== 'integer') continue;
    const values = history.map(({ features }) => features[name]);
    const sorted = sortNumbers(values);
    background.mad[name] = medianAbsoluteDeviation(values);
    background.std[name] = significant(standardDeviation(values));
    background.quantiles[name] = QUANTILE_FRACTIONS.map((fraction) => decimals(quantile(sorted, fraction), 2));
  }
  const shown = history.slice(0, BACKGROUND_ROWS).map(({ features }) => features);
  background.samples = shown.map(toRow);
  background.labels = shown.map((features) => CLASSES[isRejected(model, features) ? 0 : 1]);
  return background;
}

const toRow = (features) => FEATURES.map(({ name }) => features[name]);

/**
 * The probability of approval read off the finished document alone, feature by feature: a second way to the number
 * that shares no code with the fit, so that a probe is a check of the document and not of itself.
 */
function probabilityByDocument(document, row) {
  const [{ mean: means, scale: scales }] = document.preprocessing;
  const { weights, bias } = document.parameters;
  let logOdds = bias;
  let column = 0;
  const add = (value) => {
    logOdds += (weights[column] * (value - means[column])) / scales[column];
    column++;
  };
  document.features.forEach((feature, index) => {
    const value = row[index];
    if (feature.type === 'boolean') add(value ? 1 : 0);
    else if (feature.type !== 'categorical') add(value);
    else if (feature.encoding === 'ordinal') add(feature.categories.indexOf(value));
    else for (const category of feature.categories) add(category === value ? 1 : 0);
  });
  return logOdds < 0 ? Math.exp(logOdds) / (1 + Math.exp(logOdds)) : 1 / (1 + Math.exp(-logOdds));
}

function makeProbes(document, applicants) {
  const rows = applicants.map(toRow);
  const scores = rows.map((row) => {
    const approved = decimals(probabilityByDocument(document, row), 12);
    return [decimals(1 - approved, 12), approved];
  });
  return { rows, scores };
}

function makeModelDocument(model, history) {
  const document = {
    schema: 'elsewise.model/v1',
    name: 'credit',
    family: 'logistic-regression',
    features: FEATURES,
    classes: CLASSES,
    preprocessing: [{ type: 'scale', ...model.scaling }],
    parameters: { weights: model.weights, bias: model.bias, threshold: APPROVAL_THRESHOLD },
    background: describeBackground(model, history),
  };
  const random = new Random(MODEL_SEED, STREAM.probes);
  const applicants = Array.from({ length: PROBE_ROWS }, () => drawApplicant(random).features);
  return { ...document, probes: makeProbes(document, applicants) };
}

// ---------------------------------------------------------------------------------------------- the policies

const NEVER = { change: 'never' };

/** What a bank can decently ask for: nothing about who someone is, where they live, or what is already past. */
const RETAIL_POLICY = {
  schema: 'elsewise.policy/v1',
  name: 'retail-credit',
  target: 'approved',
  cost: { norm: 'l1', weights: 'mad' },
  features: {
    age: NEVER,
    dependants: NEVER,
    income: { change: 'increase', max: 9000, maxIncrease: 500, step: 50 },
    savings: { change: 'increase', max: 30000, maxIncrease: 5000, step: 200 },
    monthlyDebt: { change: 'decrease', min: 0, step: 20 },
    openLoans: { change: 'decrease', min: 0, maxDecrease: 2 },
    latePayments12m: NEVER,
    requestedAmount: { change: 'decrease', min: 1000, maxDecrease: 10000, step: 500 },
    durationMonths: { change: 'decrease', min: 12, step: 6 },
    monthsAtJob: { change: 'increase', maxIncrease: 24, step: 3 },
    monthsEmployed: { change: 'increase', maxIncrease: 24, step: 12 },
    hasCoapplicant: { change: 'increase' },
    hasGuarantor: { change: 'increase' },
    housing: NEVER,
    employment: { allow: ['permanent', 'fixed-term'] },
    purpose: NEVER,
    collateral: { change: 'increase' },
  },
  constraints: [
    'monthsAtJob <= monthsEmployed',
    'monthlyDebt <= 0.6 * income',
    'monthlyDebt >= 20 * openLoans',
    'monthlyDebt <= 1500 * openLoans',
    'requestedAmount <= 800 * durationMonths',
    'hasGuarantor implies hasCoapplicant',
  ],
  maxChanges: 3,
  count: 1,
  margin: 0.02,
  deadlineMs: 250,
  seed: 7,
};

const THREE_WAYS_POLICY = { ...RETAIL_POLICY, name: 'retail-credit-three-ways', count: 3 };

/** Money only, within bounds: the smallest policy that says something, and one with a smooth cost. */
const SIMPLE_POLICY = {
  schema: 'elsewise.policy/v1',
  name: 'retail-credit-simple',
  target: 'approved',
  cost: { norm: 'l2', weights: 'mad' },
  features: {
    ...Object.fromEntries(FEATURES.map(({ name }) => [name, NEVER])),
    income: { min: 600, max: 9000 },
    savings: { min: 0, max: 30000 },
    monthlyDebt: { min: 0, max: 3000 },
    requestedAmount: { min: 500, max: 50000 },
  },
  count: 1,
  margin: 0.02,
  deadlineMs: 250,
  seed: 7,
};

// ---------------------------------------------------------------------------------------------- files

const isPlain = (value) => typeof value !== 'object' || value === null;

/** JSON on one line, with spaces where people put them. */
function inlineJson(value) {
  if (isPlain(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(inlineJson).join(', ')}]`;
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${inlineJson(member)}`);
  return `{ ${members.join(', ')} }`;
}

const isListOfShortValues = (value) =>
  Array.isArray(value) && value.every((element) => isPlain(element) && String(element).length <= 20);

/** JSON for people: whatever fits on a line stands on one, and so does every list of numbers or words. */
function formatJson(value, indent = '') {
  const inline = inlineJson(value);
  if (inline.length + indent.length <= 120 || isPlain(value) || isListOfShortValues(value)) return inline;
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const members = isList
    ? value.map((element) => formatJson(element, inner))
    : Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${formatJson(member, inner)}`);
  const [open, close] = isList ? '[]' : '{}';
  return `${open}\n${inner}${members.join(`,\n${inner}`)}\n${indent}${close}`;
}

const writeJson = (file, document) => writeFileSync(file, `${formatJson(document)}\n`);

function formatCell(feature, value) {
  return feature.type === 'continuous' ? value.toFixed(feature.decimals) : String(value);
}

function csvLine(id, features) {
  return `${[id, ...FEATURES.map((feature) => formatCell(feature, features[feature.name]))].join(',')}\n`;
}

/** The lines of a CSV of `rows` applicants who satisfy `isWanted`, one at a time. */
function* csvLines(rows, seed, isWanted) {
  yield `${['id', ...FEATURES.map(({ name }) => name)].join(',')}\n`;
  const random = new Random(seed, STREAM.applicants);
  for (let written = 0; written < rows; ) {
    const { features } = drawApplicant(random);
    if (!isWanted(features)) continue;
    written++;
    yield csvLine(`a-${String(written).padStart(4, '0')}`, features);
  }
}

async function writeApplicants(file, model, { rows, seed, all }) {
  const isWanted = (features) => all || isRejected(model, features);
  await pipeline(Readable.from(csvLines(rows, seed, isWanted)), createWriteStream(file));
}

async function writeExample(directory, model, history) {
  mkdirSync(directory, { recursive: true });
  writeJson(join(directory, 'model.json'), makeModelDocument(model, history));
  writeJson(join(directory, 'policy.json'), RETAIL_POLICY);
  writeJson(join(directory, 'policy-simple.json'), SIMPLE_POLICY);
  writeJson(join(directory, 'policy-three-ways.json'), THREE_WAYS_POLICY);
  const applicants = { rows: APPLICANT_ROWS, seed: APPLICANT_SEED, all: false };
  await writeApplicants(join(directory, 'applicants.csv'), model, applicants);
}

// ---------------------------------------------------------------------------------------------- command line

class UsageError extends Error {}

function wholeNumber(name, text) {
  if (!/^\d+$/.test(text)) throw new UsageError(`--${name}: a whole number is needed, not "${text}"`);
  return Number(text);
}

function readOptions() {
  const options = {
    directory: { type: 'string' },
    rows: { type: 'string' },
    output: { type: 'string' },
    seed: { type: 'string' },
    all: { type: 'boolean' },
  };
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    throw new UsageError(error.message);
  }
}

async function main() {
  const { directory, rows, output, seed, all } = readOptions();
  if ((rows === undefined) !== (output === undefined)) throw new UsageError('--rows and --output go together');
  const applicants = rows !== undefined && {
    rows: wholeNumber('rows', rows),
    seed: wholeNumber('seed', seed ?? String(APPLICANT_SEED)),
    all: all ?? false,
  };
  const history = drawHistory(new Random(MODEL_SEED, STREAM.training), TRAINING_ROWS);
  const model = fitModel(history);
  if (applicants) await writeApplicants(output, model, applicants);
  else await writeExample(directory ?? dirname(fileURLToPath(import.meta.url)), model, history);
}

try {
  await main();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
