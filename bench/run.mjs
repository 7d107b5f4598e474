/**
 * `npm run bench`: all that is measured, as tables, and after a whole run as bench/results.json.
 *
 *   --short        everything, but hurried: a check that it runs, in about 2 minutes
 *   --only TEXT    only what has TEXT in its name; may be given several times
 *   --json         the results on stdout instead of tables
 *   --write        the tables into bench/README.md as well; needs a whole run
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { startRedis } from '../scripts/redis.mjs';
import { Missing } from '../scripts/system.mjs';
import { measureEndToEnd, ROWS } from './end-to-end.mjs';
import { measureForestBulk, measureImport } from './forest-bulk.mjs';
import { FORESTS, LARGE, provideForests } from './forest-models.mjs';
import { checkHeuristics, measureForest } from './forests.mjs';
import { judge } from './goals.mjs';
import { NETWORKS, provideNetworks } from './network-models.mjs';
import { measureNetwork } from './networks.mjs';
import { measurePaths, PATH_ROWS } from './paths.mjs';
import { measurePortfolio } from './portfolio.mjs';
import { listCases } from './problems.mjs';
import { BULK_ROWS, measureQueueBulk } from './queue-bulk.mjs';
import { FOREST_ROWS, measureEvents, measureWorkers, SECONDS } from './queue-events.mjs';
import { measureScorer, SCORED_ROWS } from './scorer.mjs';
import {
  showCases,
  showEndToEnd,
  showForestBulk,
  showForests,
  showGoals,
  showImport,
  showNetworks,
  showPage,
  showPaths,
  showPortfolio,
  showQueue,
  showResults,
  showScorer,
  showSums,
} from './show.mjs';
import { measureCase } from './solve.mjs';
import { measureSums, SUM_CASES, SUM_ROWS } from './sums.mjs';
import { PACE } from './timing.mjs';

const RESULTS = new URL('results.json', import.meta.url);
const PAGE = new URL('README.md', import.meta.url);
const SHORT_APPLICANTS = 200;
const QUEUE_NORMS = ['l1', 'l2'];
const QUEUE_RUNS = 2;

const options = readOptions();
const isWhole = !options.short && !options.only;
const print = options.json ? () => {} : (text) => console.log(text);
const isWanted = (name) => !options.only || options.only.some((text) => name.includes(text));

const loadBefore = readLoad();
const forests = trained(FORESTS.some((name) => isWanted(`forest ${name}`)) || isWanted('import'), provideForests);
const networks = trained(
  NETWORKS.some((name) => isWanted(`network ${name}`)),
  provideNetworks,
);
const measured = {
  cases: await runCases(),
  sums: runSums(),
  portfolio: await runPortfolio(),
  forests: await runForests(),
  networks: await runNetworks(),
  forestBulk: await runForestBulk(),
  modelImport: await runImport(),
  endToEnd: await runEndToEnd(),
  queue: await runQueue(),
  scorer: await runScorer(),
  paths: await runPaths(),
};
const results = {
  goals: judge(measured),
  date: new Date().toISOString().slice(0, 10),
  machine: { node: process.version, cpu: cpus()[0].model.trim(), cores: cpus().length, load: [loadBefore, readLoad()] },
  ...measured,
};
if (results.goals.length) print(showGoals(results.goals));
if (options.json) process.stdout.write(showResults(results));
if (isWhole) writeFileSync(RESULTS, showResults(results));
if (options.write) writeFileSync(PAGE, showPage(readFileSync(PAGE, 'utf8'), results));

function readOptions() {
  const fail = (message) => {
    console.error(message);
    process.exit(2);
  };
  try {
    const flag = { type: 'boolean' };
    const known = { short: flag, only: { type: 'string', multiple: true }, json: flag, write: flag };
    const { values } = parseArgs({ options: known });
    if (values.write && (values.short || values.only)) fail('--write needs a whole run: leave --short and --only out');
    return values;
  } catch (error) {
    return fail(error.message);
  }
}

/** Processes that want a core, over the last minute: this run itself makes for about one. */
function readLoad() {
  return Number(loadavg()[0].toFixed(1));
}

