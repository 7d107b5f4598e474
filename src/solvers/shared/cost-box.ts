/**
 * The part of a person's domain that a cost reaches. Beyond this part a single feature alone costs more.
 *
 *   L1, percentile   |Δ_f| <= cost / w_f        L2   Δ_f² <= cost / w_f        (w_f: the least cost of a unit)
 *
 * Features without bounds thereby get bounds: a proof that rows have no common point needs a box.
 */
import { cloneDomain, type Domain } from '../../policy/domain.js';
import { narrowTo } from '../../policy/values.js';
import type { Problem } from '../../problems/problem.js';
import { leastSlope } from './cost-reach.js';

/** A multiple of the relative rounding error. */
const WIDER = 1e-6;

const REACH: Partial<Record<Problem['cost']['norm'], (cost: number, weight: number) => number>> = {
  l1: (cost, weight) => cost / weight,
  percentile: (cost, weight) => cost / weight,
  l2: (cost, weight) => Math.sqrt(cost / weight),
};

/** The part of the domain within the cost. Null: no point of the domain costs so little. */
export function withinCost(problem: Problem, domain: Domain, cost: number): Domain | null {
  const reach = REACH[problem.cost.norm];
  if (!reach || cost === Infinity) return domain;
  const part = cloneDomain(domain);
  for (const { feature, never } of problem.rules) {
    const here = domain.origin[feature.column];
    if (never || feature.kind === 'choice' || Number.isNaN(here)) continue;
    const most = reach(cost, leastSlope(problem, feature)) * (1 + WIDER) + WIDER * Math.abs(here) * 1e-6;
    if (most < Infinity && !narrowTo(part, feature, here - most, here + most)) return null;
  }
  return part;
}
