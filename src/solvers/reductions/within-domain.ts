/**
 * The cheapest point of a person's domain within the policy, without the model:
 *
 *   min cost(x' - x)   s.t.   x' in the domain,  links,  clauses,  at most K changes,  and rows of the caller
 *
 * For methods that cut the region into boxes and need the best point of each box where the policy couples features. The domain
 * may be narrowed to anything: away from the present value, between lattice points, to some categories or ranks.
 *
 * The engines are those of linear problems, on an unrestricted region. This file does the parts that they lack: ends
 * between lattice points are moved inwards, decimals are a lattice where the present value lies on it, missing values stay missing,
 * and answers lie exactly on their lattice points and within their box.
 */
import type { Feature } from '../../models/features.js';
import { type LinearRow, polyhedron } from '../../models/region.js';
import { copyDomain, createDomain, type Domain } from '../../policy/domain.js';
import type { FeatureRule } from '../../policy/rules.js';
import { narrowTo, nearestValue } from '../../policy/values.js';
import { type Problem, searchingDecimals, withPiece } from '../../problems/problem.js';
import { prepareLater } from '../shared/prepare-later.js';
import {
  exactForParts,
  INFEASIBLE,
  type Limits,
  numerical,
  type Outcome,
  type Prepared,
  type SolverTable,
} from '../solver.js';

/** `holds` decides about lattice points exactly on the edge of the rows. Undefined: no engine accepts the problem's cost. */
export function prepareWithin(
  problem: Problem,
  table: SolverTable,
  rows: readonly LinearRow[] = [],
  holds: Problem['holds'] = () => true,
): Prepared | undefined {
  const free = freed({ ...problem, holds }, rows);
  return exactForParts(free, table).length ? new WithinDomain(free, table) : undefined;
}

/** The problem without its model. */
function freed(problem: Problem, rows: readonly LinearRow[]): Problem {
  return withPiece(searchingDecimals({ ...problem, rules: problem.rules.map(listRanks) }), polyhedron(rows));
}

/** A narrowed domain may exclude any rank, so ranks are chosen instead of counted up and down. */
function listRanks(rule: FeatureRule): FeatureRule {
  const { kind, categories } = rule.feature;
  return kind === 'ordinal' && !rule.allowed ? { ...rule, allowed: new Uint8Array(categories.length).fill(1) } : rule;
}

class WithinDomain implements Prepared {
  private readonly inner: Domain;
  private readonly x: Float64Array;
  /** By set of missing features: the engines for the other features, prepared on demand. Null: the policy cannot be met. */
  private readonly engines = new Map<string, (() => Prepared)[] | null>();

  constructor(
    private readonly problem: Problem,
    private readonly table: SolverTable,
  ) {
    this.inner = createDomain(problem.space);
    this.x = new Float64Array(problem.space.columns);
  }

  solve(domain: Domain, limits: Limits): Outcome {
    if (!this.narrow(domain)) return INFEASIBLE;
    const engines = this.enginesFor(domain);
    if (!engines) return INFEASIBLE;
    let outcome = numerical('no engine');
    for (const engine of engines) {
      outcome = engine().solve(this.inner, limits);
      if (outcome.status !== 'numerical') break;
    }
    if (!outcome.x) return outcome;
    for (const feature of this.problem.space.features) this.place(feature, domain, outcome.x);
    return { ...outcome, x: this.x };
  }

  /** Fills the inner domain: ends on lattice points, decimals as steps, missing values as constants. False: the domain is empty. */
  private narrow(domain: Domain): boolean {
    const { inner } = this;
    copyDomain(domain, inner);
    for (const feature of this.problem.space.features) {
      if (isMissing(feature, domain)) putAway(feature, inner);
      else if (!(feature.kind === 'choice' ? narrowChoice(feature, inner) : narrowNumber(feature, inner))) return false;
    }
    return true;
  }

  private enginesFor(domain: Domain): (() => Prepared)[] | null {
    const missing = this.problem.space.features.filter((feature) => isMissing(feature, domain));
    const key = missing.map(({ index }) => index).join();
    let engines = this.engines.get(key);
    if (engines === undefined) {
      const problem = without(this.problem, missing);
      const { table } = this;
      engines = problem && exactForParts(problem, table).map((engine) => prepareLater(engine, problem, table));
      this.engines.set(key, engines);
    }
    return engines;
  }

  /** Writes a feature of the answer: on its lattice point, within its box, and exactly the present value if it did not move. */
  private place(feature: Feature, domain: Domain, found: Float64Array): void {
    const { column, width, kind } = feature;
    const { origin } = domain;
    for (let c = column; c < column + width; c++) {
      if (Number.isNaN(origin[c])) this.x[c] = Number.NaN;
      else if (kind === 'choice') this.x[c] = found[c] === origin[c] ? origin[c] : Math.round(found[c]);
      else this.x[c] = nearestValue(this.inner, feature, found[c]);
    }
  }
}

const isMissing = ({ column }: Feature, { origin }: Domain): boolean => Number.isNaN(origin[column]);

/** A missing value stays missing: for the engines it is a constant. */
function putAway({ column, width, index }: Feature, domain: Domain): void {
  for (const part of [domain.origin, domain.lower, domain.upper]) part.fill(0, column, column + width);
  domain.step[index] = 0;
  domain.ranks[index] = null;
}

/**
 * The problem for a row with missing values: a row over a missing number does not hold, and a missing category equals none of the
 * categories. Null: the policy cannot be met.
 */
function without(problem: Problem, missing: readonly Feature[]): Problem | null {
  if (!missing.length) return problem;
  const known = ({ a }: LinearRow) => missing.every(({ kind, column }) => kind === 'choice' || a[column] === 0);
  const clauses = problem.clauses.map(({ rows }) => ({ rows: rows.filter(known) }));
  if (!problem.links.every(known) || clauses.some(({ rows }) => !rows.length)) return null;
  const rules = problem.rules.map((rule) => (missing.includes(rule.feature) ? { ...rule, never: true } : rule));
  return { ...problem, rules, clauses };
}

/** A forced category closes the others. */
function narrowChoice({ column, width }: Feature, { lower, upper }: Domain): boolean {
  let forced = -1;
  let open = 0;
  for (let c = column; c < column + width; c++) {
    if (lower[c] > upper[c]) return false;
    if (lower[c] === 1) forced = c;
    open += +(upper[c] > 0);
  }
  if (forced >= 0) for (let c = column; c < column + width; c++) if (c !== forced) upper[c] = 0;
  return open > 0;
}

function narrowNumber(feature: Feature, domain: Domain): boolean {
  const { column } = feature;
  return narrowTo(domain, feature, domain.lower[column], domain.upper[column]);
}
