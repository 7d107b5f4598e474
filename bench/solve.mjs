/**
 * Microseconds per row of one case, twice: the solver alone on domains that are already filled, and the whole row from
 * raw values to the verified result. Both on one thread, after warm-up. What the peers need for an answer is recorded
 * in peers.json; it is set against the whole row, since theirs is a whole answer too.
 */
import { readFileSync } from 'node:fs';
import { buildLadder } from '../dist/explain/ladder.js';
import { loadModel, loadPolicy, prepare } from '../dist/index.js';
import { readValue } from '../dist/models/features.js';
import { Scorer } from '../dist/models/load.js';
import { createDomain, fillDomain } from '../dist/policy/domain.js';
import { resolveTarget } from '../dist/policy/target.js';
import { Budget, EFFORT_PER_MS } from '../dist/problems/budget.js';
import { compilePolicy, compileProblems } from '../dist/problems/compile.js';
import { buildCase } from './problems.mjs';
import { timeRows } from './timing.mjs';

const now = () => performance.now();
const NUDGE = 1e-12;
const peers = JSON.parse(readFileSync(new URL('peers.json', import.meta.url), 'utf8'));
/** Families that put the same problem to a solver as a recorded one. */
const SAME_PROBLEM = { hyperplane: 'logistic-regression' };

/** The figures of a case, ratios first. */
export async function measureCase(benchCase, pace) {
  const documents = buildCase(benchCase);
  const model = loadModel(documents.model);
  const policy = loadPolicy(documents.policy);
  const plan = await prepare(model, policy, { now });
  const stage = setStage(model, policy, documents.drawRow, pace.rows);
  const solver = timeRows(stage.solve, pace);
  const results = [];
  const row = timeRows((i) => {
    results[i] = plan.explainRecord('row', stage.raws[i]);
  }, pace);
  return summariseCase(benchCase, solver, row, results.slice(0, row.rows));
}

function summariseCase(benchCase, solver, row, results) {
  const peer = peerOf(benchCase);
  const times = (us) => (peer ? figure((1000 * peer.medianMs) / us) : null);
  const share = (test) => results.filter(test).length / results.length;
  return {
    ...benchCase,
    timesFasterThanPeer: times(row.median),
    solverTimesFasterThanPeer: times(solver.median),
    peer: peer?.peer ?? null,
    foundShare: figure(share(({ status }) => status === 'found')),
    provedShare: figure(share(isProved)),
    solver: mostFrequent(results.map(({ counterfactuals: [answer] }) => answer?.solver ?? 'none')),
    solverUs: figures(solver),
    rowUs: figures(row),
    rowsPerSecond: Math.round(row.rowsPerSecond),
  };
}

/** The best answer there is, or that there is none, is certain. */
export const isProved = ({ status, counterfactuals }) =>
  status === 'infeasible' || (status === 'found' && counterfactuals.every(({ proof }) => proof.kind === 'optimal'));

const figure = (value) => Number(value.toPrecision(3));

const figures = ({ median, p99 }) => ({ median: figure(median), p99: figure(p99) });

function mostFrequent(names) {
  const counts = new Map();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0][0];
}

function peerOf({ policy, family, norm }) {
  if (policy === 'plain') return peers.families[SAME_PROBLEM[family] ?? family]?.[norm];
  return norm === 'l1' ? peers.policies[policy] : undefined;
}

/** Rows that do not have the target yet, their domains, and the first solver of each piece's ladder. */
function setStage(model, policy, drawRow, count) {
  const { target, margin, tolerance, solvers: wanted } = policy.document;
  const compiled = compilePolicy(policy.document, model);
  const goals = resolveTarget(target, model, margin, tolerance);
  const problems = goals.flatMap((goal) => compileProblems(model, compiled, goal));
  const prepared = problems.map((problem) => buildLadder(problem, wanted)[0].prepared());
  const { raws, values } = drawRows(model, goals, drawRow, count);
  const domains = values.map((row) => {
    const domain = createDomain(model.space);
    fillDomain(domain, model.space, compiled.rules, row, model.preprocessing.imputed);
    return domain;
  });
  const solve = (i) => {
    const { deadlineMs } = policy.document;
    const budget = new Budget(EFFORT_PER_MS * deadlineMs, { now }, deadlineMs);
    const limits = { budget, nudge: NUDGE, seed: 0, anyAnswer: false, cutoff: Infinity, gap: 0 };
    for (const solver of prepared) solver.solve(domains[i], limits);
  };
  return { raws, solve };
}

function drawRows(model, goals, drawRow, count) {
  const scorer = new Scorer(model);
  const raws = [];
  const values = [];
  while (raws.length < count) {
    const raw = drawRow();
    const row = Float64Array.from(model.space.features, (feature) => readValue(feature, raw[feature.index]));
    scorer.runValues(row);
    if (goals.some((goal) => model.model.achieves(scorer.raw, goal))) continue;
    raws.push(raw);
    values.push(row);
  }
  return { raws, values };
}
