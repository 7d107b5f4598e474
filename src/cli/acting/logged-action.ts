/** The log of actions, for commands that act on batches, dead letters and schedules: user and machine, and the reason if one is given. */
import type { ActionName } from '../../store/operator/action-log.js';
import type { Store } from '../../store/store.js';
import { thisUser } from '../../store/this-user.js';
import type { OptionTable } from '../options.js';

export const REASON_OPTION = {
  reason: { kind: 'text', value: 'TEXT', help: 'the reason, for the log of actions' },
} as const satisfies OptionTable;

interface CommandAction<T> {
  readonly action: ActionName;
  readonly target: string;
  /** As the option gives it. */
  readonly reason: string | undefined;
  work(): Promise<T>;
  /** The effect in words. */
  tell(result: T): string;
}

export function logAction<T>(
  { actions }: Store,
  { action, target, reason = '', work, tell }: CommandAction<T>,
): Promise<T> {
  return actions.record({ action, target, reason, by: thisUser(), via: 'command' }, work, tell);
}
