/**
 * House rules that a linter does not know, over every file that git tracks or would track.
 * Each test lists the offenders, so that its failure says what to do.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { solvers } from '../../src/solvers/index.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PURE = ['linalg', 'documents', 'models', 'policy', 'problems', 'proofs', 'solvers', 'explain'];
const MAX_LINES = 500;
const MAX_FILES = 22;

const files = listFiles();
const under = (...folders: string[]) => files.filter((file) => folders.some((folder) => file.startsWith(`${folder}/`)));
const code = (...folders: string[]) => under(...folders).filter((file) => /\.[cm]?[jt]sx?$/.test(file));

function listFiles(): string[] {
  const options = { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 26 } as const;
  const names = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], options).split('\0');
  return [...new Set(names)].filter((name) => name !== '' && existsSync(join(ROOT, name))).sort();
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}

/** `file:line: text` for each line that matches; binary files have none. */
function grep(names: string[], pattern: RegExp, prepare = (text: string) => text): string[] {
  return names.flatMap((file) => {
    const text = read(file);
    if (text.includes('\0') || !pattern.test(text)) return [];
    const lines = prepare(text).split('\n');
    return lines.flatMap((line, i) => (pattern.test(line) ? [`${file}:${i + 1}: ${line.trim().slice(0, 120)}`] : []));
  });
}

function groupBy<T>(list: readonly T[], keyOf: (entry: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const entry of list) groups.set(keyOf(entry), [...(groups.get(keyOf(entry)) ?? []), entry]);
  return groups;
}

