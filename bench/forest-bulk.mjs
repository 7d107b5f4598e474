/**
 * Tree ensembles through the command line, start-up included: rows per second of `explain` on two threads, with all solvers
 * and with the heuristics alone, and how long `models import` takes for a large file of XGBoost.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CLI, runProcess } from './end-to-end.mjs';
import { HEURISTICS } from './forests.mjs';
import { isProved } from './solve.mjs';

const THREADS = 2;
const SHORT_ROWS = 200;

export async function measureForestBulk({ model, policy, rows }, isShort) {
  return inFolder(async (folder) => {
    const input = join(folder, 'rows.ndjson');
    writeFileSync(
      input,
      readFileSync(rows, 'utf8')
        .split('\n', isShort ? SHORT_ROWS : undefined)
        .join('\n'),
    );
    const quick = join(folder, 'heuristics.json');
    writeFileSync(quick, JSON.stringify({ ...JSON.parse(readFileSync(policy, 'utf8')), solvers: HEURISTICS }));
    const all = await explain(folder, { model, policy, input });
    const heuristics = await explain(folder, { model, policy: quick, input });
    return {
      rows: all.rows,
      isWhole: !isShort,
      threads: THREADS,
      rowsPerSecond: all.rowsPerSecond,
      provedRowsPerSecond: all.provedRowsPerSecond,
      heuristicRowsPerSecond: heuristics.rowsPerSecond,
    };
  });
}

async function explain(folder, { model, policy, input }) {
  const output = join(folder, 'results.ndjson');
  const files = ['--model', model, '--policy', policy, '--input', input, '--output', output];
  const { seconds } = await runProcess([CLI, 'explain', ...files, '--threads', String(THREADS), '--quiet']);
  const results = readFileSync(output, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const perSecond = (test) => Math.round(results.filter(test).length / seconds);
  const isAnswered = ({ status }) => status === 'found' || status === 'infeasible';
  return { rows: results.length, rowsPerSecond: perSecond(isAnswered), provedRowsPerSecond: perSecond(isProved) };
}

/** `large` is what XGBoost saved. */
export async function measureImport(large) {
  return inFolder(async (folder) => {
    const output = join(folder, 'model.json');
    const { seconds, residentMb } = await runProcess([
      CLI,
      'models',
      'import',
      large,
      '--from',
      'xgboost',
      '--output',
      output,
    ]);
    const { trees } = JSON.parse(readFileSync(output, 'utf8')).parameters;
    const nodes = trees.reduce((sum, tree) => sum + tree.left.length, 0);
    return { trees: trees.length, nodes, seconds: Number(seconds.toFixed(2)), residentMb: Math.round(residentMb) };
  });
}

async function inFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), 'elsewise-bench-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
