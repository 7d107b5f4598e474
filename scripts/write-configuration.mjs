/** `npm run configuration`: writes docs/configuration.md, from what `npm run build` made of src/config.ts. */
import { writeFileSync } from 'node:fs';
import { configurationPage } from '../dist/config.js';

writeFileSync(new URL('../docs/configuration.md', import.meta.url), configurationPage());
