/**
 * `node bench/effort.mjs`: what a unit of effort takes, by solver, in microseconds of the thread's own time.
 *
 *   wanted: 1000 / EFFORT_PER_MS = 4 us a unit, within a factor of 3
 *
 * A deadline is turned into effort by one fixed rate. A solver whose units take longer is ended by the clock instead of by its effort,
 * and then its bytes depend on the machine; one whose units take less gives up proofs that it had time for. Every solver that accepts a
 * case solves its rows, whatever its place on the ladder. Rows that take microseconds tell nothing about a long search, therefore
 * the figure of a solver is that of its rows that took longest, together.
 *
 *   --only TEXT    only cases with TEXT in their name; may be given several times
 *   --solver NAME  only this solver; may be given several times
 *   --cases        a line for each case and solver as well
 */
import { parseArgs } from 'node:util';
import { engines } from '../dist/explain/engines.js';
import { loadModel, loadPolicy } from '../dist/index.js';
import { threadClock } from '../dist/jobs/threads/thread-clock.js';
import { resolveTarget } from '../dist/policy/target.js';
import { Budget, EFFORT_PER_MS } from '../dist/problems/budget.js';
import { compilePolicy, compileProblems } from '../dist/problems/compile.js';
import { solvers } from '../dist/solvers/index.js';
import { listEffortCases } from './effort-cases.mjs';
import { drawStage } from './effort-stage.mjs';

const WANTED_US = 1000 / EFFORT_PER_MS;
const FACTOR = 3;
const DEADLINE_MS = 100;
const ROWS = 12;
/** A solver gets so much of its own time on a case, and is then measured for as long. */
const WARM_MS = 30;
const MEASURED_MS = 80;
/** Rows that together took less are no measure: the clock of a thread is moved on every few milliseconds. */
const LEAST_MS = 20;
/** The clock ends a row after so many deadlines. */
const LATE = 5;
/** Mean milliseconds of a row from which on a search may run into its limits. */
const LONG_ROW_MS = 0.3;

const ownTime = threadClock();
const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    solver: { type: 'string', multiple: true },
    cases: { type: 'boolean' },
  },
});
const isWanted = (texts, name) => !texts || texts.some((text) => name.includes(text));

await Promise.all(engines.map((engine) => engine.load()));
const measured = listEffortCases()
  .filter(({ label }) => isWanted(options.only, label))
  .flatMap(measureCase);
showSolvers(measured);

function measureCase(effortCase) {
  const { model: document, policy: asked, drawRow } = effortCase.build();
  const model = loadModel(document);
  const policy = loadPolicy({ ...asked, deadlineMs: DEADLINE_MS });
  const { target, margin, tolerance } = policy.document;
  const compiled = compilePolicy(policy.document, model);
  const goals = resolveTarget(target, model, margin, tolerance);
  const problems = goals.flatMap((goal) => compileProblems(model, compiled, goal));
  const domains = drawStage(model, compiled, goals, drawRow, ROWS);
  const lines = solvers
    .filter(({ name }) => !options.solver || options.solver.includes(name))
    .filter((solver) => problems.length && problems.every((problem) => solver.accepts(problem, solvers) !== 'no'))
    .map((solver) => ({
      solver: solver.name,
      label: effortCase.label,
      ...measureSolver(
        problems.slice(0, 2).map((problem) => solver.prepare(problem, solvers)),
        domains,
      ),
    }));
  if (options.cases) for (const line of lines) console.log(showLine(line));
  return lines;
}

function measureSolver(prepared, domains) {
  runFor(prepared, domains, WARM_MS);
  return runFor(prepared, domains, MEASURED_MS);
}

/** Goes through the rows again and again until the time is up. */
function runFor(prepared, domains, ms) {
  const start = ownTime();
  let rows = 0;
  let units = 0;
  let spentMs = 0;
  for (; spentMs < ms; rows++) {
    const budget = new Budget(EFFORT_PER_MS * DEADLINE_MS, { now: ownTime }, LATE * DEADLINE_MS);
    const limits = { budget, nudge: 1e-12, seed: 0, anyAnswer: false, cutoff: Infinity, gap: 0 };
    prepared[rows % prepared.length].solve(domains[Math.floor(rows / prepared.length) % domains.length], limits);
    units += budget.spent;
    spentMs = ownTime() - start;
  }
  return { rows, units, ms: spentMs };
}

function usPerUnit({ ms, units }) {
  return (1000 * ms) / units;
}

function showLine(line) {
  const { solver, label, rows, ms } = line;
  return `${solver.padEnd(17)} ${usPerUnit(line).toFixed(2).padStart(8)} us a unit  ${(ms / rows).toFixed(3).padStart(8)} ms a row  ${label}`;
}

/** By solver: over all cases with long rows together, and the two cases that are furthest from it. */
function showSolvers(lines) {
  console.log(`\nus a unit, wanted ${WANTED_US}    all long rows    least    most    (cases)`);
  for (const name of new Set(lines.map(({ solver }) => solver))) {
    const own = lines.filter(({ solver, ms }) => solver === name && ms >= LEAST_MS);
    const long = own.filter(({ ms, rows }) => ms / rows >= LONG_ROW_MS);
    if (!long.length) {
      const all = usPerUnit(sumOf(own));
      console.log(`  ${name.padEnd(17)} no long rows; all rows: ${all.toFixed(1)}`);
      continue;
    }
    const each = long.map(usPerUnit).sort((a, b) => a - b);
    const all = usPerUnit(sumOf(long));
    const isFar = all > FACTOR * WANTED_US || all < WANTED_US / FACTOR;
    const figures = [all, each[0], each.at(-1)].map((us) => us.toFixed(1).padStart(9)).join('');
    console.log(`  ${name.padEnd(17)}${figures}   (${long.length})${isFar ? '   beyond the factor' : ''}`);
  }
}

function sumOf(lines) {
  const sum = (key) => lines.reduce((total, line) => total + line[key], 0);
  return { ms: sum('ms'), units: sum('units') };
}
