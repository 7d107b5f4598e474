/**
 * A prepared plan: all work for a model and a policy that does not depend on the row, done once. Explaining a row is then
 *
 *   read -> target -> score -> already?  ->  domain -> ladder per piece -> settle, verify -> result
 *
 * synchronously and without I/O. Each thread needs its own plan, because a plan owns scratch arrays.
 */
import { ElsewiseError } from '../documents/error.js';
import { refuseFirst } from '../documents/faults/refusal.js';
import type { RowValue } from '../documents/model-document.js';
import type { PolicyDocument, TargetDocument } from '../documents/policy-document.js';
import type { CounterfactualDocument, RegionDocument, ResultDocument } from '../documents/result-document.js';
import { faultsOf, RowError, type RowFault } from '../documents/row-error.js';
import type { LoadedModel } from '../models/load.js';
import { readRecord, recordOf } from '../models/read-row.js';
import { graphKey } from '../models/rows/row-graph.js';
import type { SettledPolicy } from '../policy/defaults.js';
import { createDomain, type Domain, fillDomain } from '../policy/domain.js';
import { underLever } from '../policy/levers.js';
import { graphSpecOf } from '../policy/path.js';
import { isGiven, parseTarget, resolveTarget, targetsOf } from '../policy/target.js';
import { Budget, type Clock, EFFORT_PER_MS } from '../problems/budget.js';
import { type CompiledPolicy, compileGoals, compilePolicy } from '../problems/compile.js';
import { PieceBounds } from '../solvers/shared/piece-bounds.js';
import type { Limits, Outcome, Prepared } from '../solvers/solver.js';
import { solverFaults } from './checks/policy-fit.js';
import { type Recheck, recheckResult } from './checks/recheck.js';
import { type Claims, type Prover, reasonFaults } from './checks/reprove.js';
import { areDifferent, diversify } from './diverse.js';
import { type Engine, enginesForOwnTargets, enginesOf } from './engines.js';
import { explainInfeasible } from './infeasible.js';
import { buildLadder, climb, closes, noteAttempt, provedTo, roundMs } from './ladder.js';
import { concludeLevers, type LeverPlan, type Question } from './levers.js';
import { concludePath, PATH_SOLVER } from './paths/conclude-path.js';
import { PathSearch } from './paths/path-search.js';
import type { Plan, PlanOptions, Row, RowSteps } from './plan-contract.js';
import { PlanMemory } from './plan-memory.js';
import { PlanParts } from './plan-parts.js';
import { showReasons } from './reasons/alone.js';
import { type ReasonCodes, reasonCodesOf } from './reasons/reason-codes.js';
import { Regions } from './regions/region.js';
import {
  type Conclusion,
  listChanges,
  type ReportedAnswer,
  type ResultDetail,
  ResultWriter,
  reasonNotFound,
} from './result.js';
import { explainRow, explainRowSteps } from './row-by-name.js';
import { concludeRungs } from './rungs.js';
import {
  asAnswer,
  cheaper,
  FIRST_SHARE,
  LEAST_SHARE,
  leastBoundFirst,
  NO_PIECE,
  type Person,
  type Search,
  type SearchOutcome,
  type TargetPlan,
  withoutBound,
} from './search.js';
import { type Settled, settle } from './settle.js';
import { Suspension } from './suspension.js';
import { Verifier } from './verify.js';

export class PreparedPlan implements Plan, Prover {
  private readonly compiled: CompiledPolicy;
  private readonly memory: PlanMemory;
  readonly parts: PlanParts;
  private readonly verifier: Verifier;
  private readonly writer: ResultWriter;
  private readonly regions: Regions;
  readonly person: Person;
  private readonly now: () => number;
  private readonly guard: Clock;
  /** The engines that the policy's own target may need. */
  private readonly ownEngines: readonly Engine[];
  /** A plan for each group of features, where the policy names groups. */
  private readonly levers: readonly LeverPlan<PreparedPlan>[];
  /** Null: the policy asks for no path. */
  private readonly paths: PathSearch | null;
  /** Null: the policy asks for no reasons. */
  private readonly reasons: ReasonCodes | null;

