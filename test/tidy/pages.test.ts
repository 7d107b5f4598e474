/** What pages promise: links and headings, commands and options, scripts, settings and variables that exist, in plain words. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { type CommandLeaf, commandsPage, leavesOf } from '../../scripts/commands-page.mjs';
import { commands } from '../../src/cli/commands/index.js';
import { readArguments } from '../../src/cli/options.js';
import { configEntries } from '../../src/config.js';
import { commandsIn, spansIn, wordsOf } from './page-commands.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const filesIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => posix.join(folder, name));

const docs = filesIn('docs').filter((file) => file.endsWith('.md'));
const pages = ['README.md', ...docs, 'src/README.md', 'bench/README.md', 'python/README.md', 'config/README.md'].concat(
  filesIn('examples').filter((file) => file.endsWith('README.md')),
);
const inPages = <T>(find: (text: string) => readonly T[]) =>
  pages.flatMap((page) => find(read(page)).map((found) => ({ page, found })));

let leaves: CommandLeaf[];
beforeAll(async () => {
  leaves = await leavesOf(commands, []);
});

const isCommand = (path: readonly string[]) =>
  leaves.some((leaf) => leaf.path.length >= path.length && path.every((name, i) => leaf.path[i] === name));

/** What is wrong with a typed command; undefined: nothing. */
function faultOf(args: readonly string[]): string | undefined {
  if (args.includes('--help')) return undefined;
  const leaf = leaves.find(({ path }) => path.every((name, i) => args[i] === name));
  if (!leaf) return `no such command: ${args.slice(0, 2).join(' ')}`;
  try {
    readArguments(args.slice(leaf.path.length), leaf.command.options, leaf.command.positionals ?? []);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

describe('README.md', () => {
  const page = read('README.md');

  it('fits on a screen', () => {
    expect(page.trimEnd().split('\n').length).toBeLessThanOrEqual(60);
    expect(page.split(/\s+/).length).toBeLessThanOrEqual(450);
  });

  it('has one picture, the command of the main job, the command of the tests, and five links to go on with', () => {
    expect([...page.matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(([, file]) => existsSync(join(ROOT, file)))).toEqual([
      true,
    ]);
    expect(page).toMatch(/^npm install && npm start$/m);
    expect(page).toMatch(/^npm test$/m);
    expect(page.match(/^\d\. \[/gm)).toHaveLength(5);
  });
});

describe('docs/', () => {
  it('has an index of all pages', () => {
    const index = read('docs/README.md');
    const missing = docs.filter(
      (file) => file !== 'docs/README.md' && !index.includes(`(${posix.relative('docs', file)})`),
    );
    expect(missing).toEqual([]);
  });

  it('has every command and option as the help has them', async () => {
    expect((await commandsPage(commands)) === read('docs/commands.md'), 'run `npm run schemas`').toBe(true);
  });
});

describe('pages', () => {
  it('link to headings that exist', () => {
    const slug = (heading: string) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .trim()
        .replaceAll(' ', '-');
    const headings = (page: string) => [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => slug(heading));
    const links = inPages((text) => [...text.matchAll(/\]\(([^)\s#:]*\.md)?#([^)\s]+)\)/g)]);
    const dead = links.filter(({ page, found: [, file, anchor] }) => {
      const target = file ? posix.join(dirname(page), file) : page;
      return !headings(target).includes(anchor);
    });
    expect(dead.map(({ page, found }) => `${page}: ${found[0]}`)).toEqual([]);
  });

  it('show commands that the program takes', () => {
    const typed = inPages(commandsIn).filter(({ found }) => found[0] === 'elsewise');
    expect(typed.length).toBeGreaterThan(100);
    const faults = typed.map(({ page, found }) => ({ page, fault: faultOf(found.slice(1)) }));
    expect(faults.filter(({ fault }) => fault !== undefined).map(({ page, fault }) => `${page}: ${fault}`)).toEqual([]);
  });

  it('name commands and options that exist', () => {
    const known = new Set(leaves.flatMap(({ command }) => Object.keys(command.options)).map((name) => `--${name}`));
    const named = inPages(spansIn).map(({ page, found }) => ({ page, found, words: wordsOf(found) }));
    const strange = named.filter(({ words: [first, second = '', third = ''] }) => {
      if (first === 'elsewise')
        return /^[a-z]/.test(second) && !isCommand([second, third].filter((w) => /^[a-z]+$/.test(w)));
      return /^--[a-z]/.test(first ?? '') && ![...known, '--help', ...OTHERS].includes(first.replace(/=.*/, ''));
    });
    expect(strange.map(({ page, found }) => `${page}: ${found}`)).toEqual([]);
  });

  it('name scripts of npm that exist', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const named = inPages((text) => [...text.matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name]) => name));
    expect(named.filter(({ found }) => !Object.hasOwn(scripts, found))).toEqual([]);
  });

  it('name settings and variables that exist', () => {
    const entries = configEntries();
    const paths = new Set(entries.map(({ path }) => path.join('.')));
    const sections = [...new Set(entries.map(({ path }) => path[0]))].join('|');
    const setting = new RegExp(`^(${sections})\\.[a-z][A-Za-z]+$`);
    const isFile = /\.(md|ts|json|csv|py|mjs)$/;
    const named = inPages(spansIn).filter(({ found }) => setting.test(found) && !isFile.test(found));
    expect(named.filter(({ found }) => !paths.has(found)).map(({ page, found }) => `${page}: ${found}`)).toEqual([]);
    const variables = new Set(
      entries.flatMap((entry) => [...entry.variables, ...entry.fileVariables]).concat(OWN_VARIABLES),
    );
    const used = inPages((text) => [...text.matchAll(/\bELSEWISE_[A-Z_]+[A-Z]\b/g)].map(([name]) => name));
    expect(used.filter(({ found }) => !variables.has(found)).map(({ page, found }) => `${page}: ${found}`)).toEqual([]);
  });
});

/** Options of other programs that pages name. */
const OTHERS = ['--scale'];
/** Ours besides settings; the last two are those of an example. */
const OWN_VARIABLES = ['ELSEWISE_CONFIG', 'ELSEWISE_DEBUG', 'ELSEWISE_URL', 'ELSEWISE_TOKEN'];

/** Sentences that readers did not understand, by their beginnings, and phrases of their kind. */
const RIDDLES = [
  /as normal as all but/,
  /dearest change first/,
  /(is|are) followed (once|when)/,
  /in which everything is one/,
  /say so every half/,
  /for so long after/i,
  /is wrong or cannot be looked at/,
  /\bmade up for by\b/,
  /\bthin ground\b/,
  /\bwhat came of it\b/,
  /\bis told only where\b/,
];

describe('words', () => {
  it('are plain', () => {
    const sources = filesIn('src').filter((file) => file.endsWith('.ts'));
    const told = [...pages, ...sources].flatMap((file) => {
      const text = read(file).replaceAll(/\s+(?:\*\s+)?/g, ' ');
      return RIDDLES.filter((riddle) => riddle.test(text)).map((riddle) => `${file}: ${riddle.source}`);
    });
    expect(told).toEqual([]);
  });
});
