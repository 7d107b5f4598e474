/** A model beside the predictions of another library: what is found, what is refused, and what the table says. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { check } from '../../../src/cli/commands/registry/models-check.js';
import { readArguments } from '../../../src/cli/options.js';
import { createParityTable } from '../../../src/jobs/parity/parity-table.js';
import { tableFile } from '../../../src/jobs/results/output-file.js';
import { loadModel } from '../../../src/models/load.js';
import { creditModel, regressionModel } from '../../support/documents.js';

const folder = mkdtempSync(join(tmpdir(), 'elsewise-parity-'));
const table = join(folder, 'table.csv');
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => rmSync(table, { force: true }));

function write(name: string, content: string | object): string {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

async function run(model: object, file: string, ...more: string[]) {
  const told = { out: '', err: '' };
  const spies = (['out', 'err'] as const).map((stream) =>
    vi.spyOn(stream === 'out' ? process.stdout : process.stderr, 'write').mockImplementation((text) => {
      told[stream] += String(text);
      return true;
    }),
  );
  try {
    const args = [write('model.json', model), '--against', file, ...more];
    const code = await check.run(readArguments(args, check.options, check.positionals ?? []));
    return { code, ...told };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

/** P(approved) = 1 / (1 + e^-f), by hand. */
const ROWS = [
  { age: 30, income: 1000, housing: 'own' },
  { age: 40, income: 1400, housing: 'rent' },
  { age: 50, income: 900, housing: 'free' },
];
const BONUS: Record<string, number> = { own: 0.4, rent: -0.3, free: 0 };
const scoreOf = ({ age, income, housing }: (typeof ROWS)[number]) =>
  1 / (1 + Math.exp(-(0.01 * age + 0.002 * income + BONUS[housing] - 3.1)));
const SCORES = ROWS.map(scoreOf);

const csv = (header: string, cells: readonly (readonly unknown[])[]) =>
  write(
    'predictions.csv',
    `id,age,income,housing,${header}\n${ROWS.map((row, k) => `r${k},${row.age},${row.income},${row.housing},${cells[k].join(',')}\n`).join('')}`,
  );

describe('models check --against', () => {
  it('agrees with equal scores under every name of their columns', async () => {
    for (const header of ['score', 'probability', 'score approved', 'probability_approved', 'approved', 'proba_1']) {
      const { code, out, err } = await run(
        creditModel(),
        csv(
          header,
          SCORES.map((score) => [score]),
        ),
      );
      expect({ header, code }).toEqual({ header, code: 0 });
      expect(out).toMatch(/decisions that differ {2}0 of 3/);
      expect(err).toContain('agrees with the predictions on 3 rows');
    }
    expect(
      (
        await run(
          creditModel(),
          csv(
            'rejected',
            SCORES.map((score) => [1 - score]),
          ),
        )
      ).code,
    ).toBe(0);
  });

  it('finds the decision that differs, tells its row, and writes a line per row', async () => {
    const labels = ['rejected', 'rejected', 'approved'];
    const file = csv(
      'prediction,score',
      labels.map((label, k) => [label, SCORES[k]]),
    );
    const { code, out, err } = await run(creditModel(), file, '--output', table);
    expect(code).toBe(1);
    expect(err).toContain('the model differs from the predictions: 1 decision');
    expect(out).toMatch(
      /decisions that differ {2}1 of 3[\s\S]*the worst row {10}r2[\s\S]*rejected, given approved[\s\S]*age {18}50/,
    );
    const lines = readFileSync(table, 'utf8').trim().split('\n');
    expect(lines[0]).toBe(
      'id,prediction,given prediction,score rejected,given score rejected,score approved,given score approved,difference,differs',
    );
    expect(lines[3]).toMatch(/^r2,rejected,approved,.*,0,true$/);
    expect(lines[1]).toMatch(/,false$/);
  });

  it('counts scores beyond the tolerance, also where decisions agree', async () => {
    const file = csv(
      'score',
      SCORES.map((score, k) => [k === 1 ? score + 1e-4 : score]),
    );
    const { code, out } = await run(creditModel(), file);
    expect(code).toBe(1);
    expect(out).toMatch(/decisions that differ {2}0 of 3/);
    expect(out).toMatch(/scores that differ {5}1 of 3 by more than 0.000001/);
    expect((await run(creditModel(), file, '--tolerance', '0.001')).code).toBe(0);
  });

  it('reads NDJSON with nested features and scores, and a table as Parquet that it wrote itself', async () => {
    const lines = ROWS.map((features, k) => JSON.stringify({ id: `r${k}`, features, scores: { approved: SCORES[k] } }));
    expect((await run(creditModel(), write('p.ndjson', lines.join('\n')))).code).toBe(0);
    const flat = ROWS.map((features, k) =>
      JSON.stringify({ ...features, prediction: SCORES[k] > 0.5 ? 'rejected' : 'approved' }),
    );
    expect((await run(creditModel(), write('p.ndjson', flat.join('\n')))).code).toBe(1);
    const path = join(folder, 'p.parquet');
    const { open, line } = tableFile<number>(path, {
      columns: [
        { name: 'age', type: 'integer' },
        { name: 'income', type: 'number' },
        { name: 'housing', type: 'text' },
        { name: 'score', type: 'number' },
      ],
      lines: (k) => [[ROWS[k].age, ROWS[k].income, ROWS[k].housing, SCORES[k]]],
    });
    const sink = await open();
    await sink.write(Buffer.from([0, 1, 2].map(line).join('')));
    await sink.close();
    const { code, out } = await run(creditModel(), path);
    expect({ code, isCompared: /rows compared {10}3/.test(out) }).toEqual({ code: 0, isCompared: true });
  });

  it('compares the numbers of a regressor', async () => {
    const rows = [
      [1, 2, -3],
      [0, 0, 1],
      [2, 1, 2.5],
    ];
    const file = write('r.csv', `x,z,prediction\n${rows.map((row) => row.join(',')).join('\n')}\n`);
    const { code, out } = await run(regressionModel(), file);
    expect(code).toBe(1);
    expect(out).not.toContain('decisions');
    expect(out).toMatch(/largest difference +0.5/);
  });

  it('takes numbered classes as pandas writes them', async () => {
    const model = { ...creditModel(), classes: ['0', '1'] };
    expect((await run(model, csv('prediction', [['0.0'], ['0.0'], ['0.0']]))).code).toBe(0);
  });

  it('leaves rows without a prediction out, and tells rows that the model refuses', async () => {
    const file = write('p.csv', `age,income,housing,score\n30,1000,own,${SCORES[0]}\n40,abc,rent,0.1\n50,900,free,\n`);
    const { code, out } = await run(creditModel(), file);
    expect(code).toBe(0);
    expect(out).toMatch(/rows without a prediction +1/);
    expect(out).toMatch(/rows that the model refuses +1\n +row-2 +features.income: expected a finite number/);
  });
});

