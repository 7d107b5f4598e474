/** schemas/ is what the code says, and says of a document what the code says of it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { jsonSchemas } from '../../../src/jobs/schemas.js';
import { families } from '../../../src/models/index.js';

const FOLDER = fileURLToPath(new URL('../../../schemas', import.meta.url));
const schemas = jsonSchemas();

interface Key {
  readonly path: string;
  readonly description: unknown;
}

/** Every key of every object in a JSON Schema. A branch for one family repeats the key `family` as a constant. */
function keysOf(schema: unknown, path = ''): Key[] {
  if (schema === null || typeof schema !== 'object') return [];
  if (Array.isArray(schema)) return schema.flatMap((part) => keysOf(part, path));
  const { properties = {}, ...others } = schema as Record<string, unknown>;
  const own = Object.entries(properties as Record<string, Record<string, unknown>>).flatMap(([key, child]) => {
    const isBranch = 'title' in others && key in BRANCH;
    return [
      ...(isBranch ? [] : [{ path: `${path}.${key}`, description: child.description }]),
      ...keysOf(child, `${path}.${key}`),
    ];
  });
  return [...own, ...Object.values(others).flatMap((part) => keysOf(part, path))];
}

const BRANCH = { family: true, parameters: true };

describe('schemas/', () => {
  it('has a file for every document and no other', () => {
    const files = Object.keys(schemas).map((name) => `${name}.json`);
    expect(readdirSync(FOLDER).sort()).toEqual(files.sort());
  });

  it.each(Object.entries(schemas))('%s.json is up to date', (name, schema) => {
    const written = JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8'));
    expect(written, 'run `npm run build && node scripts/write-schemas.mjs`').toEqual(
      JSON.parse(JSON.stringify(schema)),
    );
  });

  it.each(Object.entries(schemas))('%s.json describes every key in sentences', (_, schema) => {
    const isSentence = (text: unknown) => typeof text === 'string' && /^[^a-z].*\.$/.test(text);
    expect(keysOf(schema).filter(({ description }) => !isSentence(description))).toEqual([]);
  });

  it('knows every family of models', () => {
    const branches = schemas.model.oneOf as { title: string }[];
    expect(branches.map(({ title }) => title)).toEqual([...families.keys()]);
  });
});
