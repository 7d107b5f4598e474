/**
 * All entries of a policy that do not fit a model. Preparing a plan stops at the first. The checks here go through every entry, and one
 * wrong entry hides no other.
 */
import { ElsewiseError, type PlacedFault } from '../../documents/error.js';
import { faultsOfCheck, firstOf, refusalOf } from '../../documents/faults/refusal.js';
import { didYouMean } from '../../documents/nearest-name.js';
import type { PolicyDocument } from '../../documents/policy-document.js';
import type { LoadedModel } from '../../models/load.js';
import { compileCost, weightFaults } from '../../policy/cost.js';
import { leverFaults } from '../../policy/levers.js';
import { wishFaults } from '../../policy/overlay.js';
import { pathFaults } from '../../policy/path.js';
import { compilePlausibility } from '../../policy/plausibility/compile-plausibility.js';
import { ruleFaults } from '../../policy/rules.js';
import { resolveTarget, targetsOf } from '../../policy/target.js';
import { constraintFaults } from '../../problems/compile.js';
import { solvers } from '../../solvers/index.js';
import { refuseFamily } from '../reasons/decided-sum.js';

/** The entries that do not fit, in the order of the document's keys. */
export function* misfits(policy: PolicyDocument, model: LoadedModel): Iterable<PlacedFault> {
  yield* targetFaults(policy, model);
  yield* weightFaults(policy.cost, model.space);
  yield* costFaults(policy, model);
  yield* ruleFaults(policy, model.space);
  yield* constraintFaults(policy, model);
  yield* leverFaults(policy, model.space);
  yield* faultsOfCheck(() => compilePlausibility(policy.plausibility, model));
  yield* pathFaults(policy, model);
  yield* wishFaults(policy, model.space);
  yield* faultsOfCheck(() => checkReasons(policy, model));
  yield* solverFaults(policy);
}

/** Reasons need a family whose score is an exact sum. */
function checkReasons({ reasons }: PolicyDocument, model: LoadedModel): void {
  if (reasons && !model.model.scoreSum) throw refuseFamily(model);
}

/** The error with all faults of the policy, in place of the error with the first fault. */
export function withAllFaults(error: unknown, policy: PolicyDocument, model: LoadedModel): unknown {
  if (!(error instanceof ElsewiseError)) return error;
  const faults = firstOf(misfits(policy, model));
  return faults.length ? refusalOf(faults, error.code) : error;
}

/** Each class of a list is checked by itself. */
function* targetFaults(policy: PolicyDocument, model: LoadedModel): Iterable<PlacedFault> {
  const { targets, margin, tolerance } = policy;
  for (const [k, target] of targetsOf(policy).entries())
    for (const one of Array.isArray(target) ? target : [target])
      for (const { message } of faultsOfCheck(() => resolveTarget(one, model, margin, tolerance)))
        yield { path: targets ? `policy.targets[${k}]` : 'policy.target', message };
}

/** The statistics that the norm and the units need. Names of weights are checked by themselves. */
function costFaults(policy: PolicyDocument, { space, background, bounds }: LoadedModel): readonly PlacedFault[] {
  const { cost } = policy;
  const weights = typeof cost.weights === 'object' ? 'none' : cost.weights;
  return faultsOfCheck(() => compileCost({ ...policy, cost: { ...cost, weights } }, space, background, bounds));
}

/** The names of solvers that do not exist. */
export function* solverFaults({ solvers: names }: Pick<PolicyDocument, 'solvers'>): Iterable<PlacedFault> {
  const known = ['auto', ...solvers.map((solver) => solver.name)];
  for (const [i, name] of names.entries()) {
    if (known.includes(name)) continue;
    const hint = didYouMean(name, known) || `; known are ${known.join(', ')}`;
    yield { path: `policy.solvers[${i}]`, message: `unknown solver${hint}` };
  }
}