  constructor(
    readonly model: LoadedModel,
    readonly policy: SettledPolicy,
    private readonly options: Required<PlanOptions>,
    /** Shared by all plans that serve one another: the explanation in progress, where the model is scored elsewhere. */
    private readonly turn: { suspension: Suspension | null } = { suspension: null },
    /** The plan serves another plan, whose policy contains this plan's policy. */
    private readonly isPart = false,
  ) {
    this.now = options.now;
    this.guard = { now: () => turn.suspension?.now() ?? options.ownTime() };
    refuseFirst(solverFaults(policy.document));
    this.compiled = compilePolicy(policy.document, model);
    this.verifier = new Verifier(model, this.compiled);
    this.regions = new Regions(model, this.compiled, this.verifier);
    this.writer = new ResultWriter(model, policy, this.verifier.scorer);
    const values = () => new Float64Array(model.space.features.length);
    this.person = { factual: values(), baseline: values(), domain: createDomain(model.space) };
    this.levers = this.leverPlans();
    this.paths = this.levers.length ? null : this.pathSearch();
    this.reasons = isPart ? null : reasonCodesOf(model, this.compiled.cost, this.verifier, policy.document);
    const { compiled, verifier, person, paths, reasons } = this;
    this.memory = new PlanMemory(this, model, { compiled, verifier, person, paths, reasons });
    this.parts = new PlanParts(options.partBytes);
    const targets = this.levers.length ? [] : targetsOf(policy.document);
    const engines = targets.flatMap((target) => enginesOf(this.policyTarget(target).ladders));
    this.ownEngines = [...new Set([...engines, ...this.levers.flatMap(({ plan }) => plan.ownEngines)])];
  }

  /** The plan itself searches under a policy of one lever. */
  private leverPlans(): LeverPlan<PreparedPlan>[] {
    const { document } = this.policy;
    if (this.isPart || !document.levers) return [];
    return Object.keys(document.levers).map((lever) => ({ lever, plan: this.under(underLever(document, lever)) }));
  }

  private pathSearch(): PathSearch | null {
    const { model, compiled, verifier, options } = this;
    const { path } = this.policy.document;
    if (!path) return null;
    const spec = graphSpecOf(path, compiled.rules);
    const graph = options.graphs.get(graphKey(spec))!;
    const { method, atLeast } = path;
    return new PathSearch(model, compiled, verifier, graph, spec, { isWeighted: method === 'density', atLeast });
  }

  get bytes(): number {
    return this.memory.modelBytes + this.ownBytes;
  }

  get engines(): readonly Engine[] {
    return this.ownEngines.length ? this.ownEngines : enginesForOwnTargets(this.model);
  }

  get ownBytes(): number {
    return this.memory.ownBytes + this.parts.bytes + this.levers.reduce((sum, { plan }) => sum + plan.ownBytes, 0);
  }

  get values(): Float64Array {
    return this.person.factual;
  }

  explain(row: Row): ResultDocument {
    return explainRow(this, row);
  }

  explainSteps(row: Row): RowSteps {
    return explainRowSteps(this, row);
  }

  *explainRecordSteps(id: string, raw: readonly (RowValue | undefined)[], target?: unknown): RowSteps {
    const { memory } = this.model.model;
    if (!memory) return this.explainRecord(id, raw, target);
    const suspension = new Suspension(this.model.preprocessing, memory, this.options.ownTime);
    const start = this.now();
    for (;;) {
      this.turn.suspension = suspension;
      const attempted = suspension.attempt(() => this.explainFrom(id, raw, target, start));
      this.turn.suspension = null;
      if (!attempted.inputs) return attempted.result;
      suspension.learn(attempted.inputs, yield attempted.inputs);
    }
  }

  private readonly solve = (prepared: Prepared, domain: Domain, limits: Limits): Outcome =>
    this.turn.suspension?.solve(prepared, domain, limits) ?? prepared.solve(domain, limits);

  explainRecord(
    id: string,
    raw: readonly (RowValue | undefined)[],
    target?: unknown,
    detail: ResultDetail = 'full',
  ): ResultDocument {
    return this.explainFrom(id, raw, target, this.now(), detail);
  }

