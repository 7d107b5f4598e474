/**
 * The thread that asks scorers over the network, one per process. All solver threads use it: their points travel in common requests, and
 * all share the limit of requests, the connections and the circuit breaker of a host. The main loop moves no scores and parses no answers.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import { ElsewiseError } from '../../documents/error.js';
import { rowsOf } from '../../models/shared-parts.js';
import { scorerLossOf } from '../../scoring/failure-codes.js';
import type { ScoringSettings } from '../../scoring/open-scorer.js';
import type { PointScore, ScoredModel } from '../../scoring/point-scorer.js';
import { RemoteScorer } from '../../scoring/remote-scorer.js';
import { ScorerClient } from '../../scoring/transport/scorer-client.js';
import { ScoreBatches } from './score-batches.js';
import type { Connection, PointFailure, ScoreReply, ScoreRequest, ScorerNews } from './scorer-messages.js';

const MAX_MODELS = 200;

const tell = (news: ScorerNews) => parentPort!.postMessage(news);
const client = new ScorerClient(workerData as ScoringSettings, {
  onAttempt: (report) => tell({ kind: 'attempt', report }),
  onBreaker: (host, isOpen) => tell({ kind: 'breaker', host, isOpen }),
});
const opened = new LRUCache<string, ScoreBatches>({ max: MAX_MODELS });

parentPort!.on('message', ({ model, port }: Connection) => {
  const batches = batchesOf(model);
  port.on('message', async ({ id, count, inputs }: ScoreRequest) => {
    const points = count ? rowsOf(inputs, inputs.length / count) : [];
    const reply = replyOf(id, await batches.scoreEach(points), model.rawOutputs);
    port.postMessage(reply, [reply.raws.buffer]);
  });
});

function batchesOf(model: ScoredModel): ScoreBatches {
  const key = JSON.stringify(model);
  const known = opened.get(key);
  if (known) return known;
  const { batchSize, concurrency } = model.scoring;
  const limits = { pointsPerRequest: batchSize, requestsAtOnce: concurrency };
  const batches = new ScoreBatches(new RemoteScorer(model, client), limits);
  opened.set(key, batches);
  return batches;
}

function replyOf(id: number, scores: readonly PointScore[], width: number) {
  const raws = new Float64Array(scores.length * width);
  const failures: PointFailure[] = [];
  for (const [at, score] of scores.entries()) {
    if (score instanceof Float64Array) raws.set(score, at * width);
    else failures.push({ at, ...(scorerLossOf(score) ?? unexpected(score)) });
  }
  return { id, raws, failures } satisfies ScoreReply;
}

const unexpected = ({ message }: Error) => scorerLossOf(new ElsewiseError('scorer-invalid', message))!;
