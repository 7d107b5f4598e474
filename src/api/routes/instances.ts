/** `/v1/models/:name:explain`: KServe's explain. A few rows are sent at once, and the caller waits for their answers. */
import { z } from 'zod';
import { readEvent } from '../../jobs/events/read-event.js';
import { type ModelPin, pinOf } from '../../store/batches/manifest.js';
import { checkReference, withPlace } from '../references.js';
import { defineRoute } from '../route.js';
import { answerRows, type IdentifiedRow, PATIENCE, pendingOf } from '../rows/answer-rows.js';
import { checkCount, type InstancesRequest, idsOf, rowsOf } from '../rows/instances.js';
import { SCHEMAS } from '../schemas.js';
import type { Service } from '../service.js';

const EXPLANATIONS = SCHEMAS.explanations;

export const explainInstances = defineRoute({
  id: 'explainInstances',
  method: 'POST',
  path: '/v1/models/:name:explain',
  summary: "Explain a few rows at once, in the form of KServe's explain; waits for the answers up to waitMs",
  access: 'submit',
  params: z.strictObject({ name: z.string().min(1).max(300).describe('name@version, name@alias, or name') }),
  query: PATIENCE,
  body: { kind: 'json', schema: SCHEMAS.instancesRequest, limit: 'bodyBytes' },
  responses: {
    200: { description: 'the answers, in the order of the rows', schema: EXPLANATIONS },
    202: {
      description: 'some answers are not there yet: their entries say where they will be',
      schema: EXPLANATIONS,
      headers: { 'retry-after': 'seconds' },
    },
    404: { description: 'no such model', schema: SCHEMAS.problem },
  },
  async answer({ params, query, body, service, caller, gone }) {
    checkReference(body.policy, 'body.policy');
    const model = pinOf(await withPlace('params.name', () => service.store.models.resolve(params.name)));
    const rows = await readRows(body, model, service);
    const asked = rows.map((row) => ({ ...row, by: caller }));
    const answers = await answerRows(service, asked, { waitMs: query.waitMs, gone });
    const isWhole = answers.every((answer) => answer !== undefined);
    const headers = isWhole ? undefined : { 'retry-after': '1' };
    return { status: isWhole ? 200 : 202, body: documentOf(model, rows, answers), headers };
  },
});

async function readRows(body: InstancesRequest, model: ModelPin, service: Service): Promise<IdentifiedRow[]> {
  const reference = `${model.name}@${model.version}`;
  const rows = await rowsOf(body, () => service.desk.featureNames(reference));
  checkCount(rows.length, service.settings.maxInstances);
  const ids = idsOf(body, rows.length);
  const { policy, overlay, target } = body;
  const { policies } = service.reader;
  const read = (features: object) =>
    readEvent({ model: reference, policy, overlay, target, features }, 'body', policies);
  return rows.map((features, k) => ({ ...read(features), id: ids[k] }));
}

/** Answers are JSON already. */
function documentOf(model: ModelPin, rows: readonly IdentifiedRow[], answers: readonly (string | undefined)[]): string {
  const entries = answers.map((answer, k) => answer ?? JSON.stringify(pendingOf(rows[k].id)));
  const head = JSON.stringify({ schema: 'elsewise.explanations/v1', model }).slice(0, -1);
  return `${head},"explanations":[${entries.join()}]}`;
}
