/**
 * The search of cuts.ts for one person. A node chooses a part for every sum that has to be large, best bound first. A problem
 * without such sums has one node. Tangents of sums that have to be small hold everywhere and are shared by all nodes.
 *
 *   visit     solve the relaxation and add the conditions that its point breaks, until the point is an answer or misses by rounding
 *   answers   from inside, around the last point (inner-answers.ts)
 *   split     where a chord is too far from the sum; without such a chord the node stays unresolved at its bound
 */
import type { Exponents } from '../../models/exponents.js';
import type { Piece } from '../../models/region.js';
import type { Domain } from '../../policy/domain.js';
import type { Problem } from '../../problems/problem.js';
import type { BestAnswer } from '../shared/best-answer.js';
import { NodeHeap } from '../shared/node-heap.js';
import { type Limits, limit, type Outcome } from '../solver.js';
import type { InnerAnswers } from './inner-answers.js';
import {
  chordMiss,
  type ExponentCut,
  type LeadPart,
  leadParts,
  missingCut,
  partCuts,
  splitPart,
} from './lead-parts.js';
import type { RelaxedProblems } from './relaxed-problems.js';
import { firstTangents, missOf, type Tangent, tangentAt } from './tangents.js';

const MAX_ROUNDS = 200;
const MAX_NODES = 500;
/** More tangents do not improve a relaxed point that misses by less than this, in log units. */
const NEAR = 1e-10;
/** Quadratic tangents make every round harder. Above this number the tangents with the most slack are dropped. */
const MOST_CURVED = 12;
/** A relative gap up to this size counts as closed. */
const CLOSED = 5e-7;
/** Share of the remaining budget for one relaxation that may end unsolved. */
const ROUND_SHARE = 0.5;

interface CutNode {
  /** The part of each sum that has to be large. */
  readonly parts: readonly LeadPart[];
  readonly bound: number;
}

/** The result of a visit. */
interface Visited {
  readonly bound: number;
  readonly x: Float64Array;
  /** The last relaxation was solved, and more tangents would not improve it. */
  readonly settled: boolean;
}

export interface CutParts {
  readonly problem: Problem;
  readonly sums: readonly Exponents[];
  readonly relaxed: RelaxedProblems;
  readonly inner: InnerAnswers;
  readonly best: BestAnswer;
}

export class CutSearch {
  private readonly small: readonly Exponents[];
  private readonly large: readonly Exponents[];
  private readonly first: readonly Tangent[];
  private tangents: Tangent[] = [];
  /** The least bound of the closed nodes and of the nodes that could not be resolved. */
  private closed = Infinity;

  constructor(
    private readonly parts: CutParts,
    private readonly domain: Domain,
    private readonly limits: Limits,
  ) {
    this.small = parts.sums.filter((sum) => !sum.atLeast);
    this.large = parts.sums.filter((sum) => sum.atLeast);
    // Linear rows join when they are broken. Quadratics start with each exponent alone, which keeps the number of further tangents small.
    this.first = parts.relaxed.isLinear ? [] : this.small.flatMap((sum) => firstTangents(sum, domain.origin));
  }

  run(): Outcome {
    const { limits } = this;
    const { best } = this.parts;
    const open = new NodeHeap<CutNode>();
    for (const parts of combinations(this.large)) open.push({ parts, bound: 0 }, 0);
    for (let visited = 0; open.size; visited++) {
      const bound = open.least();
      if (limits.anyAnswer && best.isFound) return limit(best.x, 0);
      if (this.isClosed(bound)) return this.conclude(bound);
      if (visited > 0 && (visited >= MAX_NODES || limits.budget.isSpent)) return this.conclude(bound);
      this.visit(open.pop()!, open);
    }
    return this.conclude(Infinity);
  }

  private isClosed(bound: number): boolean {
    const { cutoff, gap } = this.limits;
    return bound >= Math.min(this.parts.best.cost, cutoff) * (1 - Math.max(CLOSED, gap));
  }

  /** `open`: the least bound of the nodes that were not visited. */
  private conclude(open: number): Outcome {
    return this.parts.best.conclude(Math.min(open, this.closed));
  }

