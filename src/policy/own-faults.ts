/**
 * The faults that a policy has by itself, under every model: entries that contradict one another, wishes
 * that are wider than the policy, and constraints that are no conditions.
 * The loader finds them, so no policy with such a fault is stored or used.
 */
import type { PlacedFault } from '../documents/error.js';
import type { FeatureRuleDocument, PolicyDocument } from '../documents/policy-document.js';
import { ExpressionError } from './expression.js';
import { parseExpression } from './expression-parser.js';
import { checkShape } from './expression-shape.js';
import { overlayFaults } from './overlay.js';
import { NUMERIC_ENTRIES } from './rules.js';
import { ladderFaults } from './target.js';

export function* ownFaults(policy: PolicyDocument, root: string): Iterable<PlacedFault> {
  for (const [name, rule] of Object.entries(policy.features)) yield* contradictions(rule, `${root}.features.${name}`);
  for (const [i, text] of policy.constraints.entries()) yield* textFaults(text, `${root}.constraints[${i}]`);
  yield* weighedPath(policy, root);
  yield* ladderFaults(policy, root);
  yield* overlayFaults(policy, root);
}

function* contradictions(rule: FeatureRuleDocument, path: string): Iterable<PlacedFault> {
  const { min, max, allow } = rule;
  if (min !== undefined && max !== undefined && min > max)
    yield { path: `${path}.min`, message: `${min} is above max ${max}` };
  const numeric = NUMERIC_ENTRIES.filter((key) => rule[key] !== undefined);
  if (allow && numeric.length)
    yield { path, message: `"allow" is for categories and booleans, and "${numeric[0]}" for numbers: leave one out` };
}

function* textFaults(text: string, path: string): Iterable<PlacedFault> {
  try {
    checkShape(text, parseExpression(text));
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    yield { path, message: error.message };
  }
}

/** A path minimises its length, not a weighed cost. */
function* weighedPath({ path, plausibility }: PolicyDocument, root: string): Iterable<PlacedFault> {
  if (!path || plausibility?.weight === undefined) return;
  const message = 'is a term of the cost, and a path is chosen by its length: leave "weight" or "path" out';
  yield { path: `${root}.plausibility.weight`, message };
}
