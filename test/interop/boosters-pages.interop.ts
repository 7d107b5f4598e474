/**
 * The commands of docs/xgboost.md, docs/lightgbm.md and docs/catboost.md, as a reader types them: Python saves a model with the library, the
 * command imports the file, and the document has the library's scores for the training data.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadModel } from '../../src/index.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PEOPLE = join(ROOT, 'test', 'fixtures', 'boosters', 'people.csv');
const CLI = join(ROOT, 'dist', 'cli', 'main.js');

/** What the pages take for granted: a table with words and missing values, and labels. */
const BEFORE = `
import json, numpy, pandas
train = pandas.read_csv("train.csv")
train["housing"] = train["housing"].fillna("unknown")
train["guarantor"] = train["guarantor"].astype(int)
y = (train["monthly income"].fillna(2000) + 500 * (train["housing"] == "own") - 300 * train["loans"] > 2300).astype(int)
train.to_csv("train.csv", index=False)
`;
const AFTER = `
rows = train if "Pool" in globals() else X
json.dump(numpy.asarray(model.predict_proba(rows), dtype=float).tolist(), open("scores.json", "w"))
`;

const blocks = (page: string, language: string): string[] =>
  [...page.matchAll(/```(\w+)\n([\s\S]*?)```/g)].flatMap(([, kind, text]) => (kind === language ? [text] : []));

function run(command: string, args: readonly string[], cwd: string): void {
  const { status, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  expect(status, `${args.join(' ')}: ${stderr}`).toBe(0);
}

function readTable(path: string): Record<string, string>[] {
  const [header, ...lines] = readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split(','));
  return lines.map((cells) => Object.fromEntries(cells.map((cell, f) => [header[f], cell])));
}

describe.each(['xgboost', 'lightgbm', 'catboost'])('docs/%s.md', (library) => {
  it('saves and imports a model whose scores are those of the library', () => {
    const folder = mkdtempSync(join(tmpdir(), 'elsewise-page-'));
    const page = readFileSync(join(ROOT, 'docs', `${library}.md`), 'utf8');
    writeFileSync(join(folder, 'train.csv'), readFileSync(PEOPLE));
    run(process.env.PYTHON!, ['-c', [BEFORE, ...blocks(page, 'python'), AFTER].join('\n')], folder);
    const scores: number[][] = JSON.parse(readFileSync(join(folder, 'scores.json'), 'utf8'));
    const commands = blocks(page, 'sh').flatMap((text) => text.trim().split('\n'));
    expect(commands.length).toBeGreaterThan(0);
    for (const command of commands) {
      run(process.execPath, [CLI, ...command.split(' ').slice(1)], folder);
      const model = loadModel(JSON.parse(readFileSync(join(folder, 'model.json'), 'utf8')));
      for (const [r, row] of readTable(join(folder, 'train.csv')).entries())
        expect(Object.values(model.predict(row).scores)[1]).toBeCloseTo(scores[r][1], 6);
    }
    rmSync(folder, { recursive: true });
  });
});
