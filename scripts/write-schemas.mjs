/** Writes what follows from tables in the code: the JSON Schemas of all documents to schemas/, and docs/failures.md. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { failurePage } from '../dist/jobs/failures/failures.js';
import { jsonSchemas } from '../dist/jobs/schemas.js';

const folder = fileURLToPath(new URL('../schemas', import.meta.url));
mkdirSync(folder, { recursive: true });
for (const [name, schema] of Object.entries(jsonSchemas())) {
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(schema, null, 2)}\n`);
}

const page = fileURLToPath(new URL('../docs/failures.md', import.meta.url));
writeFileSync(page, failurePage());
