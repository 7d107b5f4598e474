/** The tutorial and the README: their commands, in their order, in a folder of their own, and the output that the tutorial shows. */
import { execSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAGE = readFileSync(join(ROOT, 'docs', 'tutorial.md'), 'utf8');
const MOST_COMMANDS = 10;

const blocks = [...PAGE.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language, text]) => ({ language, text }));
const linesOf = (language: string) =>
  blocks.filter((block) => block.language === language).flatMap(({ text }) => text.trimEnd().split('\n'));
const commands = linesOf('sh');
/** What the page shows: output of commands, lines of a letter, and the line of a file. */
const shown = linesOf('').filter((line) => !line.startsWith('"'));
const inLetter = (line: string) => letter.includes(line);
let letter = '';
const rule = linesOf('').filter((line) => line.startsWith('"'));

const folder = mkdtempSync(join(tmpdir(), 'elsewise-tutorial-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function type(command: string): string {
  const elsewise = `${process.execPath} ${join(ROOT, 'dist', 'cli', 'main.js')}`;
  const here = command
    .replace(/^npx elsewise\b/, elsewise)
    .replace(/^python3\b/, process.env.PYTHON ?? '/usr/bin/python3');
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1' };
  return execSync(`${here} 2>&1`, { cwd: folder, env, encoding: 'utf8' });
}

describe('the tutorial', () => {
  const [clone, install, ...others] = commands;
  let said = '';

  beforeAll(() => {
    symlinkSync(join(ROOT, 'examples'), join(folder, 'examples'));
    said = others.map(type).join('');
    // a number and its unit have a space that breaks no line
    letter = readFileSync(join(folder, 'letters', 'l-001.txt'), 'utf8').replaceAll('\u00a0', ' ');
  });

  it(`comes from a clone to the first own answer with at most ${MOST_COMMANDS} commands`, () => {
    expect(clone).toMatch(/^git clone \S+ && cd elsewise$/);
    expect(install).toBe('npm install');
    expect(commands.length).toBeLessThanOrEqual(MOST_COMMANDS);
  });

  it('shows what its commands print', () => {
    expect(shown.length).toBeGreaterThan(3);
    expect(shown.filter((line) => !said.includes(line) && !inLetter(line))).toEqual([]);
    expect(said).toContain('25 passed');
  });

  it('writes the rule of income that the page shows', () => {
    expect(rule).toHaveLength(1);
    expect(readFileSync(join(folder, 'policy.json'), 'utf8')).toContain(rule[0]);
  });

  it('ends with a letter to each person, which shows what the page shows', () => {
    expect(commands.at(-1)).toMatch(/^npx elsewise letters /);
    expect(shown.filter(inLetter).length).toBeGreaterThan(3);
    expect(letter).toContain('Please contact: Ms Adeyemi, 555 0100');
    expect(readdirSync(join(folder, 'letters'))).toHaveLength(2 * 60 + 1);
  });

  it('has a table for people: an approval for every answer, and nothing left open', () => {
    const [header, ...lines] = readFileSync(join(folder, 'answers.csv'), 'utf8').trimEnd().split(/\r?\n/);
    expect(header.replace('\uFEFF', '')).toMatch(/^id,status,answer,prediction,/);
    expect(lines).toHaveLength(60);
    expect(lines.every((line) => /^L-\d{3},(already,|found,1,rejected,[\d.]+,approved,)/.test(line))).toBe(true);
  });

  it('has the data that its generator writes', () => {
    const again = mkdtempSync(join(folder, 'generated-'));
    execSync(`${process.execPath} ${join(ROOT, 'examples', 'tutorial', 'generate.mjs')} ${again}`);
    for (const name of ['past.csv', 'new.csv']) {
      const committed = readFileSync(join(ROOT, 'examples', 'tutorial', name), 'utf8');
      expect(readFileSync(join(again, name), 'utf8') === committed, name).toBe(true);
    }
  });
});

describe('the README', () => {
  it('shows a command that explains the applicants of the example into a table', () => {
    const [, command] = /^(npx elsewise explain .*\\\n.*)$/m.exec(readFileSync(join(ROOT, 'README.md'), 'utf8'))!;
    expect(type(command)).toMatch(/3,000 rows in /);
    expect(readFileSync(join(folder, 'results.csv'), 'utf8')).toMatch(/^\uFEFF?id,status,answer,/);
  });
});
