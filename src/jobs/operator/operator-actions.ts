/** THE TABLE of actions of operators: the target of each, its work, and the words about its effect. */
import type { ActionEntry, NewAction } from '../../store/operator/action-log.js';
import type { Store } from '../../store/store.js';
import { cancelBatch, retryBatch } from '../batches/batch-control.js';
import { Schedules } from '../schedules/schedule.js';
import type { ActionRequest } from './action-request.js';
import type { LetterOperations } from './letter-operations.js';
import { setPaused } from './queue-states.js';

interface Tools {
  readonly store: Store;
  readonly operations: LetterOperations;
}

interface ActionRow<A extends ActionRequest> {
  target(request: A): string;
  /** Returns the effect in words. */
  work(request: A, tools: Tools): Promise<string>;
}

type Immediate = Exclude<ActionRequest, { action: 'replay-letters' | 'drop-letters' }>;

const ACTIONS: { readonly [N in Immediate['action']]: ActionRow<Extract<Immediate, { action: N }>> } = {
  'pause-queue': {
    target: ({ queue: name }) => name,
    work: async ({ queue: name }, { store }) => setPaused(store, name, true),
  },
  'resume-queue': {
    target: ({ queue: name }) => name,
    work: async ({ queue: name }, { store }) => setPaused(store, name, false),
  },
  'cancel-batch': { target: ({ batch }) => batch, work: ({ batch }, { store }) => cancelInWords(store, batch) },
  'retry-batch': { target: ({ batch }) => batch, work: ({ batch }, { store }) => retryInWords(store, batch) },
  'pause-schedule': {
    target: ({ schedule }) => schedule,
    work: ({ schedule }, { store }) =>
      withSchedules(
        store,
        (schedules) => schedules.pause(schedule),
        () => 'paused',
      ),
  },
  'resume-schedule': {
    target: ({ schedule }) => schedule,
    work: ({ schedule }, { store }) =>
      withSchedules(
        store,
        (schedules) => schedules.resume(schedule),
        ([next]) => `next run ${next.toISOString()}`,
      ),
  },
  'run-schedule': {
    target: ({ schedule }) => schedule,
    work: ({ schedule }, { store }) =>
      withSchedules(
        store,
        (schedules) => schedules.run(schedule, { again: false }),
        (run) => `run ${run}`,
      ),
  },
  'stop-operation': {
    target: ({ operation }) => operation,
    work: ({ operation }, { operations }) => operations.stop(operation),
  },
};

/** Does what a person asked for, and logs the end, failures too. A bulk operation goes on after the return. */
export async function act(
  request: ActionRequest,
  by: Pick<NewAction, 'by' | 'via'>,
  tools: Tools,
): Promise<ActionEntry> {
  const { action } = request;
  if (action === 'replay-letters' || action === 'drop-letters')
    return (await tools.operations.begin(request, by)).entry;
  const row = ACTIONS[action] as ActionRow<Immediate>;
  const { actions } = tools.store;
  const begun = await actions.begin({ action, target: row.target(request), reason: request.reason, ...by });
  try {
    return await actions.end(begun, 'done', await row.work(request, tools));
  } catch (error) {
    await actions.end(begun, 'failed', (error as Error).message);
    throw error;
  }
}

async function cancelInWords(store: Store, batch: string): Promise<string> {
  const { outcome, dropped } = await cancelBatch(store, batch);
  return outcome === 'done' ? 'all chunks were done already' : `chunks dropped: ${dropped}`;
}

async function retryInWords(store: Store, batch: string): Promise<string> {
  return `chunks tried again: ${await retryBatch(store, batch)}`;
}

async function withSchedules<T>(
  store: Store,
  use: (schedules: Schedules) => Promise<T>,
  tell: (result: T) => string,
): Promise<string> {
  const schedules = new Schedules(store);
  try {
    return tell(await use(schedules));
  } finally {
    await schedules.close();
  }
}
