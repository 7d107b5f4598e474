/**
 * piece x cost x policy -> problem, once per model, policy and goal. Constraints between features become linear rows over columns, and
 * alternatives become clauses of linear rows.
 */
import { ElsewiseError, type PlacedFault } from '../documents/error.js';
import { faultsOfCheck } from '../documents/faults/refusal.js';
import type { PolicyDocument } from '../documents/policy-document.js';
import { pullBackVector } from '../linalg/affine.js';
import { type Bounds, beyondBound } from '../models/bounds.js';
import type { FeatureSpace } from '../models/features.js';
import { isDefinedAt, type LoadedModel, Scorer } from '../models/load.js';
import { behindCurves, type Goal, type LinearRow, type Piece, pullBack } from '../models/region.js';
import { type Constraint, compileConstraint, endsOf, type LinearAtom } from '../policy/constraint.js';
import { type Cost, compileCost } from '../policy/cost.js';
import { compilePlausibility } from '../policy/plausibility/compile-plausibility.js';
import type {
  Plausibility,
  PlausibilityLimit,
  TargetPlausibility,
} from '../policy/plausibility/plausibility-measure.js';
import { compileRules, type FeatureRule } from '../policy/rules.js';
import { onOwnColumns, readsOf } from './column-trees.js';
import { withLimit } from './plausible.js';
import type { Problem, RowClause, Traits } from './problem.js';

/** The part of a policy that does not depend on the goal. */
export interface CompiledPolicy {
  readonly rules: readonly FeatureRule[];
  readonly constraints: readonly Constraint[];
  readonly links: readonly LinearRow[];
  readonly clauses: readonly RowClause[];
  readonly cost: Cost;
  readonly maxChanges: number;
  readonly plausibility: TargetPlausibility | null;
}

export function compilePolicy(policy: PolicyDocument, loaded: LoadedModel): CompiledPolicy {
  const { space } = loaded;
  const rules = compileRules(policy, space);
  const constraints = policy.constraints.map((text, i) => compileText(text, i, loaded));
  const clauses = constraints.flatMap((constraint) => constraint.clauses);
  return {
    rules,
    constraints,
    links: clauses.filter((clause) => clause.atoms.length === 1).map((clause) => toRow(clause.atoms[0], space)),
    clauses: clauses
      .filter((clause) => clause.atoms.length > 1)
      .map((clause) => ({ rows: clause.atoms.map((atom) => toRow(atom, space)) })),
    cost: compileCost(policy, space, loaded.background, loaded.bounds),
    maxChanges: policy.maxChanges ?? Infinity,
    plausibility: compilePlausibility(policy.plausibility, loaded),
  };
}

/** The constraints that do not fit the features of the model. */
export function* constraintFaults(
  policy: Pick<PolicyDocument, 'constraints'>,
  loaded: LoadedModel,
): Iterable<PlacedFault> {
  for (const [i, text] of policy.constraints.entries()) yield* faultsOfCheck(() => compileText(text, i, loaded));
}

function compileText(text: string, index: number, loaded: LoadedModel): Constraint {
  try {
    return compileConstraint(text, loaded.document.features, loaded.model.takesMissing);
  } catch (error) {
    throw new ElsewiseError('bad-document', (error as Error).message, `policy.constraints[${index}]`);
  }
}

function toRow(atom: LinearAtom, space: FeatureSpace): LinearRow {
  const a = new Float64Array(space.columns);
  for (const term of atom.terms) a[space.features[term.feature].column] += term.coefficient;
  for (const term of atom.indicators) a[space.features[term.feature].column + term.category] += term.coefficient;
  return { a, ...endsOf(atom) };
}

/** One problem for each piece of each goal's region, within the bound on their total size. `plausibility`: the policy's, for the target. */
export function compileGoals(
  loaded: LoadedModel,
  policy: CompiledPolicy,
  goals: readonly Goal[],
  plausibility: Plausibility | null,
): Problem[] {
  const problems: Problem[] = [];
  let numbers = 0;
  for (const goal of goals) {
    const own = compileProblems(loaded, policy, goal, plausibility);
    for (const { piece } of own) numbers += sizeOf(piece) * loaded.space.columns;
    if (numbers > loaded.bounds.regionNumbers) throw tooLargeRegion(numbers, goals.length, loaded.bounds);
    problems.push(...own);
  }
  return problems;
}

/** The number of linear and additive rows. */
const sizeOf = ({ rows, atoms }: Piece): number => rows.length + atoms.filter(({ kind }) => kind === 'additive').length;

