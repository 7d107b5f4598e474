/** Writes the JSON Schemas of all documents to schemas/, from what `npm run build` made of src/jobs/schemas.ts. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jsonSchemas } from '../dist/jobs/schemas.js';

const folder = fileURLToPath(new URL('../schemas', import.meta.url));
mkdirSync(folder, { recursive: true });
for (const [name, schema] of Object.entries(jsonSchemas())) {
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(schema, null, 2)}\n`);
}
