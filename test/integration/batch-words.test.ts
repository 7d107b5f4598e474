/** What the commands on batches say: hints without a worker, summaries, and where a resumed wait goes on. */
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { World, withoutTimes } from './queue-world.js';

let world: World;
let rows: string;

const NO_WORKER = 'no worker serves the queue bulk: start one with elsewise worker --queues bulk';

beforeAll(async () => {
  world = await World.withModel();
  rows = world.writeRows('rows.csv', 1);
});

afterAll(() => world.close());

/** The first lines of the example's rows. */
function firstRows(name: string, count: number, change = (line: string, _row: number) => line): string {
  const [header, ...lines] = readFileSync(rows, 'utf8')
    .split('\n')
    .slice(0, count + 1);
  const path = world.path(name);
  writeFileSync(path, `${[header, ...lines.map(change)].join('\n')}\n`);
  return path;
}

const waitFor = (id: string, output: string, ...options: string[]) =>
  world.call('batch', 'wait', id, '--output', output, ...options);

describe('a queue', () => {
  it('without a worker is told by batch status and schedule run, and no longer once a worker serves it', async () => {
    const id = await world.add(firstRows('few.csv', 3), { batch: 'idle' });
    expect((await world.call('batch', 'status', id)).stdout).toContain(NO_WORKER);
    const told = await world.call('batch', 'status', id, '--json');
    expect(JSON.parse(told.stdout)).toMatchObject({ state: 'working', hint: NO_WORKER });
    const added = await world.call(
      ...[
        'schedule',
        'add',
        'nightly',
        '--cron',
        '0 0 1 1 *',
        '--model',
        'credit',
        '--input',
        world.path('inbox/*.csv'),
      ],
    );
    expect(added).toMatchObject({ code: 0 });
    const { stdout, stderr } = await world.call('schedule', 'run', 'nightly');
    expect(stderr).toContain('no worker serves the queues schedule and bulk: start one with elsewise worker --queues');
    expect(stdout).toMatch(/^\d{4}-[^\n]+\n$/);

    await world.serve({ lanes: ['bulk'], schedules: true });
    expect((await waitFor(id, world.path('few.ndjson'))).code).toBe(0);
    const done = JSON.parse((await world.call('batch', 'status', id, '--json')).stdout);
    expect(done).toMatchObject({ state: 'done', hint: null });
    expect((await world.call('schedule', 'run', 'nightly')).stderr).toBe('');
  });
});

describe('batch wait', () => {
  it('tells rows by status and the commonest reasons', async () => {
    const input = firstRows('some.csv', 20, (line, row) => (row < 3 ? line.replace(/,[\d.]+,/, ',old,') : line));
    const { code, stderr } = await waitFor(await world.add(input, { chunkRows: 5 }), world.path('some.csv.ndjson'));
    expect(code).toBe(0);
    expect(stderr).toMatch(/^20 rows in/);
    expect(stderr).toMatch(/^ {2}invalid +3 /m);
    expect(stderr).toMatch(/^ {2}invalid, the commonest reasons:\n +3 {2}features\.\w+: expected a finite number/m);
  });

  it('ends with code 4 when every row is invalid', async () => {
    const input = firstRows('bad.csv', 8, (line) => line.replace(/,[\d.]+/g, ',x'));
    const { code, stderr } = await waitFor(
      await world.add(input, { chunkRows: 3 }),
      world.path('bad.ndjson'),
      '--quiet',
    );
    expect(code).toBe(4);
    expect(stderr).toMatch(/every row is invalid\n {2}invalid, the commonest reasons:\n +8 {2}features\./);
  });

  it.each(['ndjson', 'csv'])('goes on behind the rows that a %s output has', async (ending) => {
    const id = await world.add(firstRows('resumed.csv', 40), { chunkRows: 10 });
    const [whole, part] = ['whole', 'part'].map((name) => world.path(`${name}.${ending}`));
    await waitFor(id, whole);
    const text = readFileSync(whole, 'utf8');
    for (const kept of [0, 7, 20, 21, 40]) {
      const lines = text.split('\n').slice(0, kept + (ending === 'csv' ? 1 : 0));
      writeFileSync(part, `${lines.map((line) => `${line}\n`).join('')}{"sch`);
      const { code, stderr } = await waitFor(id, part, '--resume');
      expect(code).toBe(0);
      if (kept > 1) expect(stderr).toMatch(/after \d+ that were done before/);
      expect(withoutTimes(readFileSync(part, 'utf8'))).toBe(withoutTimes(text));
    }
  });

  it('does not go on in the output of other rows', async () => {
    const [first, second] = await Promise.all(
      ['one', 'two'].map((name, i) =>
        world.add(
          firstRows(`${name}.csv`, 10 - i, (line) => `${name}${line}`),
          {},
        ),
      ),
    );
    const output = world.path('one.ndjson');
    await waitFor(first, output);
    const longer = await waitFor(second, output, '--resume');
    expect(longer.code).toBe(2);
    expect(longer.stderr).toContain('cannot be resumed: the output has 10 rows');
    writeFileSync(output, `${readFileSync(output, 'utf8').split('\n').slice(0, 4).join('\n')}\n`);
    const other = await waitFor(second, output, '--resume');
    expect(other.code).toBe(2);
    expect(other.stderr).toMatch(/its last row is "one[^"]+", in the batch "two/);
    expect(readFileSync(output, 'utf8').split('\n')).toHaveLength(5);
  });
});