  private visit(node: CutNode, open: NodeHeap<CutNode>): void {
    const end = this.relax(node);
    if (!end) return;
    const children = this.isClosed(end.bound) ? null : this.answerAndSplit(node, end);
    if (children) for (const child of children) open.push(child, child.bound);
    else this.closed = Math.min(this.closed, end.bound);
  }

  /** Rounds of cutting planes. Undefined: the node is proved to have no answer. */
  private relax(node: CutNode): Visited | undefined {
    const { relaxed, problem, best } = this.parts;
    const own = node.parts.map((part) => [...partCuts(part)]);
    let x = this.domain.origin;
    let bound = node.bound;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const outcome = relaxed.solve(this.conditions(own, x), this.domain, this.shortened());
      if (outcome.status === 'infeasible') return undefined;
      bound = Math.max(bound, outcome.lowerBound);
      if (!outcome.x) return { bound, x, settled: false };
      x = outcome.x.slice();
      const isSolved = outcome.status === 'solved';
      if (problem.holds(x)) {
        best.offer(x);
        if (isSolved) this.closed = Math.min(this.closed, bound);
        return isSolved ? undefined : { bound, x, settled: false };
      }
      if (this.isClosed(bound)) return { bound, x, settled: false };
      if (!this.tighten(node, own, x) || this.limits.budget.isSpent) return { bound, x, settled: isSolved };
    }
    return { bound, x, settled: false };
  }

  /** Relaxations that often end unsolved get a share of the budget only. */
  private shortened(): Limits {
    const { limits } = this;
    return { ...limits, anyAnswer: false, budget: limits.budget.shareEffort(ROUND_SHARE) };
  }

  private conditions(own: readonly (readonly ExponentCut[])[], around: Float64Array): Piece[] {
    const ofParts = own.flatMap((cuts, k) =>
      cuts.map(({ a, level }) => this.large[k].condition(a, level, 'eased', around)),
    );
    return [...[...this.first, ...this.tangents].map(({ eased }) => eased), ...ofParts];
  }

  /** Adds the conditions that x breaks. False: x breaks none by more than rounding. */
  private tighten({ parts }: CutNode, own: ExponentCut[][], x: Float64Array): boolean {
    const broken = this.small.filter((sum) => missOf(sum, x) > NEAR);
    this.tangents.push(...broken.map((sum) => tangentAt(sum, x)));
    this.dropSlack(x);
    let added = broken.length > 0;
    for (const [k, part] of parts.entries()) {
      const w = this.large[k].at(x);
      if (chordMiss(part, w) <= NEAR) continue;
      own[k].push(missingCut(part, w));
      added = true;
    }
    return added;
  }

  /** Drops the quadratic tangent with the most slack at x to make room for new ones. */
  private dropSlack(x: Float64Array): void {
    if (this.tangents.length <= MOST_CURVED || this.parts.relaxed.isLinear) return;
    const slack = ({ sum, shares, level }: Tangent) =>
      level - sum.at(x).reduce((total, w, j) => total + shares[j] * w, 0);
    const worst = this.tangents.reduce((a, b) => (slack(b) > slack(a) ? b : a));
    this.tangents = this.tangents.filter((tangent) => tangent !== worst);
  }

  /** The children of a node. Null: no split is possible. */
  private answerAndSplit(node: CutNode, { x, bound, settled }: Visited): CutNode[] | null {
    const { inner, problem } = this.parts;
    const limits = this.shortened();
    const known = [...this.first, ...this.tangents];
    const isFound = settled && inner.nearBoundary(known, x, this.domain, limits, bound);
    if (!isFound && !problem.holds(x)) inner.fromShares(x, this.domain, limits, bound);
    if (this.isClosed(bound)) return null;
    for (const [k, part] of node.parts.entries()) {
      const halves = splitPart(part, this.large[k].at(x), NEAR);
      if (halves) return halves.map((half) => ({ parts: node.parts.with(k, half), bound }));
    }
    return null;
  }
}

/** All combinations of one part for each sum. */
function combinations(sums: readonly Exponents[]): LeadPart[][] {
  return sums.reduce<LeadPart[][]>(
    (all, { count }) => all.flatMap((parts) => leadParts(count).map((part) => [...parts, part])),
    [[]],
  );
}
