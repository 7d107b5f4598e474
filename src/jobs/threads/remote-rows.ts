/**
 * The rows of a chunk whose model is scored elsewhere: many are in progress at once, and their answers leave in the order of the rows. The
 * thread waits most of the time. Its second counter shows the pool that the thread is alive.
 */
import { config } from '../../config.js';
import type { AttemptReport } from '../../scoring/attempt-report.js';
import { type ScorerLoss, scorerLossOf } from '../../scoring/failure-codes.js';
import { openOnnx } from '../../scoring/onnx/open-onnx.js';
import type { PointScorer, ScoredModel } from '../../scoring/point-scorer.js';
import { checkScorer } from '../../scoring/probes.js';
import type { ParsedRow } from '../rows/row.js';
import { settledLater } from '../scoring/explain-remotely.js';
import { PortScorer } from '../scoring/port-scorer.js';
import { ScoreBatches } from '../scoring/score-batches.js';
import type { ScorerNews } from '../scoring/scorer-messages.js';
import { BEAT, type ChunkTask, type ThreadTask } from './messages.js';
import type { ThreadPlan } from './thread-plans.js';

const BEAT_EVERY_MS = 500;
/** A message between threads of a process costs little. The scorer thread forms the requests. */
const THREAD_LIMITS = { pointsPerRequest: 4096, requestsAtOnce: 64 };

/** This thread itself scores an ONNX file. */
function scorerOf(scored: ScoredModel, { scorerPort, newsPort }: ThreadTask<ChunkTask>): PointScorer {
  if (scorerPort) return new PortScorer(scorerPort, scored.rawOutputs);
  const tell = (report: AttemptReport) => newsPort?.postMessage({ kind: 'attempt', report } satisfies ScorerNews);
  return { ...openOnnx(scored, config.scoring.modelDirectory, tell), close: () => newsPort?.close() };
}

export class RemoteRows {
  readonly #scorer: PointScorer;
  readonly #beat: NodeJS.Timeout;
  readonly batches: ScoreBatches;

  private constructor(task: ThreadTask<ChunkTask>, scorer: PointScorer) {
    this.#scorer = scorer;
    this.batches = new ScoreBatches(scorer, THREAD_LIMITS);
    this.#beat = setInterval(() => Atomics.add(task.progress, BEAT, 1), BEAT_EVERY_MS);
  }

  /** Undefined: the model needs no scorer. */
  static begin(task: ThreadTask<ChunkTask>): RemoteRows | undefined {
    const { scored } = task.model;
    return scored ? new RemoteRows(task, scorerOf(scored, task)) : undefined;
  }

  /** Checks the probes of a model that is new to the thread. A scorer fault becomes the answer to the rows of this chunk. */
  async gate(plan: ThreadPlan): Promise<ScorerLoss | undefined> {
    if (plan.isScorerChecked) return undefined;
    try {
      await checkScorer(plan.model, { score: (inputs) => this.batches.scoreEach(inputs) });
      plan.isScorerChecked = true;
      return undefined;
    } catch (error) {
      const loss = scorerLossOf(error);
      if (!loss) throw error;
      return loss;
    }
  }

  /** `answer` gets its own copy of a row. `push` gets the answers in order. */
  async run(
    rows: Iterable<ParsedRow>,
    answer: (row: ParsedRow, at: number) => Promise<unknown>,
    push: (answer: unknown) => void,
  ): Promise<void> {
    const { rowsAtOnce } = config.scoring;
    const underWay: Promise<unknown>[] = [];
    let at = 0;
    for (const row of rows) {
      underWay.push(settledLater(answer({ ...row, raw: [...row.raw] }, at++)));
      if (underWay.length >= rowsAtOnce) push(await underWay.shift());
    }
    while (underWay.length) push(await underWay.shift());
  }

  async end(): Promise<void> {
    clearInterval(this.#beat);
    await this.#scorer.close?.();
  }
}
