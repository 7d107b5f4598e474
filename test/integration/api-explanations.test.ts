/** Single rows over HTTP: answered while one waits, told where to come back to, refused with the place of the fault. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ResultDocument } from '../../dist/documents/result-document.js';
import { QueueWorker } from '../../dist/jobs/worker/worker.js';
import { recordsOf } from '../../dist/store/audit/read-chain.js';
import { ApiWorld, exampleFeatures, POLICY_LINE } from './api-world.js';
import { until, withoutTimes } from './queue-world.js';

const policy = JSON.parse(POLICY_LINE);

let api: ApiWorld;
let features: Record<string, string | number | boolean>;

beforeAll(async () => {
  api = await ApiWorld.create();
  features = exampleFeatures(api.world);
});

afterAll(() => api.close());

describe('POST /v1/explanations', () => {
  it('gives what explain writes', async () => {
    const body = { id: '0-a-0001', model: 'credit', policy, features };
    const { status, text } = await api.call('POST', '/v1/explanations?waitMs=25000', { as: 'submit', body });
    expect(status).toBe(200);
    expect(withoutTimes(text)).toBe((await api.world.explain(api.world.path('one.csv'))).split('\n')[0]);
    const again = await api.call('GET', '/v1/explanations/0-a-0001', { as: 'read' });
    expect(again).toMatchObject({ status: 200, text });
  });

  it('takes the job of the queue as it is, and makes up an id where there is none', async () => {
    const job = { schema: 'elsewise.event-job/v1', model: 'credit@1', policy, features };
    const { status, json } = await api.call('POST', '/v1/explanations?waitMs=25000', { body: job });
    expect(status).toBe(200);
    expect((await api.call('GET', `/v1/explanations/${json.id}`)).json).toEqual(json);
  });

  it('answers the content that was sent, not an older one of the same id', async () => {
    const ask = async (income: number) => {
      const body = { id: 'same', model: 'credit', policy, features: { ...features, income } };
      return (await api.call('POST', '/v1/explanations?waitMs=25000', { body })).json as {
        factual: { features: object };
      };
    };
    for (const income of [1200, 1300]) expect((await ask(income)).factual.features).toMatchObject({ income });
  });

  it('takes any id, escaped', async () => {
    const id = 'Ö/ ?#%&'.repeat(20);
    const sent = await api.call('POST', '/v1/explanations', { body: { id, model: 'credit', policy, features } });
    expect([200, 202], sent.text).toContain(sent.status); // a busy machine may take longer than the caller waits
    const read = () => api.call('GET', `/v1/explanations/${encodeURIComponent(id)}`);
    await until('the answer', async () => (await read()).status === 200);
    expect((await read()).json.id).toBe(id);
  });

  it('gives a bad row its answer', async () => {
    const body = { model: 'credit', policy, features: { ...features, age: 'old' } };
    const { status, json } = await api.call('POST', '/v1/explanations', { body });
    expect(status).toBe(200);
    expect(json).toMatchObject({ status: 'invalid', reason: { path: 'features.age' } });
  });

  describe('with an overlay', () => {
    const asked = async (body: object) => {
      const sent = { model: 'credit', policy, features, ...body };
      return api.call('POST', '/v1/explanations?waitMs=25000', { body: sent });
    };
    const changesOf = ({ json }: { json: Record<string, unknown> }) =>
      (json as unknown as ResultDocument).counterfactuals.map(({ changes }) => changes.map(({ feature }) => feature));

    it('answers within the policy and within the wishes', async () => {
      const [free] = changesOf(await asked({}));
      const overlay = { features: { [free[0]]: { change: 'never' } }, count: 3 };
      const tightened = changesOf(await asked({ overlay }));
      expect(tightened.length).toBeGreaterThan(1);
      expect(tightened.flat()).not.toContain(free[0]);
    });

    it('takes wishes on top of a policy of the registry, and of none', async () => {
      await api.call('PUT', `/v1/policies/${policy.name}`, { body: policy });
      const overlay = { features: { income: { change: 'never' } }, maxChanges: 2 };
      const own = await asked({ overlay });
      const referred = await asked({ overlay, policy: policy.name });
      expect(withoutTimes(JSON.stringify({ ...referred.json, id: '' }))).toBe(
        withoutTimes(JSON.stringify({ ...own.json, id: '' })),
      );
      const without = await asked({ overlay, policy: undefined, target: 'approved' });
      expect(changesOf(without).flat()).not.toContain('income');
    });

    it.each(['inline', 'registry'])('refuses wishes that are wider than the policy (%s)', async (kind) => {
      if (kind === 'registry') await api.call('PUT', `/v1/policies/${policy.name}`, { body: policy });
      const overlay = { features: { age: { change: 'any' }, income: { max: 99_999 } } };
      const { status, json } = await asked({ overlay, policy: kind === 'inline' ? policy : policy.name });
      expect([status, json.code, json.path]).toEqual([422, 'bad-document', 'body.overlay.features.age.change']);
      expect(json.faults).toHaveLength(2);
    });

    it('refuses a second overlay and features that the model does not have', async () => {
      const twice = await asked({ policy: { ...policy, overlay: { count: 2 } }, overlay: { count: 3 } });
      expect(twice.json.path).toBe('body.policy.overlay');
      const unknown = await asked({ overlay: { difficulty: { incme: 2 } } });
      expect(unknown).toMatchObject({ status: 422, json: { code: 'bad-document' } });
      expect(unknown.json.detail).toContain('did you mean "income"?');
    });
  });

  const FAULTS: Record<string, [body: object, status: number, code: string, detail: string]> = {
    'a typo': [{ model: 'credit', fetures: {} }, 422, 'bad-document', 'did you mean "features"?'],
    'a model nobody knows': [{ model: 'credot', features: {} }, 404, 'not-known', 'no model "credot"'],
    'a model that is no reference': [
      { model: 'credit@', features: {} },
      400,
      'bad-request',
      'body.model: expected name',
    ],
    'a policy that is no reference': [
      { model: 'credit', policy: 'a/b', features: {} },
      ...([400, 'bad-request', 'body.policy: expected name'] as const),
    ],
    'a reserved key': [
      JSON.parse('{"model":"credit","features":{"__proto__":{"x":1}}}'),
      422,
      'bad-document',
      '__proto__',
    ],
    'a policy that is none': [{ model: 'credit', features: {}, policy: {} }, 422, 'bad-document', 'body.policy.schema'],
    'a policy for other features': [
      {
        model: 'credit',
        features: {},
        policy: { schema: 'elsewise.policy/v1', target: 'approved', features: { agee: {} } },
      },
      ...([422, 'bad-document', 'unknown feature, did you mean "age"?'] as const),
    ],
    'a row without any target': [
      { model: 'credit', features: {}, policy: { schema: 'elsewise.policy/v1' } },
      ...([422, 'bad-row', 'target: missing, give one beside "features" or in the policy; the classes of'] as const),
    ],
  };

  it.each(Object.entries(FAULTS))('refuses %s', async (_name, [body, status, code, detail]) => {
    const answer = await api.call('POST', '/v1/explanations', { body });
    expect(answer).toMatchObject({ status, json: { code } });
    expect(answer.json.detail).toContain(detail);
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  it('names the path of each fault of a policy, also of those that only a worker sees', async () => {
    const ask = async (given: object, own: object = {}) =>
      (
        await api.call('POST', '/v1/explanations?waitMs=25000', {
          body: { model: 'credit', features, ...own, policy: given },
        })
      ).json;
    const wrong = { ...policy, target: 'aproved', features: { agee: {}, housing: { allow: ['tent'] } } };
    const seen = await ask(wrong);
    expect(seen).toMatchObject({ code: 'bad-document', path: 'body.policy.target' });
    type Faulty = { readonly faults: readonly { readonly path: string }[] };
    const faultsOf = (document: unknown) => (document as Faulty).faults;
    const paths = (document: unknown) => faultsOf(document).map(({ path }) => path);
    expect(paths(seen)).toEqual([
      'body.policy.target',
      'body.policy.features.agee',
      'body.policy.features.housing.allow[0]',
    ]);
    expect(await ask({ ...policy, target: 'aproved' })).toMatchObject({ path: 'body.policy.target' });
    expect(paths(await ask({ ...policy, deadlineMs: -1 }, { features: 7 }))).toEqual([
      'body.features',
      'body.policy.deadlineMs',
    ]);
    const { dead } = api.world.store;
    const letters = [];
    for await (const letter of dead.list()) letters.push(letter);
    expect(letters).toContainEqual(
      expect.objectContaining({
        path: 'policy.target',
        faults: faultsOf(seen).map((fault) => ({ ...fault, path: fault.path.slice('body.'.length) })),
      }),
    );
  });

  it('refuses what is no JSON without repeating it', async () => {
    const headers = { 'content-type': 'application/json' };
    const { status, json } = await api.call('POST', '/v1/explanations', { headers, body: '{"id": "Erika Mustermann"' });
    expect(status).toBe(400);
    expect(json).toMatchObject({ code: 'bad-request', detail: 'body: this is not JSON in UTF-8: line 1, column 26' });
    expect(JSON.stringify(json)).not.toContain('Erika');
    const token = await api.call('POST', '/v1/explanations', { headers, body: '{"id": "Erika",\n "age": x}' });
    expect(token.json.detail).toBe('body: this is not JSON in UTF-8: line 2, column 9');
    const twice = '{"id": "a", "model": "credit", "features": {"age": 19, "income": 1, "age": 91}}';
    const repeated = await api.call('POST', '/v1/explanations', { headers, body: twice });
    expect([repeated.status, repeated.json.detail]).toEqual([400, 'body.features.age: is named twice']);
    const deep = await api.call('POST', '/v1/explanations', { headers, body: '['.repeat(2e5) + ']'.repeat(2e5) });
    expect(deep.json).toMatchObject({ status: 400, code: 'bad-request' });
    const text = await api.call('POST', '/v1/explanations', { headers: { 'content-type': 'text/csv' }, body: 'a' });
    expect(text).toMatchObject({ status: 415, json: { code: 'unsupported-type' } });
  });

  it('refuses a bad query by its path', async () => {
    const body = { model: 'credit', features };
    const typo = await api.call('POST', '/v1/explanations?waitms=1', { body });
    expect(typo.json).toMatchObject({ code: 'bad-request', path: 'query.waitms' });
    const text = await api.call('POST', '/v1/explanations?waitMs=soon', { body });
    expect(text.json).toMatchObject({ code: 'bad-request', path: 'query.waitMs' });
    expect(text.json.detail).toBe('query.waitMs: expected a number, got text that is no number');
  });
});

describe('POST /v1/models/:name:explain', () => {
  const ask = (body: object, { name = 'credit', waitMs = 25_000 } = {}) =>
    api.call('POST', `/v1/models/${name}:explain?waitMs=${waitMs}`, { as: 'submit', body });
  const instances: Record<string, string | number | boolean>[] = [];
  beforeAll(() => instances.push(...[1200, 1300].map((income) => ({ ...features, income }))));

  it('gives the rows the answers that single requests get, in their order', async () => {
    const ids = ['several-0', 'several-1'];
    const { status, json } = await ask({ instances, ids, policy }, { name: 'credit@1' });
    expect(status).toBe(200);
    expect(json.model).toMatchObject({ name: 'credit', version: 1 });
    const singly = await Promise.all(
      instances.map(async (row, k) => {
        const body = { id: ids[k], model: 'credit', policy, features: row };
        return (await api.call('POST', '/v1/explanations?waitMs=25000', { body })).json;
      }),
    );
    expect(json.explanations).toEqual(singly);
    expect((await api.call('GET', '/v1/explanations/several-1')).json).toEqual(singly[1]);
  });

  it('takes lists of values and tensors for objects', async () => {
    const { json } = await api.call('GET', '/v1/models/credit/versions/1/population');
    const names = (json.features as { name: string }[]).map(({ name }) => name);
    const lists = instances.map((row) => names.map((name) => row[name]));
    const inputs = names.map((name, k) => ({
      ...{ name, datatype: 'FP64', shape: k % 2 ? [2] : [2, 1] },
      data: k % 2 ? lists.map((row) => row[k]) : lists.map((row) => [row[k]]),
    }));
    const answers = await Promise.all(
      [{ instances }, { instances: lists }, { inputs }].map((rows) => ask({ ...rows, policy })),
    );
    const [objects, ...others] = answers.map(({ json: { explanations } }) =>
      (explanations as ResultDocument[]).map((result) => withoutTimes(JSON.stringify({ ...result, id: '' }))),
    );
    expect(objects).toHaveLength(2);
    for (const other of others) expect(other).toEqual(objects);
  });

  it('gives a bad row its answer, and tells where a late answer will be', async () => {
    const rows = [{ ...features, age: 'old' }, features];
    const mixed = await ask({ instances: rows, policy });
    expect((mixed.json.explanations as ResultDocument[]).map(({ status }) => status)).toEqual(['invalid', 'found']);
    const late = await ask({ instances: [{ ...features, income: 1411 }], ids: ['late'], policy }, { waitMs: 0 });
    expect([200, 202]).toContain(late.status);
    if (late.status === 202) expect(late.json.explanations).toMatchObject([{ location: '/v1/explanations/late' }]);
  });

  it('writes the answers to the record, with the name of the token', async () => {
    await api.world.serve({ lanes: ['events'], audit: { enabled: true, retentionDays: 30 } });
    await api.worker!.drain();
    await ask({ instances, ids: ['recorded-0', 'recorded-1'], policy });
    for (const id of ['recorded-0', 'recorded-1'])
      await until('the record', async () => (await recordsOf(api.world.store.audit, id)).length === 1);
    const [line] = await recordsOf(api.world.store.audit, 'recorded-1');
    expect(JSON.parse(line)).toMatchObject({ by: 'the-submit', record: { id: 'recorded-1' } });
  });

  const REFUSED: Record<string, [body: object, status: number, path: string, detail: string]> = {
    'no rows': [{ instances: [] }, 422, 'body', 'has no rows'],
    'neither form': [{ policy }, 422, 'body', 'expected the rows as "instances" or as "inputs"'],
    'too many rows': [{ instances: Array(21).fill({}) }, 413, 'body', 'the limit is 20 (api.maxInstances)'],
    'a list of another length': [{ instances: [[1, 2]] }, 422, 'body.instances[0]', 'has 2 values, and the model has'],
    'a tensor of another length': [
      { inputs: [{ name: 'age', datatype: 'INT64', shape: [2], data: [1] }] },
      ...([422, 'body.inputs[0]', 'expected [2] and 2 values'] as const),
    ],
    'an id twice': [{ instances, ids: ['a', 'a'] }, 422, 'body.ids[1]', 'is also the id of row 0'],
    'other ids': [{ instances, ids: ['a'] }, 422, 'body.ids', 'has 1 ids for 2 rows'],
    'a typo': [{ instancs: [] }, 422, 'body.instancs', 'did you mean "instances"?'],
    'a bad policy': [{ instances, policy: { ...policy, count: 0 } }, 422, 'body.policy.count', 'at least 1'],
    'no target': [{ instances }, 422, 'target', 'give one beside "features" or in the policy'],
  };

  it.each(Object.entries(REFUSED))('refuses %s', async (_, [body, status, path, detail]) => {
    const { json } = await ask(body);
    expect([json.status, json.path]).toEqual([status, path]);
    expect(json.detail).toContain(detail);
  });

  it('refuses a model nobody knows, and a token without the role', async () => {
    expect((await ask({ instances, policy }, { name: 'credot' })).json).toMatchObject({
      status: 404,
      code: 'not-known',
    });
    const read = await api.call('POST', '/v1/models/credit:explain', { as: 'read', body: { instances, policy } });
    expect(read.status).toBe(403);
  });
});

describe('without a worker', () => {
  it('the caller is told where the answer will be, and it is there once there is one', async () => {
    const alone = await ApiWorld.create({ maxWaitMs: 200 }, []);
    try {
      const body = { id: 'later', model: 'credit', policy, features };
      const asked = await alone.call('POST', '/v1/explanations?waitMs=999999', { body });
      expect(asked.status).toBe(202);
      const location = asked.headers.get('location')!;
      expect(location).toBe('/v1/explanations/later');
      expect((await alone.call('GET', location)).status).toBe(202);
      expect((await alone.call('GET', '/v1/explanations/never')).json).toMatchObject({
        status: 404,
        code: 'not-known',
      });
      const { settings } = alone.world.store;
      const options = { settings, lanes: ['events'] as const, threads: 1, port: 0, notice: () => {} };
      const worker = await QueueWorker.start(options);
      await until('the answer', async () => (await alone.call('GET', location)).status === 200);
      await worker.drain();
    } finally {
      await alone.close();
    }
  });

  it('a job that failed is told when it is asked for', async () => {
    const bad = { schema: 'elsewise.policy/v1', features: { agee: { change: 'never' } } };
    const body = { id: 'fails', model: 'credit', policy: bad, features };
    const asked = await api.call('POST', '/v1/explanations?waitMs=0', { body });
    expect([202, 422]).toContain(asked.status);
    if (asked.status === 202)
      await until('its failure', async () => (await api.call('GET', '/v1/explanations/fails')).status === 422);
  });
});
