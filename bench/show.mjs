/** Results -> tables for the terminal, those between the marks of bench/README.md, and the text of bench/results.json. */
import { describeEndToEnd } from './end-to-end.mjs';
import { NETWORK_COLUMNS } from './networks.mjs';
import { describePaths } from './paths.mjs';
import { describeQueueBulk } from './queue-bulk.mjs';
import { describeEvents, describeWorkers } from './queue-events.mjs';
import { describeScorer } from './scorer.mjs';
import { markdownTable, showNumber, showPercent, textTable } from './tables.mjs';

const BEGIN = '<!-- results:begin -->';
const END = '<!-- results:end -->';

const classesOf = ({ classes }) => (classes > 0 ? String(classes) : '-');
const times = (value) => (value === null ? '-' : `${showNumber(value)} x`);

const CASE_COLUMNS = [
  { title: 'family', left: true, of: ({ family }) => family },
  { title: 'classes', of: classesOf },
  { title: 'norm', left: true, of: ({ norm }) => norm },
  { title: 'd', of: ({ size }) => String(size) },
  { title: 'solver', left: true, of: ({ solver }) => solver },
  { title: 'solver us', of: ({ solverUs }) => showNumber(solverUs.median) },
  { title: 'p99', of: ({ solverUs }) => showNumber(solverUs.p99) },
  { title: 'row us', of: ({ rowUs }) => showNumber(rowUs.median) },
  { title: 'p99', of: ({ rowUs }) => showNumber(rowUs.p99) },
  { title: 'rows/s', of: ({ rowsPerSecond }) => showNumber(rowsPerSecond) },
  { title: 'proved', of: ({ provedShare }) => showPercent(provedShare) },
  { title: 'over peer', of: ({ timesFasterThanPeer }) => times(timesFasterThanPeer) },
];

const PORTFOLIO_COLUMNS = [
  { title: 'rows', of: ({ rows }) => rows.toLocaleString('en-US') },
  { title: 'median ms', of: ({ rowMs }) => showNumber(rowMs.median) },
  { title: 'p95 ms', of: ({ rowMs }) => showNumber(rowMs.p95) },
  { title: 'p99 ms', of: ({ rowMs }) => showNumber(rowMs.p99) },
  { title: 'rows/s', of: ({ rowsPerSecond }) => showNumber(rowsPerSecond) },
  { title: 'proved', of: ({ provedShare }) => showPercent(provedShare) },
  { title: 'in time', of: ({ inTimeShare }) => showPercent(inTimeShare) },
  { title: 'found', of: ({ foundShare }) => showPercent(foundShare) },
  { title: 'infeasible', of: ({ infeasibleShare }) => showPercent(infeasibleShare) },
];

const FOREST_COLUMNS = [
  { title: 'forest', left: true, of: ({ name }) => name },
  { title: 'trees', of: ({ trees }) => String(trees) },
  { title: 'd', of: ({ features }) => String(features) },
  { title: 'rows', of: ({ rows }) => String(rows) },
  { title: 'deadline ms', of: ({ deadlineMs }) => showNumber(deadlineMs) },
  { title: 'proved', of: ({ provedShare }) => showPercent(provedShare) },
  { title: 'answered', of: ({ answeredShare }) => showPercent(answeredShare) },
  { title: 'median ms', of: ({ rowMs }) => showNumber(rowMs.median) },
  { title: 'p95', of: ({ rowMs }) => showNumber(rowMs.p95) },
  { title: 'largest gap', of: ({ largestGap }) => showPercent(largestGap) },
  { title: 'heuristics: ms', of: ({ heuristics }) => showNumber(heuristics.rowMs.median) },
  { title: 'valid', of: ({ heuristics }) => showPercent(heuristics.validShare) },
  { title: 'over optimum', of: ({ heuristics }) => times(heuristics.costRatio) },
  { title: 'model MB', of: ({ memory }) => showNumber(memory.modelMb) },
  { title: 'thread MB', of: ({ memory }) => showNumber(memory.threadMb) },
  { title: 'resident', of: ({ memory }) => showNumber(memory.residentMb) },
];

const SUM_COLUMNS = [
  { title: 'sum', left: true, of: ({ label }) => label },
  { title: 'solver', left: true, of: ({ solver }) => solver },
  { title: 'median us', of: ({ us }) => showNumber(us.median) },
  { title: 'p99', of: ({ us }) => showNumber(us.p99) },
  { title: 'most', of: ({ us }) => showNumber(us.most) },
  { title: 'proved', of: ({ provedShare }) => showPercent(provedShare) },
];

const GOAL_COLUMNS = [
  { title: 'goal', left: true, of: ({ name }) => name },
  { title: 'limit', of: ({ limit }) => limit },
  { title: 'measured', of: ({ measured, unit }) => `${showNumber(measured)} ${unit}`.trim() },
  { title: 'headroom', of: ({ headroom }) => times(headroom) },
  { title: '', left: true, of: ({ headroom }) => (headroom >= 1 ? 'met' : 'MISSED') },
];

const titled = (title, body) => `\n${title}\n\n${body}`;

export const showCases = (cases) =>
  titled(
    `Policy "${cases[0].policy}": microseconds per row, solver alone and whole row`,
    textTable(CASE_COLUMNS, cases, ({ family }) => family),
  );

export const showPortfolio = (figures) =>
  titled('The demo portfolio under its policy', textTable(PORTFOLIO_COLUMNS, [figures]));

export const showSums = (sums) => titled('One sum over features: the first solver alone', textTable(SUM_COLUMNS, sums));

export const showForests = (forests) =>
  titled('Trained forests: all solvers, heuristics alone, memory', textTable(FOREST_COLUMNS, forests));

