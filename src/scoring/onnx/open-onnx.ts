/** The ONNX scorers of this thread: a file is read and prepared once, and again when it was written again. */
import { LRUCache } from 'lru-cache';
import type { ScorerOf } from '../../documents/scorer-document.js';
import type { PointScorer, ScoredModel } from '../point-scorer.js';
import { ScorerFault } from '../scorer-fault.js';
import { findOnnxFile, readOnnxFile } from './onnx-file.js';
import { OnnxScorer } from './onnx-scorer.js';

const MAX_SESSIONS = 8;

const sessions = new LRUCache<string, Promise<OnnxScorer>>({
  max: MAX_SESSIONS,
  dispose: (session) => void session.then((scorer) => scorer.close()).catch(() => {}),
});

/** Not to be closed: the thread keeps the session for later chunks. */
export function openOnnx(model: ScoredModel, directory: string): PointScorer {
  return {
    async score(inputs) {
      try {
        const scorer = await sessionOf(model, directory);
        return await scorer.score(inputs);
      } catch (error) {
        throw error instanceof ScorerFault ? error.toError() : error;
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
