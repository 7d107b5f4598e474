/** `/v1/replays`: the row of a record solved again in a thread of this process, and the keys that differ. */
import { ElsewiseError } from '../../documents/error.js';
import { defineRoute } from '../route.js';
import { SCHEMAS } from '../schemas.js';
import { takeSlots } from '../wait-slots.js';

const PROBLEM = (description: string) => ({ description, schema: SCHEMAS.problem });

export const replayRecord = defineRoute({
  id: 'replayRecord',
  method: 'POST',
  path: '/v1/replays',
  summary: 'Solve the row of a record again, with its model and policy, and tell the keys that differ',
  access: 'audit',
  body: { kind: 'json', schema: SCHEMAS.replayRequest, limit: 'bodyBytes' },
  responses: {
    200: { description: 'the comparison', schema: SCHEMAS.replay },
    404: PROBLEM('the record, its model, its policy or its answer is not stored'),
    409: PROBLEM('the policy of the request is not that of the record'),
    429: PROBLEM('too many rows are solved again already'),
  },
  async answer({ body, service: { replays, replaySlots, answers }, gone }) {
    if (body.result && body.features)
      throw new ElsewiseError('bad-request', 'send the result or the row, not both', 'body.features');
    const leave = takeSlots(replaySlots);
    const findAnswer = async (id: string) => {
      const found = await answers.find(id);
      return found === 'pending' ? undefined : found;
    };
    const replay = await replays.replay(body, findAnswer, gone).finally(leave);
    return { status: 200, body: { schema: 'elsewise.replay/v1', ...replay } };
  },
});
