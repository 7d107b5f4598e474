/**
 * The package as `npm publish` would send it: its files, its types, its code and its command, from the packed archive alone. The examples
 * for TypeScript are compiled and run against it.
 */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firstApplicant } from './example-row.js';
import { compile, installInto } from './packed.js';
import { POLICY, World, withoutTimes } from './queue-world.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

let project: string;
let home: string;
let files: string[];

beforeAll(() => {
  project = installInto('typescript');
  compile(project);
  home = join(project, 'node_modules', 'elsewise');
  files = readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(home.length + 1));
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

const inProject = (args: readonly string[]) =>
  spawnSync(process.execPath, args, { cwd: project, encoding: 'utf8', timeout: 120_000 });

describe('package.json', () => {
  it('may be published, and names files that are there', () => {
    const {
      private: isPrivate,
      main,
      types,
      bin,
      exports,
    } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
    expect(isPrivate).toBeUndefined();
    const named = [main, types, bin.elsewise, exports['.'].types, exports['.'].default, exports['./package.json']];
    expect(named.filter((file) => !existsSync(join(home, file)))).toEqual([]);
  });
});

describe('the archive', () => {
  it('has all that a user reads and runs', () => {
    const needed = [
      'README.md',
      'CHANGELOG.md',
      'LICENSE',
      'config/default.json',
      'schemas/policy.json',
      'docs/policy.md',
    ];
    const run = ['dist/cli/main.js', 'dist/solver-thread.js', 'examples/credit/model.json', 'python/pyproject.toml'];
    expect([...needed, ...run].filter((file) => !files.includes(file))).toEqual([]);
  });

  it('has no sources, tests, maps without their sources, or leftovers of Python', () => {
    const stray =
      /^(src(?!\/README\.md$)|test|bench|scripts|deploy)\/|\.map$|__pycache__|\.pyc$|\.test\.|\.tsbuildinfo$/;
    expect(files.filter((file) => stray.test(file))).toEqual([]);
  });

  it('has the pages of docs whole', () => {
    const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, withFileTypes: true }).filter((e) => e.isFile());
    expect(files.filter((file) => file.startsWith('docs/'))).toHaveLength(pages.length);
  });
});

describe('a project that installs the archive', () => {
  it('imports it with the dependencies that it declares and no others', () => {
    const script = "const all = await import('elsewise'); console.log(Object.keys(all).sort().join(' '))";
    const { stdout, stderr } = inProject(['--input-type=module', '-e', script]);
    expect(stderr).toBe('');
    expect(stdout.split(/\s+/)).toEqual(expect.arrayContaining(['ElsewiseError', 'Producer', 'loadModel', 'prepare']));
  });

  // it was compiled with all declarations checked
  it('explains a row in its own process', () => {
    const credit = join(home, 'examples', 'credit');
    const documents = [join(credit, 'model.json'), join(credit, 'policy.json')];
    const row = ['a-0001', JSON.stringify(firstApplicant())];
    const { stdout, stderr } = inProject([join(project, 'dist', 'library.js'), ...documents, ...row]);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^found, optimal\n\w+: .+ -> .+\n/);
  });

  it('has the command', () => {
    const cli = join(home, 'dist', 'cli', 'main.js');
    expect(readFileSync(cli, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    const { stdout, status } = inProject([cli, 'models', 'check', join(home, 'examples', 'credit', 'model.json')]);
    expect([stdout, status]).toEqual([expect.stringContaining('credit'), 0]);
  });
});

describe('the examples for TypeScript', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.withModel();
    await world.startWorker();
  });

  afterAll(() => world.close());

  function runExample(name: string, ...args: string[]) {
    const env = { ...process.env, ...world.environment };
    return promisify(execFile)(process.execPath, [join(project, 'dist', `${name}.js`), ...args], { env });
  }

  it('queue a batch and write its results', async () => {
    const rows = world.writeRows('rows.csv', 1);
    const output = world.path('results.ndjson');
    const { stdout } = await runExample('batch', 'credit@1', POLICY, rows, output);
    expect(stdout).toContain('3000 rows in batch credit-');
    expect(withoutTimes(readFileSync(output, 'utf8'))).toBe(await world.explain(rows));
  });

  it('send one row and wait for its answer', async () => {
    const { stdout } = await runExample('event', 'credit@1', POLICY, 'a-0001', JSON.stringify(firstApplicant()));
    expect(stdout).toMatch(/^found\n\w+: .+ -> .+\n/);
  });
});
