/**
 * A scorer in a process of its own, speaking each protocol over node:http. The model is a logistic score of the features a, b and c. The
 * process prints its port. A line of JSON on standard input changes its behaviour: latency, failures, lies.
 */
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

const [port = '0'] = process.argv.slice(2);
const behaviour = { latencyMs: 0, status: 200, fault: '', version: '7', failNext: 0 };
const counts = { requests: 0, points: 0, largest: 0, most: 0, underWay: 0, authorization: [] };

const WEIGHTS = { a: 0.5, b: 1, x: 0, y: 0.3, z: -0.2 };
const CATEGORIES = ['x', 'y', 'z'];

/** By feature: { a, b, c }. */
function probability({ a, b, c }) {
  const f = WEIGHTS.a * a + WEIGHTS.b * b + WEIGHTS[c] - 2.05;
  return 1 / (1 + Math.exp(-f));
}

const ofNumbers = ([a, b, ...oneHot]) => probability({ a, b, c: CATEGORIES[oneHot.indexOf(1)] });

function ofTable(columns, row) {
  if (columns.includes('c=x')) return ofNumbers(row);
  return probability(Object.fromEntries(columns.map((name, k) => [name, row[k]])));
}

/** What the scorer says of points, with its lies. */
function scoresOf(ps) {
  if (behaviour.fault === 'short') return ps.slice(1).map((p) => [1 - p, p]);
  if (behaviour.fault === 'nan') return ps.map(() => [null, null]);
  if (behaviour.fault === 'nan-sometimes') return ps.map((p) => (p > 0.6 ? [null, null] : [1 - p, p]));
  if (behaviour.fault === 'wide') return ps.map((p) => [0, 1 - p, p]);
  if (behaviour.fault === 'sum') return ps.map((p) => [p, p]);
  if (behaviour.fault === 'swapped') return ps.map((p) => [p, 1 - p]);
  if (behaviour.fault === 'labels') return ps.map((p) => (p > 0.5 ? 'yes' : 'no'));
  if (behaviour.fault === 'texts') return ps.map((p) => [String(1 - p), String(p)]);
  if (behaviour.fault === 'second') return ps.map((p) => p);
  return ps.map((p) => [1 - p, p]);
}

const routes = {
  '/score': ({ columns, rows }) => ({
    schema: behaviour.fault === 'schema' ? 'other' : 'elsewise.score-response/v1',
    version: behaviour.version,
    scores: scoresOf(rows.map((row) => ofTable(columns, row))),
  }),
  '/invocations': ({ dataframe_split: { columns, data } }) => ({
    predictions: scoresOf(data.map((row) => ofTable(columns, row))),
  }),
  '/v2/models/few': () => metadata([{ name: 'input', datatype: 'FP64', shape: [-1, 5] }]),
  '/v2/models/few/versions/7': () => metadata([{ name: 'input', datatype: 'FP64', shape: [-1, 5] }]),
  '/v2/models/named': () =>
    metadata([
      { name: 'c', datatype: 'BYTES', shape: [-1, 1] },
      { name: 'a', datatype: 'INT64', shape: [-1, 1] },
      { name: 'b', datatype: 'FP32', shape: [-1] },
    ]),
  '/v2/models/few/infer': inferTable,
  '/v2/models/few/versions/7/infer': inferTable,
  '/v2/models/named/infer': ({ inputs }) => {
    const column = (wanted) => inputs.find(({ name }) => name === wanted).data;
    const [a, b, c] = ['a', 'b', 'c'].map(column);
    return tensors(a.map((_, k) => probability({ a: a[k], b: b[k], c: c[k] })));
  },
};

function metadata(inputs) {
  const outputs = [
    { name: 'label', datatype: 'INT64', shape: [-1] },
    { name: 'probabilities', datatype: 'FP64', shape: [-1, 2] },
  ];
  const told = behaviour.fault === 'metadata' ? [{ name: 'input', datatype: 'FP64', shape: [-1, 4] }] : inputs;
  return { name: 'few', versions: [behaviour.version], platform: 'test', inputs: told, outputs };
}

function inferTable({ inputs: [{ shape, data }] }) {
  const rows = Array.from({ length: shape[0] }, (_, r) => data.slice(r * shape[1], (r + 1) * shape[1]));
  return tensors(rows.map(ofNumbers));
}

function tensors(ps) {
  const scores = scoresOf(ps);
  const shape = behaviour.fault === 'shape' ? [ps.length, 3] : [scores.length, scores[0].length];
  const output = { name: 'probabilities', datatype: 'FP64', shape, data: scores.flat() };
  return { model_name: 'few', model_version: behaviour.version, outputs: [output] };
}

function pointsOf(body) {
  return body.rows?.length ?? body.dataframe_split?.data.length ?? body.inputs?.[0].shape[0] ?? 0;
}

function answerOf(path, body) {
  if (behaviour.fault === 'html') return '<html>no JSON</html>';
  if (behaviour.fault === 'long') return `{"padding": "${'x'.repeat(1 << 20)}"}`;
  return JSON.stringify(routes[path](body));
}

async function respond(request, response) {
  const parts = [];
  for await (const part of request) parts.push(part);
  const body = parts.length ? JSON.parse(Buffer.concat(parts)) : {};
  note(request, body);
  if (behaviour.fault === 'hang') return;
  await new Promise((resolve) => setTimeout(resolve, behaviour.latencyMs));
  const isFailing = behaviour.failNext > 0 && behaviour.failNext-- > 0;
  const status = isFailing ? 503 : routes[request.url] ? behaviour.status : 404;
  const location = status === 302 ? { location: '/score' } : {};
  response.writeHead(status, { 'content-type': 'application/json', ...location });
  if (behaviour.fault === 'drip') return void drip(response);
  response.end(status === 200 ? answerOf(request.url, body) : '{}');
}

/** A byte now and then, without end. */
function drip(response) {
  const timer = setInterval(() => response.write(' '), 10);
  response.once('close', () => clearInterval(timer));
}

function note({ headers }, body) {
  counts.requests++;
  counts.points += pointsOf(body);
  counts.largest = Math.max(counts.largest, pointsOf(body));
  if (headers.authorization) counts.authorization.push(headers.authorization);
}

const server = createServer(async (request, response) => {
  counts.most = Math.max(counts.most, ++counts.underWay);
  try {
    await respond(request, response);
  } catch {
    response.writeHead(500).end();
  } finally {
    counts.underWay--;
  }
});
server.listen(Number(port), '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));

createInterface(process.stdin).on('line', (line) => {
  const { count, ...change } = JSON.parse(line);
  Object.assign(behaviour, change);
  process.stdout.write(`${JSON.stringify(counts)}\n`);
  if (count === 'reset') Object.assign(counts, { requests: 0, points: 0, largest: 0, most: 0, authorization: [] });
});
process.stdin.on('end', () => process.exit(0));
