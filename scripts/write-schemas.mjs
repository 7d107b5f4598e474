/** Writes what follows from tables in the code: the JSON Schemas of all documents to schemas/, their reference pages, docs/commands.md and docs/failures.md. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commands } from '../dist/cli/commands/index.js';
import { failurePage } from '../dist/jobs/failures/failures.js';
import { jsonSchemas } from '../dist/jobs/schemas.js';
import { commandsPage } from './commands-page.mjs';
import { referencePages } from './reference-pages.mjs';

const folder = fileURLToPath(new URL('../schemas', import.meta.url));
mkdirSync(folder, { recursive: true });
const schemas = jsonSchemas();
for (const [name, schema] of Object.entries(schemas)) {
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(schema, null, 2)}\n`);
}

const docs = fileURLToPath(new URL('../docs', import.meta.url));
const pages = {
  ...referencePages(schemas),
  'commands.md': await commandsPage(commands),
  'failures.md': failurePage(),
};
for (const [file, text] of Object.entries(pages)) writeFileSync(join(docs, file), text);
