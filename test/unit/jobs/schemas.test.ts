/** schemas/ is what the code says, and says of a document what the code says of it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { jsonSchemas } from '../../../src/jobs/schemas.js';
import { families } from '../../../src/models/index.js';

const FOLDER = fileURLToPath(new URL('../../../schemas', import.meta.url));
const schemas = jsonSchemas();

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

  it('knows every family of models', () => {
    const branches = schemas.model.oneOf as { title: string }[];
    expect(branches.map(({ title }) => title)).toEqual([...families.keys()]);
  });
});
