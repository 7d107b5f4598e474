/**
 * The trial of a batch in a thread. It answers whether model and policy load and fit each other, the features for the header of the rows,
 * and the time of a row. The thread keeps the prepared plan between these questions.
 */
import { ElsewiseError } from '../../documents/error.js';
import { withEngines } from '../../explain/engines.js';
import type { Plan } from '../../explain/plan.js';
import { withDefaults } from '../../policy/defaults.js';
import { buildGraphs } from '../../policy/path.js';
import { asBuffer } from '../../store/codec/byte-streams.js';
import { SCORED_MS_PER_ROW } from '../rows/chunk-size.js';
import { headerFeatures } from '../rows/csv.js';
import { createRowReader } from '../rows/row-reader.js';
import type { RowTime, ThreadTask, TimeTask, TriedPlan, TryTask } from './messages.js';
import { timeRows } from './row-timing.js';
import { beatOf, loadStored } from './shared-documents.js';
import type { ThreadPlanOptions } from './thread-plans.js';

export class PlanTrial {
  readonly #options: Pick<ThreadPlanOptions, 'prepare' | 'now'>;
  #tried: Pick<Plan, 'model' | 'explainRecord'> | undefined;

  constructor(options: Pick<ThreadPlanOptions, 'prepare' | 'now'>) {
    this.#options = options;
  }

  async prepare(task: ThreadTask<TryTask>): Promise<TriedPlan> {
    const { prepare, now } = this.#options;
    const model = loadStored(task);
    const graphs = buildGraphs(task.policy.document, model, beatOf(task.progress));
    this.#tried = await prepare(model, task.policy, { now, graphs });
    return { features: headerFeatures(model), defaults: withDefaults(task.policy, model).defaults };
  }

  /** Rows that need an engine are timed again once it is loaded. Rows that are scored elsewhere mostly wait, and are not timed. */
  async time(task: ThreadTask<TimeTask>): Promise<RowTime> {
    if (this.#tried?.model.model.memory) return { msPerRow: SCORED_MS_PER_ROW };
    return withEngines(() => this.#timeAtOnce(task));
  }

  #timeAtOnce({ layout, bytes, firstRow, progress }: ThreadTask<TimeTask>): RowTime {
    const plan = this.#tried;
    if (!plan) throw new ElsewiseError('thread-lost', 'the thread that prepared model and policy has ended');
    const read = createRowReader(layout, plan.model, 'values');
    const solve = function* () {
      for (const { faults, id, raw, target } of read(asBuffer(bytes), firstRow))
        yield faults ?? plan.explainRecord(id, raw, target);
    };
    return { msPerRow: timeRows(solve, progress, this.#options.now) };
  }
}
