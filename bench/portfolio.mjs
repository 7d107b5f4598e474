/**
 * The demo's applicants under its policy: one-hot and ordinal categories, whole numbers, steps, linked features, at most
 * three changes. Every row once, after warm-up, on one thread; rows without an answer count with the time to say why.
 */
import { readFileSync } from 'node:fs';
import { loadModel, loadPolicy, prepare } from '../dist/index.js';
import { isProved } from './solve.mjs';
import { summarise } from './timing.mjs';

const WARM_UP_ROWS = 100;

export async function measurePortfolio(limit = Infinity) {
  const model = loadModel(readExample('model.json'));
  const policy = loadPolicy(readExample('policy.json'));
  const plan = await prepare(model, policy, { now: () => performance.now() });
  const applicants = readApplicants(model).slice(0, limit);
  for (const { id, raw } of applicants.slice(0, WARM_UP_ROWS)) plan.explainRecord(id, raw);
  const rows = applicants.map(({ id, raw }) => {
    const start = performance.now();
    const result = plan.explainRecord(id, raw);
    return { result, ms: performance.now() - start };
  });
  return summarisePortfolio(rows, policy.document.deadlineMs);
}

function summarisePortfolio(rows, deadlineMs) {
  const share = (test) => rows.filter(test).length / rows.length;
  const { median, p95, p99 } = summarise(rows.map(({ ms }) => ms));
  const totalMs = rows.reduce((sum, { ms }) => sum + ms, 0);
  return {
    provedShare: share(({ result }) => isProved(result)),
    inTimeShare: share(({ ms }) => ms <= deadlineMs),
    foundShare: share(({ result }) => result.status === 'found'),
    infeasibleShare: share(({ result }) => result.status === 'infeasible'),
    rows: rows.length,
    deadlineMs,
    rowMs: { median, p95, p99 },
    rowsPerSecond: Math.round((1000 * rows.length) / totalMs),
  };
}

const readText = (name) => readFileSync(new URL(`../examples/credit/${name}`, import.meta.url), 'utf8');

const readExample = (name) => JSON.parse(readText(name));

/** No field of this file is quoted. */
function readApplicants({ space }) {
  const [header, ...lines] = readText('applicants.csv').trimEnd().split('\n');
  const names = header.split(',');
  const columns = space.features.map(({ name }) => names.indexOf(name));
  return lines.map((line) => {
    const fields = line.split(',');
    return { id: fields[names.indexOf('id')], raw: columns.map((column) => fields[column]) };
  });
}
