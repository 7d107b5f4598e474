/** `elsewise letters` from end to end: results of the engine, letters in a folder, refusals that say what to do. */
import { execSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { labelsSchema } from '../../src/documents/labels/label-document.js';
import { loadModel } from '../../src/models/load.js';
import { parseTemplate } from '../../src/report/letters/letter-template.js';
import { CREDIT, type Finished, here, readLines, run, temporaryFolder, writeText } from './cli-process.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MODEL = join(CREDIT, 'model.json');
const POLICY = join(CREDIT, 'policy.json');
const LABELS = join(CREDIT, 'labels.json');

const explained = new Map<string, Promise<Buffer>>();

/** Results of the first applicants, one of them invalid; the same ones are made once for all tests. */
async function results(folder: string, name = 'results.ndjson', options: readonly string[] = []): Promise<string> {
  const known = explained.get(name) ?? explain(temporaryFolder(), name, options);
  explained.set(name, known);
  return writeText(folder, name, await known);
}

async function explain(folder: string, name: string, options: readonly string[]): Promise<Buffer> {
  const [header, ...rows] = readLines(join(CREDIT, 'applicants.csv'));
  const input = writeText(
    folder,
    'rows.csv',
    `${[header, ...rows.slice(0, 30), `broken${','.repeat(17)}`].join('\n')}\n`,
  );
  const output = join(folder, name);
  const files = ['--model', MODEL, '--policy', POLICY, '--input', input, '--output', output];
  const { code, stderr } = await here(['explain', ...files, '--threads', '1', '--quiet', ...options]);
  expect([code, stderr]).toEqual([0, '']);
  return readFileSync(output);
}

function letters(path: string, output: string, options: readonly string[] = []): Promise<Finished> {
  return here(['letters', path, '--model', MODEL, '--output', output, ...options]);
}

interface Indexed {
  readonly id: string;
  readonly status: string;
  readonly html?: string;
  readonly text?: string;
}
const indexOf = (folder: string): Indexed[] =>
  readLines(join(folder, 'letters.ndjson')).map((line) => JSON.parse(line));

describe('letters', () => {
  it('writes a file per person and form, in the language, with the names of the labels', async () => {
    const folder = temporaryFolder();
    const path = await results(folder);
    const output = join(folder, 'letters');
    const options = ['--policy', POLICY, '--labels', LABELS, '--language', 'de', '--valid-until', '2026-12-17'];
    const { code, stderr, stdout } = await letters(path, output, [...options, '--contact', 'Frau Adeyemi <555 0100>']);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(
      /^30 letters written: \d+ with a change, \d+ with a proved "no change helps"; 1 person without a letter: the row is invalid\n$/,
    );
    const index = indexOf(output);
    expect(index).toHaveLength(31);
    expect(index[30]).toEqual({ id: 'broken', status: 'invalid' });
    expect(readdirSync(output)).toHaveLength(61);
    for (const { html, text, status } of index.slice(0, 30)) {
      const [page, plain] = [html!, text!].map((file) => readFileSync(join(output, file), 'utf8'));
      expect(page).toContain('<html lang="de">');
      expect(page).toContain('Frau Adeyemi &lt;555 0100&gt;');
      expect(plain).toContain('Frau Adeyemi <555 0100>');
      expect(plain.replace(/\s+/g, ' ')).toContain('Das Ergebnis lautet „abgelehnt“.');
      expect(plain).toContain('17. Dezember 2026');
      expect(plain.includes('Warum wir keine Änderung nennen')).toBe(status === 'infeasible');
      expect(plain).not.toMatch(/features\.|rejected|approved|months|years|undefined/);
    }
  });

  it('gives the same bytes again, from standard input too', async () => {
    const folder = temporaryFolder();
    const path = await results(folder);
    const options = ['--language', 'fr', '--format', 'text', '--quiet'];
    expect((await letters(path, join(folder, 'one'), options)).code).toBe(0);
    const output = join(folder, 'two');
    const again = await run(['letters', '-', '--model', MODEL, '--output', output, ...options], readFileSync(path));
    expect(again).toEqual({ code: 0, stdout: '', stderr: '' });
    const files = readdirSync(output);
    expect(files).toHaveLength(31);
    for (const file of files)
      expect(readFileSync(join(output, file), 'utf8')).toBe(readFileSync(join(folder, 'one', file), 'utf8'));
  });

  it('uses templates of the user, and its own template for the other form', async () => {
    const folder = temporaryFolder();
    const path = await results(folder);
    writeText(
      folder,
      'letter.html',
      '<main lang="{{language}}"><h1>{{title}}</h1>{{decision}}{{explanation}}{{data}}{{review}}</main>',
    );
    const output = join(folder, 'letters');
    const options = ['--language', 'en', '--template', folder, '--subject', 'Your loan'];
    expect((await letters(path, output, options)).code).toBe(0);
    const [{ html, text }] = indexOf(output);
    expect(readFileSync(join(output, html!), 'utf8')).toMatch(/^<main lang="en"><h1>Your loan<\/h1><section/);
    expect(readFileSync(join(output, text!), 'utf8')).toContain('How long this holds');
  });

  it('says what to do where it refuses, and writes nothing', async () => {
    const folder = temporaryFolder();
    const path = await results(folder);
    const brief = await results(folder, 'brief.ndjson', ['--detail', 'brief']);
    const table = await results(folder, 'table.csv');
    const other = await results(folder, 'other.ndjson', ['--count', '2']);
    const rows = writeText(folder, 'rows.ndjson', '{"id":"1","features":{}}\n');
    const template = temporaryFolder();
    writeText(template, 'letter.txt', '{{decision}} {{reviews}}');
    const labels = writeText(folder, 'labels.json', { schema: 'elsewise.labels/v1', features: { incom: {} } });
    const english = ['--language', 'en'];
    const refused: [string, string[], RegExp][] = [
      [
        brief,
        english,
        /line 1: these are brief results, without the values of people: write the results again without --detail brief/,
      ],
      [table, english, /results are read from NDJSON: .* --output results\.ndjson/],
      [other, [...english, '--policy', POLICY], /line 1: the result is of another policy: .* leave out --policy/],
      [rows, english, /line 1: this is no result/],
      [
        path,
        [...english, '--template', template],
        /letter\.txt: unknown placeholder \{\{reviews\}\}, did you mean "review"/,
      ],
      [path, [...english, '--template', folder], /has no letter\.html and no letter\.txt/],
      [path, [...english, '--labels', labels], /the model has no feature "incom", did you mean "income"/],
      [path, [...english, '--valid-until', '31.12.2026'], /--valid-until: expected a date such as 2026-12-31/],
      [path, [...english, '--date', '2026-02-30'], /--date: expected a date/],
      [path, ['--language', 'it'], /"it" is none of en, de, fr/],
    ];
    for (const [results, options, message] of refused) {
      const output = join(folder, 'refused');
      const { code, stderr } = await letters(results, output, options);
      expect(code, stderr).toBe(2);
      expect(stderr).toMatch(message);
      expect(existsSync(output)).toBe(false);
    }
  });

  it('keeps the letters before a broken line, and never mixes them with those of another run', async () => {
    const folder = temporaryFolder();
    const path = await results(folder);
    const cut = writeText(folder, 'cut.ndjson', readFileSync(path, 'utf8').slice(0, -40));
    const output = join(folder, 'letters');
    const { code, stderr } = await letters(cut, output, ['--language', 'en']);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/line 31: this is no JSON object/)]);
    expect(indexOf(output)).toHaveLength(30);
    const again = await letters(path, output, ['--language', 'en']);
    expect([again.code, again.stderr]).toEqual([
      2,
      expect.stringMatching(/the folder has files; give a new or an empty folder/),
    ]);
  });

  it('refuses results of another model', async () => {
    const folder = temporaryFolder();
    const path = await results(folder);
    const document = JSON.parse(readFileSync(MODEL, 'utf8'));
    const model = writeText(folder, 'named.json', { ...document, classLabels: { approved: 'granted' } });
    const { code, stderr } = await here([
      'letters',
      path,
      '--model',
      model,
      '--language',
      'en',
      '--output',
      join(folder, 'out'),
    ]);
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /line 1: the result is of another model: credit sha256:\w+, .* Names for people can be given with --labels/,
    );
  });

  it('ends with code 4 where no row could be read', async () => {
    const folder = temporaryFolder();
    const path = await results(folder);
    const invalid = writeText(folder, 'invalid.ndjson', `${readLines(path).at(-1)}\n`);
    const { code, stderr } = await letters(invalid, join(folder, 'out'), ['--language', 'en']);
    expect([code, stderr]).toEqual([4, '0 letters written; 1 person without a letter: the row is invalid\n']);
  });

  it('counts and names results without the data of the person', async () => {
    const folder = temporaryFolder();
    const [first, second] = readLines(await results(folder)).map((line) => JSON.parse(line));
    const reason = { code: 'overran', message: 'the solver did not finish this row' };
    const lost = { ...second, status: 'not-found', target: null, factual: null, counterfactuals: [], reason };
    const path = writeText(folder, 'lost.ndjson', `${JSON.stringify(first)}\n${JSON.stringify(lost)}\n`);
    const output = join(folder, 'letters');
    const { code, stderr } = await letters(path, output, ['--language', 'en']);
    expect(code).toBe(0);
    expect(stderr).toMatch(
      new RegExp(`^1 letter written: 1 with .*; 1 result has no data of the person and no letter: id ${second.id}\n$`),
    );
    expect(indexOf(output)[1]).toEqual({ id: second.id, status: 'not-found' });
    expect(readdirSync(output)).toHaveLength(3);
  });

  it('asks no scorer: a letter scores nothing', async () => {
    const folder = temporaryFolder();
    const document = JSON.parse(
      readFileSync(fileURLToPath(new URL('../../examples/scorer/model.json', import.meta.url)), 'utf8'),
    );
    const model = writeText(folder, 'model.json', document);
    const { name, digest } = loadModel(document);
    const [line] = readLines(await results(folder));
    const factual = { features: { age: 41, income: 2100 }, prediction: document.classes[0], score: 0.3 };
    const reason = { code: 'scorer-unavailable', message: 'the scorer does not answer' };
    const result = {
      ...JSON.parse(line),
      ...{ status: 'not-found', model: { name, version: null, digest }, target: document.classes[1] },
      ...{ factual, counterfactuals: [], reason },
    };
    const path = writeText(folder, 'not-found.ndjson', JSON.stringify(result));
    const output = join(folder, 'letters');
    const { code, stderr } = await here(['letters', path, '--model', model, '--language', 'en', '--output', output]);
    expect([code, stderr]).toEqual([0, '1 letter written: 1 without a known change\n']);
  });
});

