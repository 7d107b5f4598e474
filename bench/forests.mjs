/**
 * Trained tree ensembles, row by row on one thread: how many answers are proved within the policy's deadline and how long
 * that takes; then the same rows by the heuristics alone, and by the nearest row of the training set alone, as the
 * yardsticks of each other.
 */
import { solvers } from '../dist/solvers/index.js';
import { measureMemory } from './forest-memory.mjs';
import { explainAll, figure, openTrained, rowMs, share } from './row-by-row.mjs';
import { summarise } from './timing.mjs';

/**
 * "Heuristics alone": of the solvers that look for a good answer and prove nothing the quickest; on a ladder of several all
 * of them run. A name that the product does not know ends the run.
 */
export const HEURISTICS = ['forest-pull'];
const FALLBACK = ['nearest'];

/** Rows of a whole and of a short run; most models have a hundred. */
const ROWS = { full: 100, short: 10 };
/** Where a row may take ten seconds. */
const SLOW_ROWS = { full: 12, short: 3 };
const SLOW_DEADLINE_MS = 5000;
/** Served before a model whose memory is measured. */
const SMALLEST = 'small';
/** An answer within this of the optimum counts as proved, so one of two may be dearer by as much. */
const SAME = 1 + 1e-6;

/** Before minutes of measuring that would end in the same error. */
export function checkHeuristics() {
  const unknown = HEURISTICS.filter((name) => !solvers.some((solver) => solver.name === name));
  if (unknown.length) throw new Error(`bench/forests.mjs names solvers that there are not: ${unknown.join(', ')}`);
}

/** `forests` has the paths of all by name. */
export async function measureForest(name, forests, isShort) {
  const paths = forests.get(name);
  const size = isShort ? 'short' : 'full';
  const countOf = ({ deadlineMs }) => (deadlineMs > SLOW_DEADLINE_MS ? SLOW_ROWS : ROWS)[size];
  const { model, policy, rows } = openTrained(paths, countOf);
  const proved = await explainAll(model, policy, rows);
  const quick = await explainAll(model, { ...policy, solvers: HEURISTICS }, rows);
  const nearest = await explainAll(model, { ...policy, solvers: FALLBACK }, rows);
  return {
    name,
    trees: model.document.parameters.trees.length,
    features: model.space.features.length,
    rows: rows.length,
    isWhole: !isShort,
    deadlineMs: policy.deadlineMs,
    ...describeProofs(proved),
    noDearerThanNearestShare: share(proved, (row, r) => row.cost <= nearest[r].cost * SAME || row.isInfeasible),
    heuristics: describeHeuristics(quick, proved),
    memory: measureMemory(paths, forests.get(SMALLEST)),
  };
}

function describeProofs(rows) {
  return {
    provedShare: share(rows, (row) => row.isProved),
    answeredShare: share(rows, (row) => row.isValid || row.isInfeasible),
    infeasibleShare: share(rows, (row) => row.isInfeasible),
    rowMs: rowMs(rows),
    largestGap: figure(Math.max(...rows.map(({ gap }) => gap))),
  };
}

/** Rows without any answer are no fault of a heuristic; ratios are to those optima that are proved. */
function describeHeuristics(quick, proved) {
  const feasible = quick.filter((_, r) => !proved[r].isInfeasible);
  const ratios = quick.flatMap((row, r) =>
    proved[r].isProved && !proved[r].isInfeasible ? [row.cost / proved[r].cost] : [],
  );
  return {
    validShare: share(feasible, (row) => row.isValid),
    rowMs: rowMs(quick),
    costRatio: ratios.length ? figure(summarise(ratios).median) : null,
    comparedRows: ratios.length,
  };
}