/** Case by case; a table is printed as soon as it is complete. */
async function runCases() {
  const wanted = listCases().filter(({ label }) => isWanted(label));
  const done = [];
  for (const [i, benchCase] of wanted.entries()) {
    done.push(await measureCase(benchCase, options.short ? PACE.short : PACE.full));
    const { policy } = benchCase;
    if (wanted[i + 1]?.policy !== policy) print(showCases(done.filter((figures) => figures.policy === policy)));
  }
  return done;
}

function runSums() {
  const wanted = SUM_CASES.filter(({ label }) => isWanted(`sums ${label}`));
  const done = wanted.map((sumCase) => measureSums(sumCase, SUM_ROWS[options.short ? 'short' : 'full']));
  if (done.length) print(showSums(done));
  return done;
}

async function runPortfolio() {
  if (!isWanted('portfolio')) return undefined;
  const figures = await measurePortfolio(options.short ? SHORT_APPLICANTS : undefined);
  print(showPortfolio(figures));
  return figures;
}

/** Before anything is measured: whoever lacks the libraries that train them should not wait for that news. */
function trained(areWanted, provide) {
  if (!areWanted) return undefined;
  checkHeuristics();
  try {
    return provide();
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    console.error(`${error.message} (it trains models of the bench)`);
    return process.exit(1);
  }
}

async function runForests() {
  const done = [];
  for (const name of FORESTS.filter((one) => isWanted(`forest ${one}`)))
    done.push(await measureForest(name, forests, options.short));
  if (done.length) print(showForests(done));
  return done;
}

async function runNetworks() {
  const done = [];
  for (const name of NETWORKS.filter((one) => isWanted(`network ${one}`)))
    done.push(await measureNetwork(name, networks, options.short));
  if (done.length) print(showNetworks(done));
  return done;
}

async function runForestBulk() {
  if (!isWanted('forest bulk')) return undefined;
  const figures = await measureForestBulk(forests.get('bulk'), options.short);
  print(showForestBulk(figures));
  return figures;
}

async function runImport() {
  if (!isWanted('import')) return undefined;
  const figures = await measureImport(LARGE);
  print(showImport(figures));
  return figures;
}

async function runEndToEnd() {
  if (!isWanted('end-to-end')) return undefined;
  const figures = await measureEndToEnd(options.short ? { rows: ROWS.short, runs: 1 } : {});
  print(showEndToEnd(figures));
  return { ratio: figures.ratio, ...figures };
}

/** What goes through Redis: batches, events beside them, two workers. */
async function runQueue() {
  const pace = options.short ? 'short' : 'full';
  const bulk = [];
  for (const norm of QUEUE_NORMS.filter((one) => isWanted(`queue bulk ${one}`)))
    bulk.push(await measureQueueBulk({ rows: BULK_ROWS[pace], norm, runs: options.short ? 1 : QUEUE_RUNS }));
  const events = isWanted('queue events') && (await withRedis((url) => measureEvents(url, SECONDS[pace])));
  const workers = isWanted('queue workers') && (await withRedis((url) => measureWorkers(url, FOREST_ROWS[pace])));
  if (!bulk.length && !events && !workers) return undefined;
  const figures = { bulk, ...(events && { events }), ...(workers && { workers }) };
  print(showQueue(figures));
  return figures;
}

async function runScorer() {
  if (!isWanted('scorer')) return undefined;
  const figures = await measureScorer(SCORED_ROWS[options.short ? 'short' : 'full']);
  print(showScorer(figures));
  return figures;
}

async function runPaths() {
  if (!isWanted('paths')) return undefined;
  const figures = await measurePaths(PATH_ROWS[options.short ? 'short' : 'full']);
  print(showPaths(figures));
  return figures;
}

async function withRedis(measure) {
  const server = await startRedis();
  try {
    return await measure(server.url);
  } finally {
    await server.stop();
  }
}
