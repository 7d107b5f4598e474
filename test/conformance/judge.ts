/** Whether an answer is one, and what it costs: plain arithmetic and the model's own word. */
import { type Feature, gather } from '../../src/models/features.js';
import type { LinearRow } from '../../src/models/region.js';
import { evaluateCost } from '../../src/policy/cost.js';
import type { Domain } from '../../src/policy/domain.js';
import { linearRows, type Problem } from '../../src/problems/problem.js';

/** What rounding may leave of a row or a bound, relative to the size of its terms. */
const ROUNDING = 1e-9;

export interface Judgement {
  /** What is wrong with it; empty: it is an answer. */
  readonly faults: readonly string[];
  readonly cost: number;
}

export function judge(problem: Problem, domain: Domain, answer: Float64Array): Judgement {
  const { space, cost } = problem;
  const from = new Float64Array(space.features.length);
  const to = new Float64Array(space.features.length);
  const x = answer.slice();
  for (const feature of space.features) snap(feature, domain, x);
  gather(space, domain.origin, from);
  gather(space, x, to);
  const changed = space.features.filter(
    (f) => Math.abs(to[f.index] - from[f.index]) > 1e-12 * Math.max(1, Math.abs(from[f.index])),
  );
  const faults = [
    ...space.features.flatMap((feature) => domainFaults(feature, domain, answer)),
    ...linearRows(problem).flatMap((row, i) => (excess(row, x) > 0 ? [`row ${i} is missed by ${excess(row, x)}`] : [])),
    ...problem.clauses.flatMap((clause, i) =>
      clause.rows.every((row) => excess(row, x) > 0) ? [`clause ${i} is broken`] : [],
    ),
    ...(problem.holds(x) ? [] : ['the model refuses it']),
    ...(changed.length > problem.maxChanges ? [`${changed.length} features change`] : []),
  ];
  return { faults, cost: evaluateCost(cost, space, from, to) };
}

/** Lattice values and categories exactly on their points. */
function snap({ kind, column, width, index }: Feature, domain: Domain, x: Float64Array): void {
  const step = domain.step[index];
  for (let c = column; c < column + width; c++) {
    if (kind === 'choice') x[c] = Math.round(x[c]);
    else if (step > 0) x[c] = domain.origin[c] + step * Math.round((x[c] - domain.origin[c]) / step);
  }
}

function domainFaults(feature: Feature, domain: Domain, x: Float64Array): string[] {
  const { name, column, width, index, kind } = feature;
  const faults: string[] = [];
  let sum = 0;
  for (let c = column; c < column + width; c++) {
    const slack = ROUNDING * Math.max(1, Math.abs(x[c]));
    sum += x[c];
    if (x[c] < domain.lower[c] - slack || x[c] > domain.upper[c] + slack)
      faults.push(`${name} leaves its bounds: ${x[c]}`);
    const step = kind === 'choice' ? 1 : domain.step[index];
    const steps = (x[c] - domain.origin[c]) / step;
    if (step > 0 && Math.abs(steps - Math.round(steps)) > 1e-7) faults.push(`${name} is off its lattice: ${x[c]}`);
  }
  const ranks = domain.ranks[index];
  if (ranks && ranks[Math.round(x[column])] !== 1) faults.push(`${name} takes a rank that is not allowed`);
  if (kind === 'choice' && Math.abs(sum - 1) > 1e-9) faults.push(`${name} is not one category`);
  return faults;
}

function excess({ a, lower, upper }: LinearRow, x: Float64Array): number {
  let value = 0;
  let size = Math.max(Number.isFinite(lower) ? Math.abs(lower) : 0, Number.isFinite(upper) ? Math.abs(upper) : 0);
  for (let c = 0; c < a.length; c++) {
    value += a[c] * x[c];
    size += Math.abs(a[c] * x[c]);
  }
  return Math.max(lower - value, value - upper) - ROUNDING * size;
}
