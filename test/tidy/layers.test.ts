/**
 * The layers hold: rules in .dependency-cruiser.cjs, checked here over src and, so that a rule which can no longer
 * fire is noticed, over a small tree that breaks each of them.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { cruiseSources, drawLayers, placeDrawing } from '../../scripts/layers.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

describe('src', () => {
  const { modules, violations } = cruiseSources(ROOT);

  it('has modules', () => {
    expect(modules.length).toBeGreaterThan(0);
  });

  it('keeps to the layers, without cycles, pure up to explain', () => {
    expect(violations).toEqual([]);
  });

  it('looks like its drawing in src/README.md', () => {
    const page = readFileSync(join(ROOT, 'src', 'README.md'), 'utf8');
    expect(placeDrawing(page, drawLayers(modules)) === page, 'the drawing is old: run `npm run draw`').toBe(true);
  });
});

const BROKEN: Record<string, [path: string, source: string]> = {
  'no-cycles': ['src/jobs/a.ts', "import type { B } from './b.js';\nexport type A = B;"],
  'layer-documents': ['src/documents/a.ts', "import '../linalg/a.js';"],
  'layer-models': ['src/models/a.ts', "import '../policy/a.js';"],
  'layer-solvers': ['src/solvers/a.ts', "import '../explain/a.js';"],
  'layer-explain': ['src/explain/a.ts', "import '../config.js';"],
  'layer-store': ['src/store/a.ts', "import '../index.js';"],
  'layer-api': ['src/api/a.ts', "export const late = () => import('../cli/a.js');"],
  'index-on-top': ['src/index.ts', "export * from './cli/a.js';"],
  'no-strays': ['src/stray.ts', "import './config.js';"],
  'pure-without-io': ['src/linalg/a.ts', "import { readFile } from 'node:fs/promises';\nreadFile('a');"],
  'pure-without-services': ['src/policy/a.ts', "import { Queue } from 'bullmq';\nnew Queue('a');"],
  'only-one-imports-highs': ['src/problems/a.ts', "import highs from 'highs';\nhighs();"],
};

const SOUND: Record<string, string> = {
  'src/jobs/b.ts': "import type { A } from './a.js';\nexport type B = A;",
  'src/config.ts': "import './solvers/highs.js';",
  'src/solvers/highs/highs.ts':
    "import { createHash } from 'node:crypto';\nimport highs from 'highs';\nhighs(createHash);",
  'src/formats/a.ts': "import { readFile } from 'node:fs';\nimport '../config.js';\nreadFile('a');",
  'src/cli/a.ts': "import '../jobs/a.js';",
};

describe('the rules', () => {
  const root = mkdtempSync(join(tmpdir(), 'elsewise-layers-'));
  for (const [path, source] of [...Object.values(BROKEN), ...Object.entries(SOUND)]) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), source);
  }
  const { modules, violations } = cruiseSources(root);
  rmSync(root, { recursive: true });

  it.each(Object.entries(BROKEN))('%s fires', (rule, [path]) => {
    expect(violations.filter((line) => line.startsWith(`${rule}: ${path} `))).toHaveLength(1);
  });

  it('fire nowhere else', () => {
    const expected = Object.entries(BROKEN).map(([rule, [path]]) => `${rule}: ${path}`);
    const fired = violations.map((line) => line.split(' -> ')[0]);
    expect(fired.sort()).toEqual(expected.sort());
  });

  it('are drawn as they are broken', () => {
    const lines = drawLayers(modules).split('\n');
    expect(lines).toContain('  models --> policy');
    expect(lines).toContain('  formats --> config');
    expect(lines).not.toContain('  policy --> models');
  });
});
