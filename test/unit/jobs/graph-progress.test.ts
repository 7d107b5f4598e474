/** A thread that builds a graph tells its progress: on a busy machine the clock does not take it for a thread that stands still. */
import { expect, it } from 'vitest';
import { prepare } from '../../../src/explain/plan.js';
import { BEAT, NOT_STARTED } from '../../../src/jobs/threads/messages.js';
import { PlanTrial } from '../../../src/jobs/threads/plan-trial.js';
import { graphsOf, shareJson, shareModel } from '../../../src/jobs/threads/shared-documents.js';
import { loadPolicy } from '../../../src/policy/policy.js';
import { fewValues } from '../../support/remote-models.js';

const model = fewValues();
const POLICY = loadPolicy({ schema: 'elsewise.policy/v1', target: 'yes', path: { method: 'knn', k: 3 } });
const rows = new Set(model.background.samples.map((values) => values.join())).size;
const start = () => new Int32Array(2).fill(NOT_STARTED);
const beats = (progress: Int32Array) => progress[BEAT] - NOT_STARTED;

it('for every row of the background', () => {
  const progress = start();
  graphsOf({ kind: 'graphs', model: shareModel(model), policy: shareJson(POLICY.document), progress });
  expect(beats(progress)).toBe(rows);
});

it('also in the trial of a batch', async () => {
  const progress = start();
  const bytes = Buffer.from(JSON.stringify(model.document));
  const trial = new PlanTrial({ prepare, now: () => 0 });
  await trial.prepare({ kind: 'try', bytes, digest: 'sha256:0', version: 1, policy: POLICY, progress });
  expect(beats(progress)).toBe(rows);
});