describe('a batch', () => {
  it('of a German table in Latin-1 has the answers of the plain rows', async () => {
    const plain = firstRows('plain.csv', 20);
    const [header, ...lines] = readFileSync(plain, 'utf8').trimEnd().split('\n');
    const grouped = (digits: string) => Number(digits).toLocaleString('de-DE');
    const german = lines.map((line) => line.replaceAll(',', ';').replaceAll(/(?<=;)\d+(?=;)/g, grouped));
    expect(german.join('')).toMatch(/;\d\.\d{3};/);
    const table = [header.replaceAll(',', ';'), ...german];
    const input = world.path('german.csv');
    writeFileSync(input, `${table.join('\n')}\n`, 'latin1');
    const id = await world.enqueue(input, '--delimiter', ';', '--decimal', ',', '--encoding', 'latin1');
    expect(await world.results(id)).toBe(await world.explain(plain));
  });

  it('is told which choices its policy leaves to the background, in words and in each result', async () => {
    const args = ['--model', 'credit', '--target', 'approved', '--input', firstRows('open.csv', 3), '--batch', 'open'];
    const { code, stderr } = await world.call('enqueue', ...args);
    expect([code, stderr]).toEqual([0, expect.stringContaining('in units of the median absolute deviation')]);
    const results = (await world.results('open')).trimEnd().split('\n');
    expect(results.map((line) => JSON.parse(line).defaults)).toEqual(results.map(() => ({ weights: 'mad' })));
  });

  it('ends with the summary of explain', async () => {
    const input = firstRows('figures.csv', 40);
    const id = await world.enqueue(input);
    const { stderr } = await world.call('batch', 'wait', id, '--output', world.path('figures.ndjson'));
    expect(stderr).toMatch(/^ {2}found +\d+ +[\d.]+ % +[\d.]+ % (proved optimal|with a known gap)/m);
    const costs = (await world.results(id))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).counterfactuals[0]?.cost);
    const found = costs.filter((cost) => cost !== undefined).sort((a, b) => a - b);
    expect(stderr).toContain(`  cost: median ${Number(found[Math.ceil(found.length / 2) - 1].toPrecision(6))}\n`);
    expect(stderr).toMatch(/^ {2}time per row: median [\d.]+ ms, 99 % within [\d.]+ ms$/m);
  });

  it('with an address that the settings refuse is refused before a word about adding', async () => {
    const input = firstRows('told.csv', 3);
    const args = ['enqueue', '--model', 'credit', '--target', 'approved', '--input', input];
    const { code, stderr } = await world.call(...args, '--webhook', 'https://nobody.example/');
    expect([code, stderr]).toEqual([2, expect.stringContaining('webhook')]);
    expect(stderr).not.toContain('adding to batch');
  });

  it('without any target is refused before its first row', async () => {
    const args = ['enqueue', '--model', 'credit', '--input', firstRows('aimless.csv', 3), '--batch', 'aimless'];
    const { code, stderr } = await world.call(...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining('no target is named')]);
    expect(stderr).not.toMatch(/adding to batch|median absolute deviation/);
    expect((await world.call('batch', 'status', 'aimless')).code).toBe(2);
  });
});
