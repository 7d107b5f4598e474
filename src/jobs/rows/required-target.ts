/** A run without any target answers no row: it is refused before its first row. */
import { ElsewiseError } from '../../documents/error.js';
import { listNames } from '../../documents/nearest-name.js';
import type { PolicyDocument } from '../../documents/policy-document.js';
import type { RowSource } from './row-source.js';

/** The policy has the target of `--target` as well. `classes`: empty for a regressor, or where they are not known. */
export function requireTarget(
  { target }: Pick<PolicyDocument, 'target'>,
  { namesTargets }: Pick<RowSource, 'namesTargets'>,
  classes: readonly string[],
): void {
  if (target !== undefined || namesTargets) return;
  const among = classes.length ? `; the classes of the model are ${listNames(classes)}` : '';
  throw new ElsewiseError(
    'bad-input',
    `no target is named: give --target T, "target" in the policy, or a target in each row${among}`,
  );
}
