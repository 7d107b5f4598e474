/** Rows of a trained model, each once on one thread, after warm-up. A valid answer is one that the model itself predicts so. */
import { readFileSync } from 'node:fs';
import { loadModel, loadPolicy, prepare } from '../dist/index.js';
import { isProved } from './solve.mjs';
import { summarise } from './timing.mjs';

const WARM_UP = { rows: 20, deadlineMs: 50 };

const read = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** Model, policy and the first rows of a folder of bench/.cache. */
export function openTrained(paths, countOf) {
  const policy = read(paths.policy);
  const lines = readFileSync(paths.rows, 'utf8').trimEnd().split('\n');
  return {
    model: loadModel(read(paths.model)),
    policy,
    rows: lines.slice(0, countOf(policy)).map((line) => JSON.parse(line)),
  };
}

export async function explainAll(model, policy, rows) {
  await warmUp(model, policy, rows);
  const plan = await planFor(model, policy);
  return rows.map((row) => {
    const start = performance.now();
    const result = plan.explain(row);
    return describeRow(result, performance.now() - start, model, policy.target);
  });
}

/** A plan of its own with a short deadline: the code gets compiled, however long a row may take. */
async function warmUp(model, policy, rows) {
  const plan = await planFor(model, { ...policy, deadlineMs: Math.min(policy.deadlineMs, WARM_UP.deadlineMs) });
  for (const row of rows.slice(0, WARM_UP.rows)) plan.explain(row);
}

const planFor = (model, policy) => prepare(model, loadPolicy(policy), { now: () => performance.now() });

function describeRow(result, ms, model, target) {
  const [answer] = result.counterfactuals;
  const isInfeasible = result.status === 'infeasible';
  return {
    ms,
    isInfeasible,
    isProved: isProved(result),
    isValid: answer !== undefined && model.predict(answer.features).prediction === target,
    cost: answer?.cost ?? Infinity,
    // An answer without a bound may be all too dear, a row without an answer is.
    gap: isInfeasible ? 0 : (answer?.proof.gap ?? 1),
  };
}

export const share = (rows, test) => rows.filter(test).length / rows.length;

export const figure = (value) => Number(value.toPrecision(3));

export function rowMs(rows) {
  const { median, p95 } = summarise(rows.map(({ ms }) => ms));
  return { median: figure(median), p95: figure(p95), largest: figure(Math.max(...rows.map(({ ms }) => ms))) };
}