  private explainFrom(
    id: string,
    raw: readonly (RowValue | undefined)[],
    target: unknown,
    start: number,
    detail: ResultDetail = 'full',
  ): ResultDocument {
    try {
      readRecord(this.model, raw, this.person.factual);
      return this.explainPerson(id, target, start, detail);
    } catch (error) {
      if (!(error instanceof ElsewiseError)) throw error;
      const ofTarget = error instanceof RowError ? this.targetFaults(target) : [];
      return this.invalid(id, [...faultsOf(error), ...ofTarget]);
    }
  }

  /** The faults of the target of a row whose values are faulty. */
  private targetFaults(own: unknown): readonly RowFault[] {
    try {
      this.readTarget(this.wantedTarget(own));
      return [];
    } catch (error) {
      if (error instanceof ElsewiseError) return faultsOf(error);
      throw error;
    }
  }

  invalid(id: string, faults: readonly RowFault[]): ResultDocument {
    return this.writer.invalid(id, faults);
  }

  recheck(result: ResultDocument): Recheck {
    const { model, person, verifier, writer } = this;
    const planOf = (lever: string | undefined) => this.levers.find((one) => one.lever === lever)?.plan ?? this;
    const verifierOf = (lever: string | undefined) => planOf(lever).verifier;
    const targetOf = (target: TargetDocument) => this.targetPlan(target);
    return recheckResult(
      { model, person, verifier, writer, verifierOf, targetOf },
      result,
      this.targetPlan(result.target),
    );
  }

  reprove(claims: Claims): string[] {
    const { factual, counterfactuals, regions, reason, target } = claims;
    const planOf = (lever: string | undefined) => this.levers.find((one) => one.lever === lever)?.plan ?? this;
    const ofRegions = counterfactuals.flatMap((claimed, k) => {
      const region = regions[k];
      const fault = region && planOf(claimed.lever).regionFault(claims, claimed, region);
      return fault ? [`counterfactuals[${k}].region: ${fault}`] : [];
    });
    if (!reason) return ofRegions;
    this.meet(factual!.features);
    return [...ofRegions, ...reasonFaults(this, reason, factual!.features, target)];
  }

  /** The fault of a box that is claimed around an answer; empty: the box is proved. */
  private regionFault({ factual, target }: Claims, claimed: CounterfactualDocument, region: RegionDocument): string {
    if (!this.policy.document.region) return 'the policy asks for no region';
    const { model, person } = this;
    this.meet(factual!.features);
    const values = new Float64Array(model.space.features.length);
    readRecord(model, recordOf(model, claimed.features), values);
    return this.regions.faultOf(region, values, person, this.targetPlan(claimed.target ?? target), () => this.budget());
  }

  /** Reads a row and what it may change. */
  private meet(features: Record<string, RowValue>): void {
    const { model, person, verifier, compiled } = this;
    readRecord(model, recordOf(model, features), person.factual);
    verifier.baselineOf(person.factual, person.baseline);
    fillDomain(person.domain, model.space, compiled.rules, person.factual, model.preprocessing.imputed);
  }

  faultAt(values: Float64Array, target: TargetDocument, claimed: number): string {
    const { verifier, person } = this;
    verifier.baselineOf(person.factual, person.baseline);
    const { fault, cost } = verifier.check(person.factual, person.baseline, values, this.targetPlan(target));
    return fault || cost === claimed ? fault : `the cost is ${cost}, and the result says ${claimed}`;
  }

  private explainPerson(id: string, own: unknown, start: number, detail: ResultDetail): ResultDocument {
    const { person, writer, verifier } = this;
    const { targets } = this.policy.document;
    if (targets && !isGiven(own)) return this.explainRungs(id, targets, start, detail);
    const target = this.targetPlan(own);
    verifier.score(person.factual);
    writer.begin(id, target, person, detail);
    if (verifier.hasTarget(target)) return writer.already(this.elapsed(start));
    verifier.baselineOf(person.factual, person.baseline);
    const drafts = this.reasons?.draft(target.goals, person, verifier.scorer.raw, verifier.scorer.scores);
    const question: Question = { own, attempts: [], budget: this.budget() };
    const conclusion = this.levers.length
      ? concludeLevers(this.levers, person.factual, question)
      : this.conclude(target, question);
    const reasons = drafts && showReasons(this, drafts, target, conclusion, question.budget);
    return writer.concluded({ ...conclusion, reasons }, question, this.elapsed(start));
  }