export const showNetworks = (networks) =>
  titled('Trained networks: proofs, and answers in a hurry', textTable(NETWORK_COLUMNS, networks));

const describeForestBulk = (figures) =>
  [
    `${showNumber(figures.rows)} rows, ${figures.threads} threads, start-up included`,
    `all solvers       ${figures.rowsPerSecond} rows/s, ${figures.provedRowsPerSecond} of them proved`,
    `heuristics alone  ${figures.heuristicRowsPerSecond} rows/s`,
  ].join('\n');

const describeImport = ({ trees, nodes, seconds, residentMb }) =>
  `${trees} trees, ${showNumber(nodes)} nodes: ${seconds} s, ${residentMb} MB`;

export const showForestBulk = (figures) => titled('explain, the forest "bulk"', describeForestBulk(figures));

export const showImport = (figures) => titled('models import --from xgboost', describeImport(figures));

export const showEndToEnd = (figures) => titled('explain from end to end', describeEndToEnd(figures));

const describeQueue = ({ bulk, events, workers }) =>
  [...bulk.map(describeQueueBulk), events && describeEvents(events), workers && describeWorkers(workers)]
    .filter(Boolean)
    .join('\n\n');

export const showQueue = (figures) => titled('Through Redis', describeQueue(figures));

export const showScorer = (figures) => titled('Through a scorer behind HTTP', describeScorer(figures));

export const showPaths = (figures) => titled('Paths over rows of the background', describePaths(figures));

export const showGoals = (goals) => titled('Goals', textTable(GOAL_COLUMNS, goals));

/** The page with its tables brought up to date. */
export function showPage(page, results) {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`the page lacks ${BEGIN} or ${END}`);
  return `${page.slice(0, begin + BEGIN.length)}\n\n${pageTables(results)}\n\n${page.slice(end)}`;
}

function pageTables(results) {
  const { date, machine, goals, cases, sums, portfolio, forests, networks } = results;
  const { forestBulk, modelImport, endToEnd, queue, scorer, paths } = results;
  return [
    `${date}, Node ${machine.node}, ${machine.cpu}, ${machine.cores} cores, load ${machine.load.join(' before and ')} after.`,
    markdownTable(GOAL_COLUMNS, goals),
    'Median microseconds, solver alone / whole row. _Proved_ and _over peer_ (whole row) are for d = 30, or the only size.',
    markdownTable(pivotColumns(cases), pivot(cases)),
    'One sum over features, microseconds of the first solver alone:',
    markdownTable(SUM_COLUMNS, sums),
    'The demo portfolio under its policy:',
    markdownTable(PORTFOLIO_COLUMNS, [portfolio]),
    'Trained forests under their policies:',
    markdownTable(FOREST_COLUMNS, forests),
    'Trained networks of one hidden layer, 2 s for a row:',
    markdownTable(NETWORK_COLUMNS, networks),
    '`explain` of the forest `bulk`:',
    `\`\`\`\n${describeForestBulk(forestBulk)}\n\`\`\``,
    '`models import --from xgboost`:',
    `\`\`\`\n${describeImport(modelImport)}\n\`\`\``,
    '`explain` from end to end:',
    `\`\`\`\n${describeEndToEnd(endToEnd)}\n\`\`\``,
    'Through Redis:',
    `\`\`\`\n${describeQueue(queue)}\n\`\`\``,
    'Through a scorer behind HTTP:',
    `\`\`\`\n${describeScorer(scorer)}\n\`\`\``,
    'Paths over rows of the background:',
    `\`\`\`\n${describePaths(paths)}\n\`\`\``,
  ].join('\n\n');
}

/** One line for all sizes of a case. */
function pivot(cases) {
  const lines = new Map();
  for (const c of cases) {
    const key = [c.policy, c.family, c.classes, c.norm].join();
    if (!lines.has(key)) lines.set(key, { ...c, bySize: new Map() });
    lines.get(key).bySize.set(c.size, c);
  }
  return [...lines.values()];
}

function pivotColumns(cases) {
  const sizes = [...new Set(cases.map(({ size }) => size))].sort((a, b) => a - b);
  const [policy, family, classes, norm] = ['policy', 'family', 'classes', 'norm'].map((title) => ({
    title,
    left: true,
  }));
  // Where a family was not measured at 30, its only other size stands in.
  const at30 =
    (of) =>
    ({ bySize }) =>
      of(bySize.get(30) ?? [...bySize.values()].at(-1));
  return [
    { ...policy, of: (line) => line.policy },
    { ...family, of: (line) => line.family },
    { ...classes, of: classesOf },
    { ...norm, of: (line) => line.norm },
    ...sizes.map((size) => ({ title: `d = ${size}`, of: ({ bySize }) => bothTimes(bySize.get(size)) })),
    { title: 'proved', of: at30(({ provedShare }) => showPercent(provedShare)) },
    { title: 'over peer', of: at30(({ timesFasterThanPeer }) => times(timesFasterThanPeer)) },
  ];
}

const bothTimes = (c) => (c ? `${showNumber(c.solverUs.median)} / ${showNumber(c.rowUs.median)}` : '');

/** JSON with a line for each sum, each forest, each network and each case. */
export function showResults({ cases, sums, forests, networks, ...others }) {
  const head = JSON.stringify(others, null, 2).replace(/\n}$/, '');
  const lines = (list) => list.map((figures) => `    ${JSON.stringify(figures)}`).join(',\n');
  const lists = Object.entries({ sums, forests, networks, cases });
  return `${head},\n${lists.map(([name, list]) => `  "${name}": [\n${lines(list)}\n  ]`).join(',\n')}\n}\n`;
}
