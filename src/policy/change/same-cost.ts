/** Whether two pairs of model and policy measure costs alike, so that costs of one can be compared with costs of the other. */
import type { PolicyDocument } from '../../documents/policy-document.js';

interface Measured {
  readonly modelDigest: string;
  readonly policy: PolicyDocument;
}

export function hasSameCosts(one: Measured, other: Measured): boolean {
  const isAlike = describe(one.policy) === describe(other.policy);
  return isAlike && (one.modelDigest === other.modelDigest || !needsBackground(one.policy));
}

/** The parts of a policy that enter the cost. */
const describe = ({ cost, plausibility, overlay }: PolicyDocument): string =>
  JSON.stringify([cost.norm, cost.weights ?? null, termOf(plausibility), overlay?.difficulty ?? {}]);

/** The term's measure belongs to the cost as well. */
const termOf = (plausibility: PolicyDocument['plausibility']): unknown =>
  plausibility?.weight === undefined ? null : { ...plausibility, atLeast: undefined };

/** Units from a background belong to one model. */
function needsBackground({ cost: { norm, weights }, plausibility }: PolicyDocument): boolean {
  const hasOwnUnits = norm === 'l0' || weights === 'none' || typeof weights === 'object';
  return norm === 'mahalanobis' || norm === 'percentile' || !hasOwnUnits || plausibility?.weight !== undefined;
}
