/** `npm pack` and `npm publish`: removes the old build. `prepare` then builds again: files of removed sources do not get into the package. */
import { rmSync } from 'node:fs';

rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true });