describe('models check --against refuses', () => {
  const rejects = (file: string, message: RegExp, ...more: string[]) =>
    expect(run(creditModel(), file, ...more)).rejects.toThrow(message);

  it('files without predictions, with a hint for a misspelt column', async () => {
    await rejects(csv('probabilty', [[1], [1], [1]]), /no predictions to compare with.*did you mean "probability"/);
    await rejects(write('p.ndjson', JSON.stringify(ROWS[0])), /no predictions to compare with/);
  });

  it('two columns that say the same, and options without --against', async () => {
    await rejects(
      csv('score,probability', [
        [1, 1],
        [1, 1],
        [1, 1],
      ]),
      /"probability" and "score" say the same|"score" and "probability" say the same/,
    );
    const read = readArguments([write('model.json', creditModel()), '--output', table], check.options, ['FILE']);
    await expect(check.run(read)).rejects.toThrow('--output needs --against');
    expect(existsSync(table)).toBe(false);
  });

  it('hostile lines, one by one', async () => {
    const lines = [
      '[1]',
      'null',
      '{',
      '{"__proto__":{"age":1}}',
      '{"features":{"age":1e999},"score":1}',
      `{"age":${'9'.repeat(400)},"income":1,"housing":"own","score":1}`,
    ];
    const good = JSON.stringify({ ...ROWS[0], score: SCORES[0] });
    const { code, out } = await run(creditModel(), write('h.ndjson', [good, ...lines].join('\n')));
    expect(code).toBe(0);
    expect(out).toMatch(/rows compared +1\b/);
    const unknown = csv('prediction', [['aproved'], ['rejected'], ['rejected']]);
    expect((await run(creditModel(), unknown)).out).toMatch(
      /r0 +prediction: unknown class "aproved", did you mean "approved"/,
    );
  });

  it('a file in which the model refuses every row', async () => {
    const file = write('p.csv', 'age,income,housing,score\nx,1,own,0.5\ny,1,own,0.5\n');
    expect((await run(creditModel(), file)).code).toBe(4);
  });
});

it('a score that is no number is never alike', () => {
  const columns = createParityTable(loadModel(creditModel())).columns.map(({ name }) => name);
  expect(columns).toContain('given score approved');
});
