/**
 * All faults of a policy document at once, with a model or without one:
 *
 *   faults(policy)  =  faults of the document by itself  +  misfits of its well-formed part with the model
 *
 * The names of solvers need no model.
 */
import type { PlacedFault } from '../../documents/error.js';
import { faultsOfCheck, firstOf, refusalOf } from '../../documents/faults/refusal.js';
import { examine } from '../../documents/parse.js';
import { policySchema } from '../../documents/policy-document.js';
import type { LoadedModel } from '../../models/load.js';
import { ownFaults } from '../../policy/own-faults.js';
import { loadPolicy } from '../../policy/policy.js';
import { createPlan } from '../plan.js';
import { misfits, solverFaults } from './policy-fit.js';

export function policyFaults(document: unknown, model?: LoadedModel): PlacedFault[] {
  const { faults, parsed, originalPath } = examine(policySchema, document, 'policy', ownFaults);
  if (!parsed) return faults;
  const found = firstOf(model ? misfits(parsed, model) : solverFaults(parsed));
  const others = found.map(({ path, message }) => ({ path: originalPath(path), message }));
  const all = distinct([
    ...faults.filter(({ path }) => !others.some((other) => other.path.startsWith(`${path}.`))),
    ...others,
  ]);
  return all.length || !model ? all : [...faultsOfCheck(() => createPlan(model, loadPolicy(document)))];
}

/** Refuses a policy with all its faults. */
export function checkPolicy(document: unknown, model?: LoadedModel): void {
  const faults = policyFaults(document, model);
  if (faults.length) throw refusalOf(faults);
}

function distinct(faults: readonly PlacedFault[]): PlacedFault[] {
  return [...new Map(faults.map((fault) => [`${fault.path}: ${fault.message}`, fault])).values()];
}
