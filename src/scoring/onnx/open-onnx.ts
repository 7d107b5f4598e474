/** The ONNX scorers of this thread. A file is read and prepared once, and again after it was rewritten. */
import { LRUCache } from 'lru-cache';
import type { ScorerOf } from '../../documents/scorer-document.js';
import { type AttemptReport, faultOutcome, outcomeOf } from '../attempt-report.js';
import type { PointScorer, ScoredModel } from '../point-scorer.js';
import { ScorerFault } from '../scorer-fault.js';
import { findOnnxFile, readOnnxFile } from './onnx-file.js';
import { OnnxScorer } from './onnx-scorer.js';

const MAX_SESSIONS = 8;

const sessions = new LRUCache<string, Promise<OnnxScorer>>({
  max: MAX_SESSIONS,
  dispose: (session) => void session.then((scorer) => scorer.close()).catch(() => {}),
});

/** The metrics count all files together, because an untrusted model document chooses the file name. */
const HOST = 'onnx';

/** Must not be closed: the thread keeps the session for later chunks. `tell`: for metrics. */
export function openOnnx(
  model: ScoredModel,
  directory: string,
  tell: (report: AttemptReport) => void = () => {},
): PointScorer {
  return {
    async score(inputs) {
      const startMs = performance.now();
      let outcome = 'ok';
      try {
        const scorer = await sessionOf(model, directory);
        const scores = await scorer.score(inputs);
        outcome = outcomeOf(scores);
        return scores;
      } catch (error) {
        outcome = faultOutcome(error);
        throw error instanceof ScorerFault ? error.toError() : error;
      } finally {
        tell({ host: HOST, seconds: (performance.now() - startMs) / 1000, points: inputs.length, outcome });
      }
    },
  };
}

async function sessionOf(model: ScoredModel, directory: string): Promise<OnnxScorer> {
  const scorer = model.scoring.scorer as ScorerOf<'onnx'>;
  const file = await findOnnxFile(scorer.file, directory);
  const key = `${file.stamp} ${JSON.stringify(model)}`;
  const known = sessions.get(key);
  if (known) return known;
  const opening = readOnnxFile(file, scorer).then((bytes) => OnnxScorer.open(model, bytes));
  sessions.set(key, opening);
  opening.catch(() => sessions.delete(key));
  return opening;
}
