/**
 * `npm run oracle -- [--rows N] [--seed N] [--first N] [--families a,b] [--norms a,b] [--monotone SHARE] [--processes N]`: judges the
 * built product from outside (test/oracle). A new seed each time unless one is given; what is found is shrunk and printed as a script that asks it again.
 * Several processes share the rows: each takes a range of cases, whose sums and findings it prints on its own.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const OPTIONS = ['rows', 'seed', 'first', 'families', 'norms', 'monotone', 'processes'];
const VITEST = [join(ROOT, 'node_modules', 'vitest', 'vitest.mjs'), 'run', '--config', 'test/oracle/vitest.config.ts'];
const DEFAULT_ROWS = 5000;

const { values } = parseArgs({ options: Object.fromEntries(OPTIONS.map((name) => [name, { type: 'string' }])) });
const { processes = '1', rows = String(DEFAULT_ROWS), first = '0', ...others } = values;
const seed = values.seed ?? String(Math.floor(Math.random() * 1e9));
const ranges = split(Number(first), Number(rows), Number(processes));
const children = ranges.map(([from, count]) => start({ ...others, seed, first: from, rows: count }));
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    for (const child of children) child.kill(signal);
  });
const codes = await Promise.all(children.map(ending));
process.exit(codes.find((code) => code !== 0) ?? 0);

/** [first, rows] of each process; together all rows. */
function split(from, count, parts) {
  const ends = Array.from({ length: parts + 1 }, (_, k) => from + Math.round((count * k) / parts));
  return ends.slice(1).map((end, k) => [ends[k], end - ends[k]]);
}

function start(options) {
  const given = Object.entries(options).map(([name, value]) => [`ORACLE_${name.toUpperCase()}`, String(value)]);
  return spawn(process.execPath, VITEST, {
    cwd: ROOT,
    env: { ...process.env, ...Object.fromEntries(given) },
    stdio: 'inherit',
  });
}

function ending(child) {
  return new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)));
}
