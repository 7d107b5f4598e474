/** Rows without any target have no answer: they are refused before the first row. */
import { ElsewiseError } from '../../documents/error.js';
import { listNames } from '../../documents/nearest-name.js';
import type { PolicyDocument } from '../../documents/policy-document.js';
import { namesTarget, targetsOf } from '../../policy/target.js';
import { targetText } from './row.js';
import type { RowSource } from './row-source.js';

/** The policy has the target of `--target` as well. `classes`: empty for a regressor, or where they are not known. */
export function requireTarget(
  policy: Pick<PolicyDocument, 'target' | 'targets'>,
  { namesTargets }: Pick<RowSource, 'namesTargets'>,
  classes: readonly string[],
): void {
  if (namesTarget(policy) || namesTargets) return;
  const remedy = 'give --target T, "target" in the policy, or a target in each row';
  throw new ElsewiseError('bad-input', `no target is named: ${remedy}${among(classes)}`);
}

/**
 * The target of a row replaces that of the run. A column of a table may be a label of training data instead, which would ask another question
 * of each row: the column is told. Rows with `features` apart name their target on purpose.
 */
export function targetWarnings(
  policy: Pick<PolicyDocument, 'target' | 'targets'>,
  { targetColumn }: Pick<RowSource, 'targetColumn'>,
): string[] {
  if (!namesTarget(policy) || !targetColumn?.length) return [];
  const named = targetsOf(policy).map(targetText).join(', ');
  const other = targetColumn.filter((text) => text !== named);
  const found = other.length
    ? `${other.length} of the first ${targetColumn.length} with a target have another, such as ${other[0]}`
    : `the first ${targetColumn.length} have the same`;
  const advice = 'rename or remove a column of training labels';
  return [`the column target gives rows their own target, in place of ${named} (${found}); ${advice}`];
}

/** As `requireTarget`, for a single row. */
export function requireRowTarget(isNamed: boolean, classes: readonly string[]): void {
  if (isNamed) return;
  throw new ElsewiseError('bad-row', `missing, give one beside "features" or in the policy${among(classes)}`, 'target');
}

function among(classes: readonly string[]): string {
  return classes.length ? `; the classes of the model are ${listNames(classes)}` : '';
}
