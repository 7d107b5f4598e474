/** The Python package asks a server: `explain` with a url gives what the command gives, and refusals in the words of the server. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiWorld, SECRETS } from './api-world.js';
import { POLICY, withoutTimes } from './queue-world.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PYTHON = process.env.PYTHON ?? '/usr/bin/python3';
const COUNT = 200;

let api: ApiWorld;
let file: string;

beforeAll(async () => {
  api = await ApiWorld.create();
  const [header, ...rows] = readFileSync(api.world.writeRows('rows.csv', 1), 'utf8').split('\n');
  file = api.world.writeRows('first.csv', 1);
  writeFileSync(file, [header, ...rows.slice(0, COUNT)].join('\n'));
});

afterAll(() => api.close());

/** Runs a script with the rows of the file; `asked(...)` asks the server. */
async function run(code: string, token = SECRETS.admin): Promise<string> {
  const script = `
import csv, json, sys, elsewise
with open(${JSON.stringify(file)}, newline="") as file:
    rows = [dict(row) for row in csv.DictReader(file)]
ids = [row.pop("id") for row in rows]
asked = lambda model, **more: elsewise.results_of(rows, model, ${JSON.stringify(POLICY)}, url=${JSON.stringify(api.server.address)}, token=${JSON.stringify(token)}, **more)
${code}`;
  const env = { ...process.env, PYTHONPATH: `${ROOT}/python`, PYTHONDONTWRITEBYTECODE: '1' };
  const { stdout } = await promisify(execFile)(PYTHON, ['-c', script], { env, maxBuffer: 1 << 26 });
  return stdout;
}

describe('explain of the Python package', () => {
  it('gives the results of a server, which are those of the command', async () => {
    const lines = await run(`
for name, result in zip(ids, asked("credit")):
    print(json.dumps({**result, "id": name}))`);
    const results = lines.trimEnd().split('\n');
    expect(results).toHaveLength(COUNT);
    const own = (await api.world.explain(file)).trimEnd().split('\n');
    const answers = (text: string) => JSON.parse(withoutTimes(text)).counterfactuals;
    expect(results.map(answers)).toEqual(own.map(answers));
  });

  it.each([
    ['a model that the server does not know', 'credits', SECRETS.admin, /404: .*credits/],
    ['a token without the role', 'credit', SECRETS.read, /403: /],
  ])('says in the words of the server: %s', async (_, model, token, message) => {
    const text = await run(
      `
try:
    asked(${JSON.stringify(model)})
except elsewise.ExplainError as error:
    print(error)`,
      token,
    );
    expect(text).toMatch(message);
    expect(text).not.toContain('{');
  });

  it('says when no server is there', async () => {
    const text = await run(`
try:
    elsewise.results_of(rows, "credit", url="http://127.0.0.1:9")
except elsewise.ExplainError as error:
    print(error)`);
    expect(text).toMatch(/127\.0\.0\.1:9.*refused/i);
  });
});
