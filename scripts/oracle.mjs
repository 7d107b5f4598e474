/**
 * `npm run oracle -- [--rows N] [--seed N] [--first N] [--families a,b] [--norms a,b]`: judges the built product from outside
 * (test/oracle). A new seed each time unless one is given; what is found is shrunk and printed as a script that asks it again.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const OPTIONS = ['rows', 'seed', 'first', 'families', 'norms'];

const { values } = parseArgs({ options: Object.fromEntries(OPTIONS.map((name) => [name, { type: 'string' }])) });
const given = Object.entries(values).map(([name, value]) => [`ORACLE_${name.toUpperCase()}`, value]);
const vitest = [join(ROOT, 'node_modules', 'vitest', 'vitest.mjs'), 'run', '--config', 'test/oracle/vitest.config.ts'];
const child = spawn(process.execPath, vitest, {
  cwd: ROOT,
  env: { ...process.env, ...Object.fromEntries(given) },
  stdio: 'inherit',
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => process.exit(code ?? 1));
