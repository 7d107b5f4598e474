/**
 * The region around an answer: a box in which every point keeps the target and the policy, widened as far as possible feature by feature.
 *
 *   the features that the answer changes vary; all others keep their values
 *   the feature whose change costs most grows first; a number grows away from the present value, then back towards it
 *   categories are added one by one
 *   an end is moved only if the whole resulting box is proved (proofs/box-proof.ts, policy/constraint-box.ts)
 *
 * The method is greedy: another order could give another box. No end of this box can be moved by more than 3e-6 of its size or width,
 * and no rank or category added (`maximal`, where each refusal came with a point that fails). At the end the model itself scores points
 * of the box. A box with a refused point is never reported.
 */
import type { RegionDocument } from '../../documents/result-document.js';
import type { Feature } from '../../models/features.js';
import type { LoadedModel } from '../../models/load.js';
import { contains } from '../../models/region.js';
import { changeCost } from '../../policy/cost.js';
import { isSame } from '../../policy/values.js';
import { type Budget, FLOPS_PER_UNIT } from '../../problems/budget.js';
import type { CompiledPolicy } from '../../problems/compile.js';
import { boxEffort } from '../../proofs/box-effort.js';
import { prepareBoxProof } from '../../proofs/box-proof.js';
import { modelFlops } from '../../solvers/shared/model-flops.js';
import type { Person, TargetPlan } from '../search.js';
import type { Verifier } from '../verify.js';
import type { ProvedPiece } from './box-cover.js';
import { pointsOf } from './region-points.js';
import { openTo, showBox } from './shown-box.js';
import { Widening } from './widening.js';

/** The largest number of looks at parts of boxes for one answer. */
const MOST_LOOKS = 40_000;
/** The number of points at which the model is asked. */
const POINTS = 24;
const NOT_OF_ANSWER = 'the box is no box of permitted values around the answer';
/** A point belongs to all pieces within this distance. */
const BELONGS = 1e-6;

export class Regions {
  constructor(
    private readonly model: LoadedModel,
    private readonly policy: CompiledPolicy,
    private readonly verifier: Verifier,
  ) {}

  around(values: Float64Array, person: Person, target: TargetPlan, budget: Budget): RegionDocument {
    const { widening, changed, isAnswer } = this.begin(values, person, target, budget);
    const maximal = widening.widen();
    const holds = pointsOf(widening.box.domain, changed, values, POINTS).every(isAnswer);
    if (!holds) widening.shrink();
    return showBox(widening.box.domain, changed, holds && maximal);
  }

  /** The fault of a box that is claimed around an answer; empty: the box is proved anew. */
  faultOf(
    claimed: RegionDocument,
    values: Float64Array,
    person: Person,
    target: TargetPlan,
    budget: () => Budget,
  ): string {
    const { widening, changed, isAnswer } = this.begin(values, person, target, budget());
    if (!openTo(widening.box.domain, person.domain, changed, values, claimed)) return NOT_OF_ANSWER;
    const isRefuted = !pointsOf(widening.box.domain, changed, values, POINTS).every(isAnswer);
    if (isRefuted || !widening.isProved()) return 'not every point of the box is proved to be an answer';
    const isConfirmed =
      !claimed.proof.maximal ||
      JSON.stringify(this.around(values, person, target, budget())) === JSON.stringify(claimed);
    return isConfirmed ? '' : 'the box is not proved to be maximal';
  }

  private begin(values: Float64Array, person: Person, target: TargetPlan, budget: Budget) {
    const changed = this.changedFeatures(values, person);
    const effort = boxEffort(MOST_LOOKS, budget);
    const { constraints } = this.policy;
    const isAnswer = (point: Float64Array) => this.verifier.check(person.factual, person.baseline, point, target).ok;
    const pieces = this.piecesOf(target);
    const widening = new Widening({ person, values, changed, constraints, pieces, effort, isAnswer });
    return { widening, changed, isAnswer };
  }

  /** Dearest change first. */
  private changedFeatures(values: Float64Array, { factual, baseline }: Person): Feature[] {
    const price = ({ index }: Feature) =>
      changeCost(this.policy.cost, this.model.space.features[index], baseline[index], values[index]);
    return this.model.space.features
      .filter(({ index }) => !isSame(values[index], factual[index]))
      .sort((a, b) => price(b) - price(a) || a.index - b.index);
  }

  private piecesOf(target: TargetPlan): readonly ProvedPiece[] {
    const { run, imputed } = this.model.preprocessing;
    const known = (columns: Float64Array) => columns.map((v, c) => (Number.isNaN(v) ? imputed[c] : v));
    target.pieces ??= target.problems.map((problem) => ({
      proof: prepareBoxProof(problem, run),
      contains: (columns) => contains(problem.piece, known(columns), BELONGS),
      work: modelFlops(problem) / FLOPS_PER_UNIT,
    }));
    return target.pieces;
  }
}