/** Comments may name what code may not do; lines keep their numbers. */
function withoutComments(text: string): string {
  const blank = (comment: string) => comment.replace(/[^\n]/g, ' ');
  return text.replace(/\/\*[\s\S]*?\*\//g, blank).replace(/(?<!:)\/\/.*$/gm, '');
}

describe('declarations', () => {
  it('name what their modules export', () => {
    const exported = (file: string) =>
      [...read(file).matchAll(/^export (?:async )?(?:function|class|const) (\w+)/gm)].map(([, name]) => name).sort();
    const declarations = files.filter((file) => file.endsWith('.d.mts'));
    expect(declarations.length).toBeGreaterThan(0);
    for (const file of declarations) expect(exported(file), file).toEqual(exported(file.replace('.d.mts', '.mjs')));
  });
});

describe('names', () => {
  it('are kebab-case in src and test', () => {
    const kebab = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*$/;
    const python = /^[a-z0-9_]+\.py$/; // a module's name is an identifier there
    const isFine = (part: string) => kebab.test(part) || python.test(part) || part === 'README.md';
    expect(under('src', 'test').filter((file) => !file.split('/').every(isFine))).toEqual([]);
  });

  it('say what is inside', () => {
    const vague = /(^|[-_])(utils?|helpers?|managers?|base)([-_.]|$)/i;
    expect(files.filter((file) => vague.test(basename(file)))).toEqual([]);
  });
});

describe('src', () => {
  it('checks lists and records of documents only as far as their faults need', () => {
    const ours = code('src').filter((file) => file !== 'src/documents/collections.ts');
    expect(grep(ours, /\bz\.(array|record)\(/, withoutComments)).toEqual([]); // listOf and recordOf instead
  });

  it(`has no file of more than ${MAX_LINES} lines`, () => {
    const lineCount = (file: string) => read(file).trimEnd().split('\n').length;
    expect(code('src').filter((file) => lineCount(file) > MAX_LINES)).toEqual([]);
  });

  it(`has no folder of more than ${MAX_FILES} files`, () => {
    const folders = code('src').map((file) => posix.dirname(file));
    const sizes = groupBy(folders, (folder) => folder);
    expect([...sizes].filter(([, list]) => list.length > MAX_FILES).map(([folder]) => folder)).toEqual([]);
  });

  it('gives each exported type and class a name of its own', () => {
    const declared = grep(code('src'), /\bexport (?:abstract )?(?:interface|type|class) \w+/).map((line) => {
      const [, place, name] = /^(\S+?):\d+: export (?:abstract )?(?:interface|type|class) (\w+)/.exec(line)!;
      return { place, name };
    });
    const places = groupBy(declared, ({ name }) => name);
    const shared = [...places].filter(([, list]) => list.length > 1);
    expect(shared.map(([name, list]) => `${name}: ${list.map(({ place }) => place).join(', ')}`)).toEqual([]);
  });

  it('leaves no marks of unfinished work', () => {
    expect(grep(under('src'), /\b(TODO|FIXME|XXX|HACK)\b/)).toEqual([]);
  });

  it('opens each file with mathematics by a header comment', () => {
    const math = code('src/solvers', 'src/proofs', 'src/problems', 'src/policy', 'src/models', 'src/linalg');
    expect(math.filter((file) => !/^\s*(\/\*\*|\/\/)/.test(read(file)))).toEqual([]);
  });

  it('keeps each solver in the file of its name, and describes them in the order in which they are tried', () => {
    const names = solvers.map(({ name }) => name);
    const homes = new Set(code('src/solvers').map((file) => basename(file, '.ts')));
    expect(names.filter((name) => !homes.has(name))).toEqual([]);
    const [, table] = /^\| solver .*\n\|[ |-]+\n((?:\|.*\n)+)/m.exec(read('src/README.md'))!;
    const described = table.split('\n').flatMap((row) => [
      ...row
        .split('|', 2)
        .join('')
        .matchAll(/`([\w-]+)`/g),
    ]);
    expect(described.map(([, name]) => name)).toEqual(names);
  });

  it('prints from the command line only', () => {
    const quiet = code('src').filter((file) => !file.startsWith('src/cli/'));
    expect(grep(quiet, /\bconsole\.log\b/, withoutComments)).toEqual([]);
  });

  it('has no clock and no dice where it is pure', () => {
    const impure = /\b(Date\.now|performance\.now|process\.hrtime|Math\.random|new Date)\b|(?<!new )\bDate\(/;
    const pure = code(...PURE.map((layer) => `src/${layer}`));
    expect(grep(pure, impure, withoutComments)).toEqual([]);
  });
});

describe('test', () => {
  it('leaves no test out', () => {
    const calls = /\b(it|test|describe|suite|bench|ctx|context|task)\b(\.\w+)*\.(skip|only|todo|skipIf|runIf)\b/;
    const options = /[{,]\s*(skip|only|todo):\s*true\b/;
    const pattern = new RegExp(`${calls.source}|${options.source}`);
    expect(grep(code('test'), pattern, withoutComments)).toEqual([]);
  });

  it('says nothing about time on the clock', () => {
    const timing = /expect\(.*\b(performance|Date)\.now\b|\bmonitorEventLoopDelay\b/;
    expect(grep(code('test'), timing, withoutComments)).toEqual([]);
  });
});

describe('the lock file', () => {
  it('has the optional packages of all platforms, without which npm ci refuses to install', () => {
    type Locked = Record<string, { optionalDependencies?: Record<string, string> }>;
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Locked };
    const isThere = (by: string, name: string) =>
      [`${by}/node_modules/${name}`, `node_modules/${name}`].some((path) => path in packages);
    const missing = Object.entries(packages).flatMap(([by, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter((name) => !isThere(by, name)),
    );
    expect(missing).toEqual([]);
  });
});

describe('the tree', () => {
  it('names no folder of one machine', () => {
    // in pieces, or this file would be the first offender
    const folders = ['work', 'root', 'home'].map((name) => ['', name, ''].join('/'));
    expect(grep(files, new RegExp(`(?<![\\w.})~-])(${folders.join('|')})`))).toEqual([]);
  });

  it('names no package registry', () => {
    const hosts = [['registry', 'npmjs', 'org'].join('.'), configuredRegistry()].filter((host) => host !== undefined);
    expect(grep(files, new RegExp(hosts.map((host) => host.replaceAll('.', '\\.')).join('|')))).toEqual([]);
  });

  it('names files that exist, in comments and pages', () => {
    const named = code('src', 'test').flatMap((file) => namesInComments(read(file)).map((name) => ({ file, name })));
    const pages = files.filter((file) => file.endsWith('.md'));
    const inPages = pages.flatMap((file) => namesOfFiles(read(file)).map((name) => ({ file, name })));
    const isThere = (name: string) => files.some((file) => file === name || file.endsWith(`/${name}`));
    const dead = [...named, ...inPages].filter(({ name }) => !isThere(name));
    expect(dead.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
  });

  it('has no dead relative link in a page', () => {
    const pages = files.filter((file) => file.endsWith('.md'));
    expect(pages.flatMap((page) => deadLinks(page, read(page)))).toEqual([]);
  });
});

/** Names of TypeScript files, with or without their folders; a placeholder in angle brackets is none. */
function namesOfFiles(text: string): string[] {
  return [...text.matchAll(/(?<![\w/.<>*$}-])((?:[\w-]+\/)*[a-z][\w-]*\.c?ts)\b/g)].map(([, name]) => name);
}

function namesInComments(text: string): string[] {
  return [...text.matchAll(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm)].flatMap(([comment]) => namesOfFiles(comment));
}

/** With its port; a bare loopback name says nothing about anybody's network. */
function configuredRegistry(): string | undefined {
  const address = execFileSync('npm', ['config', 'get', 'registry'], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const { host } = new URL(address.trim());
  return ['localhost', '127.0.0.1'].includes(host) ? undefined : host;
}

/** A link may lead to a file or a folder that git has, not to one that only a build leaves behind. */
function deadLinks(page: string, text: string): string[] {
  const prose = text.replace(/^( *)(`{3,}|~{3,})[\s\S]*?^\1\2/gm, '').replace(/`[^`\n]*`/g, '');
  const links = [
    ...prose.matchAll(/\]\(\s*<?([^)\s>]+)/g),
    ...prose.matchAll(/^ {0,3}\[[^\]]+\]:\s*<?([^\s>]+)/gm),
    ...prose.matchAll(/\b(?:src|href)="([^"]+)"/g),
  ].map(([, link]) => link);
  return links.filter((link) => !leadsSomewhere(page, link)).map((link) => `${page}: ${link}`);
}

function leadsSomewhere(page: string, link: string): boolean {
  if (/^([a-z][a-z0-9+.-]*:|\/\/|#)/i.test(link)) return true;
  const path = decodeURIComponent(link.replace(/[#?].*$/, ''));
  const target = path.startsWith('/') ? path.slice(1) : posix.join(posix.dirname(page), path);
  const name = posix.normalize(target).replace(/\/$/, '');
  return name === '.' || files.some((file) => file === name || file.startsWith(`${name}/`));
}
