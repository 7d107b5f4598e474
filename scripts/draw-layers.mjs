/** `npm run draw`: brings the drawing of the layers in src/README.md (or the page given) up to date. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruiseSources, drawLayers, placeDrawing } from './layers.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = process.argv[2] ?? join(root, 'src', 'README.md');
writeFileSync(page, placeDrawing(readFileSync(page, 'utf8'), drawLayers(cruiseSources(root).modules)));