function tooLargeRegion(numbers: number, classes: number, { regionNumbers }: Bounds): ElsewiseError {
  const hint = classes > 1 ? ': list fewer classes' : '';
  const message = `its region has more than ${numbers} numbers; at most ${regionNumbers} are taken${hint}`;
  return beyondBound('target', message, 'regionNumbers');
}

/** One problem for each piece of the goal's region. */
export function compileProblems(
  loaded: LoadedModel,
  policy: CompiledPolicy,
  goal: Goal,
  plausibility: Plausibility | null = policy.plausibility?.of([goal]) ?? null,
): Problem[] {
  const { rules, cost, links, clauses, maxChanges } = policy;
  const { samples } = loaded.background;
  const { limit = null, term = null } = plausibility ?? {};
  const word = modelsWord(loaded, limit, goal);
  return piecesOf(loaded, goal).map((own) => {
    const piece = limit ? withLimit(own, limit) : own;
    const parts = { space: loaded.space, rules, piece, cost, term, links, clauses, maxChanges, samples, ...word };
    return { ...parts, traits: traitsOf(parts) };
  });
}

/**
 * The region in columns. A region that the family cannot describe becomes one piece that only the model can decide. Behind a monotone step
 * trees are rewritten on columns, rows become sums of functions, and other pieces are for the model to decide.
 */
function piecesOf(loaded: LoadedModel, goal: Goal): readonly Piece[] {
  const { model } = loaded;
  const region = model.region(goal);
  const pieces = region === 'unknown' ? null : columnPieces(loaded, region);
  return pieces ?? [{ rows: [], atoms: [{ kind: model.gradient ? 'smooth' : 'oracle' }] }];
}

/** Null: a piece has no closed form in columns. */
function columnPieces(loaded: LoadedModel, region: readonly Piece[]): Piece[] | null {
  const { map, curves } = loaded.preprocessing;
  const isBent = curves !== null && !(loaded.model.forest && readsOf(loaded));
  const pulled = region.map((piece) => pullBack(map, piece));
  if (!isBent) return pulled.map((piece) => onOwnColumns(piece, loaded));
  const pieces = pulled.map((piece) => behindCurves(curves, piece));
  return pieces.includes(null) ? null : (pieces as Piece[]);
}

/** The model's own decision about columns, combined with a limit of plausibility. */
function modelsWord(loaded: LoadedModel, limit: PlausibilityLimit | null, goal: Goal) {
  const { model, preprocessing } = loaded;
  const scorer = new Scorer(loaded);
  const inputs = new Float64Array(preprocessing.inputs);
  const reaches: Problem['reaches'] = (columns) => {
    scorer.runColumns(columns);
    return model.achieves(scorer.raw, goal) && isDefinedAt(loaded, columns);
  };
  const holds: Problem['holds'] = limit ? (columns) => limit.holds(columns) && reaches(columns) : reaches;
  const own: Problem['margin'] = (columns) => {
    scorer.runColumns(columns);
    return model.margin(scorer.raw, goal);
  };
  const slope: Problem['gradient'] = (columns, out) => {
    model.gradient!(preprocessing.run(columns), goal, inputs);
    out.set(pullBackVector(preprocessing.map, inputs).a);
    preprocessing.curves?.pullBack(columns, out);
  };
  const isClear = (columns: Float64Array) => model.isClear!(preprocessing.run(columns), goal);
  const measure = { margin: own, gradient: model.gradient ? slope : null, ...(model.isClear && { isClear }) };
  return { reaches, holds, ...(limit ? lesserOf(measure, limit) : measure) };
}

type Measure = Pick<Problem, 'margin' | 'gradient' | 'isClear'>;

/** The smaller of the model's margin and the limit's margin; with a slope if both have one. */
function lesserOf(measure: Measure, limit: PlausibilityLimit): Measure {
  const { margin, gradient } = measure;
  const { margin: other, gradient: slope } = limit;
  if (!other) return measure;
  const least: Problem['margin'] = (columns) => Math.min(margin(columns), other(columns));
  const steepest: Problem['gradient'] = (columns, out) =>
    other(columns) < margin(columns) ? slope!(columns, out) : gradient!(columns, out);
  return { ...measure, margin: least, gradient: gradient && slope ? steepest : null };
}

function traitsOf(problem: Omit<Problem, 'traits'>): Traits {
  const free = problem.rules.filter((rule) => !rule.never);
  return {
    norm: problem.cost.norm,
    rows: problem.piece.rows.length + problem.links.length,
    discrete: free.some((rule) => rule.step > 0),
    rounded: free.some((rule) => rule.step === 0 && rule.feature.decimals >= 0),
    capped: problem.maxChanges < free.length,
    linked: problem.links.length > 0,
    disjunctive: problem.clauses.length > 0,
    linear: problem.piece.atoms.length === 0,
  };
}
