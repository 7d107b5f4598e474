/** The commands of docs/writing-policies.md, and what they say. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { dispatch } from '../../../src/cli/dispatch.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PAGE = readFileSync(join(ROOT, 'docs/writing-policies.md'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'elsewise-policies-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const MODEL = join(ROOT, 'examples/credit/model.json');
const ROWS = join(ROOT, 'examples/credit/applicants.csv');

async function run(...args: string[]) {
  const said = { out: '', err: '' };
  const listen = (stream: NodeJS.WriteStream, name: keyof typeof said) =>
    vi.spyOn(stream, 'write').mockImplementation((text) => {
      said[name] += String(text);
      return true;
    });
  const spies = [listen(process.stdout, 'out'), listen(process.stderr, 'err')];
  try {
    return { code: await dispatch(args), said };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

function write(name: string, document: object): string {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify({ schema: 'elsewise.policy/v1', ...document }));
  return path;
}

describe('docs/writing-policies.md', () => {
  const commands = [...PAGE.matchAll(/^elsewise (.*)$/gm)].map(([, command]) => command.split(' '));
  const placed = (word: string) =>
    word.startsWith('examples/') ? join(ROOT, word) : word === 'policy.json' ? join(folder, word) : word;

  it('has commands that work one after the other', async () => {
    expect(commands).toHaveLength(2);
    for (const command of commands) expect((await run(...command.map(placed))).code).toBe(0);
  });
});

describe('policies init', () => {
  it('writes to standard output, asks for the target, and names the rules that follow from names', async () => {
    const { code, said } = await run('policies', 'init', '--model', MODEL);
    expect(code).toBe(0);
    expect(said.out).toContain('in the background of the model');
    expect(said.out).toContain('// "target": "approved",');
    expect(said.err).toContain('the policy names no target');
    expect(said.err).toContain('age, monthsAtJob, monthsEmployed');
  });

  it('replaces no file, and refuses a class that the model does not have', async () => {
    const path = write('mine.json', {});
    const kept = readFileSync(path, 'utf8');
    expect((await run('policies', 'init', '--model', MODEL, '--output', path)).code).toBe(2);
    expect(readFileSync(path, 'utf8')).toBe(kept);
    const { code, said } = await run('policies', 'init', '--model', MODEL, '--target', 'aproved');
    expect([code, said.out]).toEqual([2, '']);
    expect(said.err).toContain('did you mean "approved"?');
  });

  it('names the column that is spelled differently', async () => {
    const rows = join(folder, 'rows.csv');
    writeFileSync(rows, readFileSync(ROWS, 'utf8').replace('monthlyDebt', 'monthlyDept'));
    const { code, said } = await run('policies', 'init', '--model', MODEL, '--data', rows);
    expect(code).toBe(2);
    expect(said.err).toContain('no column "monthlyDebt", which the model needs, is it "monthlyDept"?');
  });
});

describe('policies check', () => {
  it('lists all faults with exit code 2', async () => {
    const path = write('bad.json', { target: 'aproved', features: { agee: {}, incme: {} } });
    const { code, said } = await run('policies', 'check', path, '--model', MODEL);
    expect(code).toBe(2);
    expect(said.err.split('\n')[0]).toBe(`${path} has 3 faults`);
  });

  it('says what was not checked without a model', async () => {
    const { code, said } = await run('policies', 'check', write('alone.json', { features: { agee: {} } }));
    expect(code).toBe(0);
    expect(said.out).toMatch(/is good by itself\nnot checked without --model: .*features, categories, target/);
  });

  it('refuses without a model what no model can make good', async () => {
    const path = write('own.json', { constraints: ['quote <'], features: { a: { min: 3, max: 1 } } });
    const { code, said } = await run('policies', 'check', path);
    expect(code).toBe(2);
    expect(said.err.split('\n')[0]).toBe(`${path} has 2 faults`);
  });

  it('tells rows that the policy blocks, at most three', async () => {
    const features = JSON.parse(readFileSync(MODEL, 'utf8')).features.map(({ name }: { name: string }) => name);
    const still = Object.fromEntries(features.map((name: string) => [name, { change: 'never' }]));
    const path = write('still.json', { target: 'approved', features: still });
    const { code, said } = await run('policies', 'check', path, '--model', MODEL, '--data', ROWS);
    expect(code).toBe(0);
    expect(said.out.match(/^ {2}a-\d+: the policy lets no feature of this row change$/gm)).toHaveLength(3);
  });

  it('tells the entries that block, or that none blocks', async () => {
    const poor = write('poor.json', {
      target: 'approved',
      levers: { income: ['income'] },
      features: { income: { maxIncrease: 1 } },
    });
    const blocked = await run('policies', 'check', poor, '--model', MODEL, '--data', ROWS);
    expect(blocked.said.out.match(/^ {2}a-\d+: .+$/gm)).toHaveLength(3);
    const free = await run(
      'policies',
      'check',
      write('free.json', { target: 'approved' }),
      '--model',
      MODEL,
      '--data',
      ROWS,
    );
    expect(free.said.out).toContain('each of the first 500 rows has an answer, or the target already\n');
  });

  it('refuses a key that is named twice, also where the file has comments', async () => {
    const path = join(folder, 'twice.json');
    const text =
      '{"schema": "elsewise.policy/v1", // "age": "age"\n "features": {"age": {"change": "never"}, "age": {}}}';
    writeFileSync(path, text);
    const { code, said } = await run('policies', 'check', path);
    expect(code).toBe(2);
    expect(said.err).toBe('elsewise: policy.features.age: is named twice\n');
    const model = join(folder, 'model.json');
    writeFileSync(model, readFileSync(MODEL, 'utf8').replace('{', '{"name": "other",'));
    const checked = await run('models', 'check', model);
    expect([checked.code, checked.said.err]).toEqual([2, 'elsewise: model.name: is named twice\n']);
  });

  it('does not try rows without a target, and needs a model for rows', async () => {
    const path = write('open.json', {});
    expect((await run('policies', 'check', path, '--model', MODEL, '--data', ROWS)).said.out).toContain(
      'names no target',
    );
    expect((await run('policies', 'check', path, '--data', ROWS)).code).toBe(2);
  });
});
