/**
 * `elsewise explain` from end to end, against the floor.
 *
 * The floor is what no program of this kind can do without: one thread that splits the same CSV, JSON.stringifies results
 * of the same size and writes them, solving nothing. Both run as processes of their own, start-up included, alternately,
 * and the best of each counts: other work on the machine can only make a run slower. It slows the one that wants two
 * cores more than the one that wants one, so the ratio means little on a busy machine; processor time per row then
 * tells more. The short form is mostly start-up: it shows that the bench works, not how fast anything is.
 *
 *   node bench/end-to-end.mjs [--short] [--runs N] [--threads N]
 *
 * Goals: at least 0.8 of the floor's speed with two threads, and less than 400 MB resident. Sparse answers with `--detail brief` and one
 * thread: at least twice the rows per second of whole results, and at most a tenth of their bytes.
 */
import { spawn } from 'node:child_process';
import { createReadStream, createWriteStream, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { createRandom } from './random.mjs';

export const CLI = new URL('../dist/cli/main.js', import.meta.url).pathname;
const SELF = new URL(import.meta.url).pathname;
const FEATURES = 20;
const IMMUTABLE = 4;

export const ROWS = { full: 200_000, short: 20_000 };
/**
 * Whole and short results of sparse answers are compared with one solver thread, and over so many times the rows: with two threads on two
 * cores, both compete with the thread that reads and writes, and a run of two seconds is mostly compilation.
 */
const DETAILS = { threads: 1, times: 3 };
export const GOAL = { ratio: 0.8, residentMb: 400, briefSpeed: 2, briefBytes: 0.1 };

/** Runs both and returns figures; leaves nothing behind. */
export async function measureEndToEnd({ rows = ROWS.full, threads = 2, runs = 3 } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'elsewise-bench-'));
  try {
    const files = writeInputs(folder, rows);
    const near = { ...files, model: files.near, rows: files.many };
    const runsOf = {
      explained: () => explainArguments(files, threads),
      brief: () => explainArguments({ ...files, results: files.brief }, threads, BRIEF),
      sparse: () => explainArguments({ ...near, results: files.sparse }, DETAILS.threads, L1),
      sparseBrief: () => explainArguments({ ...near, results: files.sparseBrief }, DETAILS.threads, [...L1, ...BRIEF]),
      startUp: () => explainArguments({ ...near, rows: files.one, results: files.first }, threads, L1),
      floors: () => [SELF, '--floor', files.rows, files.results, files.floor],
    };
    const done = Object.fromEntries(Object.keys(runsOf).map((name) => [name, []]));
    for (let run = 0; run < runs; run++)
      for (const [name, args] of Object.entries(runsOf)) done[name].push(await runProcess(args()));
    const { explained, floors, ...details } = done;
    return {
      ...summarise(rows, threads, explained, floors, files),
      ...summariseDetails(rows, { explained, ...details }, files),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function summarise(rows, threads, explained, floors, files) {
  const best = (runs, figure = 'seconds') => Math.min(...runs.map((run) => run[figure]));
  const cpuMicros = (runs) => Number(((1e6 * best(runs, 'cpuSeconds')) / rows).toFixed(1));
  const speed = rows / best(explained);
  const floorSpeed = rows / best(floors);
  return {
    rows,
    features: FEATURES,
    threads,
    rowsPerSecond: Math.round(speed),
    floorRowsPerSecond: Math.round(floorSpeed),
    ratio: Number((speed / floorSpeed).toFixed(3)),
    cpuMicrosPerRow: cpuMicros(explained),
    floorCpuMicrosPerRow: cpuMicros(floors),
    residentMb: Math.round(Math.max(...explained.map(({ residentMb }) => residentMb))),
    bytesPerResult: Math.round(statSync(files.results).size / rows),
    floorBytesPerResult: Math.round(statSync(files.floor).size / rows),
  };
}

/**
 * `brief` leaves out what the row has. Under l2 every changeable feature moves a little. `sparse` is l1 with the threshold near the people:
 * most answers change one to three features, as in a portfolio of credits. Rates and processor times are of the rows alone, without the
 * start of the process.
 */
function summariseDetails(rows, { explained, brief, startUp, sparse, sparseBrief }, files) {
  const best = (runs, figure = 'seconds') => Math.min(...runs.map((run) => run[figure]));
  const beyondStart = (runs, figure) => best(runs, figure) - best(startUp, figure);
  const figuresOf = (runs, file, count) => ({
    rowsPerSecond: Math.round(count / beyondStart(runs)),
    cpuMicrosPerRow: Number(((1e6 * beyondStart(runs, 'cpuSeconds')) / count).toFixed(1)),
    bytesPerResult: Math.round(statSync(file).size / count),
  });
  const whole = figuresOf(explained, files.results, rows);
  return {
    startUpSeconds: Number(best(startUp).toFixed(2)),
    runningRowsPerSecond: whole.rowsPerSecond,
    runningCpuMicrosPerRow: whole.cpuMicrosPerRow,
    brief: figuresOf(brief, files.brief, rows),
    sparse: figuresOf(sparse, files.sparse, DETAILS.times * rows),
    sparseBrief: figuresOf(sparseBrief, files.sparseBrief, DETAILS.times * rows),
  };
}

/** Sparse answers with `--detail brief` against whole results. */
export const briefRatiosOf = ({ sparse, sparseBrief }) => ratiosOf(sparseBrief, sparse);

const ratiosOf = (some, whole) => ({
  speed: some.rowsPerSecond / whole.rowsPerSecond,
  cpu: whole.cpuMicrosPerRow / some.cpuMicrosPerRow,
  bytes: some.bytesPerResult / whole.bytesPerResult,
});

const L1 = ['--norm', 'l1'];
const BRIEF = ['--detail', 'brief'];

function explainArguments({ model, policy, rows, results }, threads, more = []) {
  const documents = ['--model', model, '--policy', policy];
  return [
    CLI,
    'explain',
    ...documents,
    '--input',
    rows,
    '--output',
    results,
    '--threads',
    String(threads),
    '--quiet',
    ...more,
  ];
}

/** Wall time of the whole process; processor time and the most memory it had, as it tells itself when it ends. */
export async function runProcess(args) {
  const report = `process.on('exit', () => process.stderr.write('\\n@' + JSON.stringify(process.resourceUsage())))`;
  const started = performance.now();
  const child = spawn(process.execPath, ['--import', `data:text/javascript,${encodeURIComponent(report)}`, ...args], {
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  const seconds = (performance.now() - started) / 1000;
  if (code !== 0) throw new Error(`ended with code ${code}: ${said}`);
  const used = JSON.parse(said.slice(said.lastIndexOf('@') + 1));
  return { seconds, cpuSeconds: (used.userCPUTime + used.systemCPUTime) / 1e6, residentMb: used.maxRSS / 1024 };
}

// -------------------------------------------------------------------------------------------------- inputs

const names = Array.from({ length: FEATURES }, (_, f) => `feature${f + 1}`);

/** A logistic model whose rows are all on the wrong side, and a policy with bounds and immutable features. */
export function writeInputs(folder, rows) {
  const random = createRandom(1);
  const files = Object.fromEntries(
    [
      'model.json',
      'policy.json',
      'rows.csv',
      'results.ndjson',
      'floor.ndjson',
      'brief.ndjson',
      'sparse.ndjson',
      'sparseBrief.ndjson',
      'near.json',
      'one.csv',
      'many.csv',
      'first.ndjson',
    ].map((name) => [name.split('.')[0], join(folder, name)]),
  );
  const weights = names.map(() => Number((random() + 0.2).toFixed(4)));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const features = names.map((name) => ({ name, type: 'continuous', min: 0, max: 10 }));
  const model = (mean) => ({
    schema: 'elsewise.model/v1',
    name: 'bench',
    family: 'logistic-regression',
    features,
    classes: ['no', 'yes'],
    parameters: { weights, bias: -mean * total, threshold: 0.5 },
  });
  writeJson(files.model, model(6.2));
  writeJson(files.near, model(3.5));
  const never = names.slice(0, IMMUTABLE).map((name) => [name, { change: 'never' }]);
  const bounded = names.slice(IMMUTABLE).map((name) => [name, { change: 'increase', max: 9 }]);
  writeJson(files.policy, {
    schema: 'elsewise.policy/v1',
    name: 'bench',
    target: 'yes',
    cost: { norm: 'l2' },
    features: Object.fromEntries([...never, ...bounded]),
  });
  const header = `id,${names.join(',')}\n`;
  const linesOf = (count) =>
    Array.from({ length: count }, (_, i) => `r-${i + 1},${names.map(() => (6 * random()).toFixed(3)).join(',')}\n`);
  const lines = linesOf(rows);
  writeFileSync(files.rows, header + lines.join(''));
  writeFileSync(files.one, header + lines[0]);
  writeFileSync(files.many, header);
  for (let part = 0; part < DETAILS.times; part++) writeFileSync(files.many, linesOf(rows).join(''), { flag: 'a' });
  return files;
}

const writeJson = (path, value) => writeFileSync(path, JSON.stringify(value));

// -------------------------------------------------------------------------------------------------- the floor

/** `results` is only looked at for the shape of a result. */
async function runFloor(rowsPath, resultsPath, outputPath) {
  const template = JSON.parse(await readFirstLine(resultsPath));
  const output = createWriteStream(outputPath, { highWaterMark: 1 << 20 });
  let columns;
  let rest = '';
  let batch = [];
  for await (const text of createReadStream(rowsPath, { encoding: 'latin1', highWaterMark: 1 << 18 })) {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      if (!columns) columns = line.split(',');
      else batch.push(`${JSON.stringify(fill(template, columns, line.split(',')))}\n`);
    }
    if (!output.write(batch.join(''))) await new Promise((resolve) => output.once('drain', resolve));
    batch = [];
  }
  await new Promise((resolve) => output.end(resolve));
}

async function readFirstLine(path) {
  const lines = createInterface({ input: createReadStream(path) });
  for await (const line of lines) return line;
}

function fill(template, columns, fields) {
  const features = {};
  for (let c = 1; c < columns.length; c++) features[columns[c]] = Number(fields[c]);
  return { ...template, id: fields[0], factual: { ...template.factual, features } };
}

// -------------------------------------------------------------------------------------------------- command line

export function describeEndToEnd(figures) {
  const met = figures.ratio >= GOAL.ratio && figures.residentMb < GOAL.residentMb;
  return [
    `${figures.rows} rows x ${figures.features} features, ${figures.threads} threads, ${figures.bytesPerResult} bytes per result`,
    `explain   ${figures.rowsPerSecond} rows/s, ${figures.cpuMicrosPerRow} us of processor time per row, ${figures.residentMb} MB`,
    `floor     ${figures.floorRowsPerSecond} rows/s, ${figures.floorCpuMicrosPerRow} us, ${figures.floorBytesPerResult} bytes per result`,
    ...describeDetails(figures),
    `ratio     ${figures.ratio} (goal: ${GOAL.ratio}, below ${GOAL.residentMb} MB) ${met ? 'met' : 'MISSED'}`,
  ].join('\n');
}

function describeDetails(figures) {
  const { startUpSeconds, runningRowsPerSecond, runningCpuMicrosPerRow, bytesPerResult, brief, sparse, sparseBrief } =
    figures;
  const whole = { rowsPerSecond: runningRowsPerSecond, cpuMicrosPerRow: runningCpuMicrosPerRow, bytesPerResult };
  const { speed, bytes } = briefRatiosOf(figures);
  const met = speed >= GOAL.briefSpeed && bytes <= GOAL.briefBytes;
  return [
    `without the start of ${startUpSeconds} s:`,
    `  l2, every feature moves          ${described(whole)}`,
    `  the same with --detail brief     ${described(brief)}: ${compared(ratiosOf(brief, whole))}`,
    `  one thread, l1, one to three changes mostly: ${described(sparse)}`,
    `  the same with --detail brief     ${described(sparseBrief)}: ${compared(briefRatiosOf(figures))}`,
    `  goal of the last: ${GOAL.briefSpeed} x the speed, ${GOAL.briefBytes} of the bytes ${met ? 'met' : 'MISSED'}`,
  ];
}

const described = ({ rowsPerSecond, cpuMicrosPerRow, bytesPerResult }) =>
  `${rowsPerSecond} rows/s, ${cpuMicrosPerRow} us of processor time, ${bytesPerResult} bytes per result`;

const compared = ({ speed, cpu, bytes }) =>
  `${speed.toFixed(2)} x the speed, ${cpu.toFixed(2)} x by processor time, ${bytes.toFixed(3)} of the bytes`;

async function main() {
  const { values, positionals } = parseArgs({
    options: {
      short: { type: 'boolean' },
      runs: { type: 'string', default: '3' },
      threads: { type: 'string', default: '2' },
      floor: { type: 'boolean' },
    },
    allowPositionals: true,
  });
  if (values.floor) return runFloor(...positionals);
  const rows = values.short ? ROWS.short : ROWS.full;
  const figures = await measureEndToEnd({ rows, runs: Number(values.runs), threads: Number(values.threads) });
  console.log(describeEndToEnd(figures));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