describe('docs/letters.md', () => {
  it('has commands that write what the page shows, and a template that fits', async () => {
    const page = readFileSync(join(ROOT, 'docs', 'letters.md'), 'utf8');
    const commands = [...page.matchAll(/^npx elsewise (.*)$/gm)].map(([, command]) => command);
    expect(commands).toHaveLength(3);
    const folder = temporaryFolder();
    const said = commands.map((command) => {
      const line = `${process.execPath} ${join(ROOT, 'dist', 'cli', 'main.js')} ${command} 2>&1`;
      return execSync(line.replaceAll('examples/credit/', CREDIT), { cwd: folder, encoding: 'utf8' });
    });
    const [, shown] = /^```\n(.*)\n```$/m.exec(page)!;
    expect(said[1]).toContain(shown);
    expect(readdirSync(join(folder, 'letters'))).toHaveLength(6001);
    const [, index] = /^```json\n(\{ "id".*)\n```$/m.exec(page)!;
    expect(indexOf(join(folder, 'letters'))[0]).toEqual(JSON.parse(index));
    const [, template] = /^```html\n([\s\S]*?)^```$/m.exec(page)!;
    expect(parseTemplate(template, 'html', 'letter.html').parts.length).toBeGreaterThan(20);
    const [, labels] = /^```json\n(\{\n {2}"schema"[\s\S]*?)^```$/m.exec(page)!;
    expect(labelsSchema.safeParse(JSON.parse(labels)).success).toBe(true);
  });
});