  private explainRungs(id: string, wanted: readonly TargetDocument[], start: number, detail: ResultDetail) {
    const { person, verifier, writer } = this;
    const targets = wanted.map((target) => this.policyTarget(target));
    verifier.score(person.factual);
    verifier.baselineOf(person.factual, person.baseline);
    const question: Question = { own: undefined, attempts: [], budget: this.budget() };
    const ladder = concludeRungs(targets, question, {
      reaches: (rung) => verifier.hasTarget(rung),
      conclude: (rung, share) => this.conclude(rung, share),
    });
    const { target, conclusion } = ladder;
    verifier.score(person.factual);
    writer.begin(id, target, person, detail);
    const elapsed = this.elapsed(start);
    return conclusion ? writer.concluded(conclusion, question, elapsed) : writer.already(elapsed, ladder);
  }

  concludeFor(factual: Float64Array, question: Question): Conclusion {
    this.person.factual.set(factual);
    this.verifier.baselineOf(this.person.factual, this.person.baseline);
    return this.conclude(this.targetPlan(question.own), question);
  }

  /** The conclusion of the person's search. */
  private conclude(target: TargetPlan, { attempts, budget }: Question): Conclusion {
    const { model, person } = this;
    fillDomain(person.domain, model.space, this.compiled.rules, person.factual, model.preprocessing.imputed);
    const search: Search = { target, attempts, budget, anyAnswer: false };
    if (this.paths) return this.concludePath(this.paths, search);
    const found = this.cheapest(search);
    if (found.answer) {
      const { answers, cut } = this.answers(found, search);
      return { status: 'found', answers: this.withRegions(answers, search), degraded: !found.finished || cut };
    }
    if (!found.finished) return { status: 'not-found', answers: [], reason: reasonNotFound(search), degraded: true };
    return { status: 'infeasible', answers: [], reason: explainInfeasible(this, search), degraded: false };
  }

  /** Where further answers are wanted, the search for the first leaves them a share of the effort, unless it needs all to find one. */
  private cheapest(search: Search): SearchOutcome {
    const { domain } = this.person;
    if (this.policy.document.count === 1) return this.search(domain, search);
    const first = this.search(domain, { ...search, budget: search.budget.shareEffort(FIRST_SHARE) });
    const isSettled = first.finished || (first.answer && !first.isDoubtful);
    return isSettled ? first : this.search(domain, search);
  }

  private answers(first: SearchOutcome, search: Search): { answers: ReportedAnswer[]; cut: boolean } {
    const { count } = this.policy.document;
    if (count === 1) return { answers: [asAnswer(first)], cut: false };
    return diversify(this, first, search, count);
  }

  private concludePath(paths: PathSearch, search: Search): Conclusion {
    const { person, verifier } = this;
    const { attempts, budget, target } = search;
    const start = this.now();
    const { count } = this.policy.document;
    const differ = (a: Float64Array, b: Float64Array) => areDifferent(this, a, b);
    const conclusion = concludePath(paths, verifier, person, target, { attempts, budget, count, differ });
    noteAttempt(attempts, PATH_SOLVER, conclusion.answers.length ? 'solved' : 'limit', this.now() - start);
    return { ...conclusion, answers: this.withRegions(conclusion.answers, search) };
  }

  private withRegions(answers: readonly ReportedAnswer[], { target, budget }: Search): readonly ReportedAnswer[] {
    if (!this.policy.document.region) return answers;
    const around = ({ settled }: ReportedAnswer) => this.regions.around(settled.values, this.person, target, budget);
    return answers.map((answer) => ({ ...answer, region: around(answer) }));
  }

  budget(): Budget {
    const { deadlineMs, effort } = this.policy.document;
    return new Budget(effort ?? EFFORT_PER_MS * deadlineMs, this.guard, deadlineMs);
  }

  private elapsed(start: number): number {
    return roundMs(this.now() - start);
  }

  /** The cheapest verified answer within a domain, over all pieces of the target's region, least bound first. */
  search(domain: Domain, { target, attempts, budget, anyAnswer }: Search): SearchOutcome {
    const settleHere = (x: Float64Array) => this.settle(domain, x, target);
    const { seed, memoryMb, gap } = this.policy.document;
    const pieces = leastBoundFirst(target, domain);
    let best = NO_PIECE;
    for (let k = 0; k < pieces.length; k++) {
      const { ladder, bound } = pieces[k];
      const cutoff = best.answer?.cost ?? Infinity;
      // No later piece has an answer that is worth a search, nor a bound below this one.
      if (closes(bound, cutoff, gap)) return provedTo(best, Math.min(best.lowerBound, bound), best.finished);
      const share = budget.share(Math.max(LEAST_SHARE, 1 / (pieces.length - k)));
      const limits = { budget: share, anyAnswer, seed, memoryMb, gap, cutoff };
      const step = climb(ladder, domain, { limits, attempts, now: this.now, solve: this.solve, settle: settleHere });
      best = cheaper(best, bound > 0 ? provedTo(step, Math.max(step.lowerBound, bound), step.finished) : step);
      if (anyAnswer && best.answer) break;
    }
    return best;
  }

  /** The same for another row and target, without a result: for plans that serve another plan. */
  searchFor(factual: Float64Array, target: TargetDocument, budget: Budget, anyAnswer: boolean): SearchOutcome {
    const { person, model } = this;
    person.factual.set(factual);
    this.verifier.baselineOf(person.factual, person.baseline);
    fillDomain(person.domain, model.space, this.compiled.rules, person.factual, model.preprocessing.imputed);
    return this.search(person.domain, { target: this.targetPlan(target), attempts: [], budget, anyAnswer });
  }

  changes(values: Float64Array): ResultDocument['counterfactuals'][number]['changes'] {
    return listChanges(this.model.space, this.person.factual, values);
  }

  private settle(domain: Domain, x: Float64Array, target: TargetPlan): Settled | null {
    const { factual, baseline } = this.person;
    const check = (values: Float64Array) => this.verifier.check(factual, baseline, values, target).cost;
    return settle(this.model.space, domain, factual, x, check);
  }

  under(policy: PolicyDocument): PreparedPlan {
    // A part of a checked policy needs no check, and its digest is never read.
    return new PreparedPlan(this.model, { ...this.policy, document: policy }, this.options, this.turn, true);
  }

  private targetPlan(own: unknown): TargetPlan {
    const build = () => this.buildTarget(this.wantedTarget(own));
    const target = this.parts.take(isGiven(own) ? `target ${JSON.stringify(own)}` : 'target', build, this.targetBytes);
    if (target instanceof ElsewiseError) throw target;
    return target;
  }

  /** A target that the policy names. */
  private policyTarget(target: TargetDocument): TargetPlan {
    return this.targetPlan(this.policy.document.targets ? target : undefined);
  }

  private readonly targetBytes = (target: TargetPlan | ElsewiseError): number => this.memory.bytesBeside(target);

  /** The target of a row wins over the target of the policy. */
  private wantedTarget(own: unknown): unknown {
    return isGiven(own) ? own : this.policy.document.target;
  }

  private readTarget(target: unknown) {
    if (target === undefined)
      throw new ElsewiseError('bad-row', 'is missing: give a target in the row or in the policy', 'target');
    const shown = parseTarget(target);
    const { margin, tolerance } = this.policy.document;
    return { shown, goals: resolveTarget(shown, this.model, margin, tolerance) };
  }

  private buildTarget(target: unknown): TargetPlan | ElsewiseError {
    try {
      const { shown, goals } = this.readTarget(target);
      const { tolerance, path, region, solvers: wanted } = this.policy.document;
      // A path is searched among rows: the model's region matters only for the boxes around its end. Rows have the target without the
      // margin: the removal of the margin must not change plausibility.
      const measured = resolveTarget(shown, this.model, 0, tolerance);
      const plausibility = this.compiled.plausibility?.of(measured) ?? null;
      const problems = path && !region ? [] : compileGoals(this.model, this.compiled, goals, plausibility);
      const ladders = problems.map((problem) => buildLadder(problem, wanted));
      this.reasons?.check(goals);
      const bounds = problems.length > 1 ? new PieceBounds(problems) : null;
      return { shown, goals, plausibility, problems, ladders, unbounded: ladders.map(withoutBound), bounds };
    } catch (error) {
      if (error instanceof ElsewiseError) return error;
      throw error;
    }
  }
}
