/**
 * What the product promises about its speed. A goal looks at the results of a run and gives what it measured, the worst
 * of what it is about; nothing when the run did not measure that, or not at full size.
 */
import { briefRatiosOf, GOAL, ROWS } from './end-to-end.mjs';
import { NETWORKS } from './network-models.mjs';
import { CLOSE } from './networks.mjs';
import { PATH_ROWS, GOAL as PATHS_GOAL } from './paths.mjs';
import { GOAL as BULK_GOAL, BULK_ROWS } from './queue-bulk.mjs';
import { GOALS as EVENT_GOALS, FOREST_ROWS, SECONDS } from './queue-events.mjs';
import { SCORED_ROWS, GOAL as SCORER_GOAL } from './scorer.mjs';

const ONE_ROW = [
  'hyperplane',
  'logistic-regression',
  'linear-regression',
  'poisson-regression',
  'exponential-regression',
];

const QUADRATIC = ['gaussian-naive-bayes', 'qda'];

const isContinuous = ({ policy, norm }) => policy === 'plain' && (norm === 'l1' || norm === 'l2');

const slowestSolver =
  (test) =>
  ({ cases }) => {
    const medians = cases.filter((c) => isContinuous(c) && test(c)).map(({ solverUs }) => solverUs.median);
    return medians.length ? Math.max(...medians) : undefined;
  };

const isOneRow = (measured) => isContinuous(measured) && ONE_ROW.includes(measured.family);

/** How many times longer a row of 100 features takes than one of 10, the worst over families and norms. */
const growthOfOneRow = ({ cases }) => {
  const growths = cases
    .filter((large) => isOneRow(large) && large.size === 100)
    .flatMap((large) => {
      const small = cases.find(
        (c) => isOneRow(c) && c.size === 10 && c.family === large.family && c.norm === large.norm,
      );
      return small ? [large.solverUs.median / small.solverUs.median] : [];
    });
  return growths.length ? Math.max(...growths) : undefined;
};

/** How many times faster than the fastest peer, the worst over what was measured against one. */
const leadOverPeers = ({ cases }) => {
  const leads = cases
    .filter((c) => isContinuous(c) && c.solverTimesFasterThanPeer && (isOneRow(c) || c.classes === 10))
    .map(({ solverTimesFasterThanPeer }) => solverTimesFasterThanPeer);
  return leads.length ? Math.min(...leads) : undefined;
};

const ofEndToEnd =
  (figure) =>
  ({ endToEnd }) =>
    endToEnd?.rows === ROWS.full ? endToEnd[figure] : undefined;

const ofBrief =
  (figure) =>
  ({ endToEnd }) =>
    endToEnd?.rows === ROWS.full && endToEnd.sparseBrief ? briefRatiosOf(endToEnd)[figure] : undefined;

const CREDIT_FORESTS = ['credit-rf', 'credit-rf5', 'credit-gb', 'credit-xgb8'];

/** The worst of a figure over the named models; nothing unless all of them were measured, on all their rows. */
const worstModel = (worst, kind) => (names, figureOf) => (results) => {
  const measured = names.map((name) => results[kind]?.find((model) => model.isWhole && model.name === name));
  return measured.includes(undefined) ? undefined : worst(...measured.map(figureOf));
};

const largestOf = worstModel(Math.max, 'forests');
const smallestOf = worstModel(Math.min, 'forests');
const largestNetwork = worstModel(Math.max, 'networks');
const smallestNetwork = worstModel(Math.min, 'networks');

const median = ({ rowMs }) => rowMs.median;
const proved = ({ provedShare }) => provedShare;

const ofForestBulk =
  (figure) =>
  ({ forestBulk }) =>
    forestBulk?.isWhole ? forestBulk[figure] : undefined;

const FOREST_GOALS = [
  { name: 'credit forests, share proved in 1 s', unit: '', atLeast: 0.95, measure: smallestOf(CREDIT_FORESTS, proved) },
  { name: 'credit forests, median', unit: 'ms', atMost: 40, measure: largestOf(CREDIT_FORESTS, median) },
  {
    name: 'credit forests, heuristics alone, share valid',
    unit: '',
    atLeast: 1,
    measure: smallestOf(CREDIT_FORESTS, ({ heuristics }) => heuristics.validShare),
  },
  {
    name: 'credit forests, heuristics alone, median',
    unit: 'ms',
    atMost: 5,
    measure: largestOf(CREDIT_FORESTS, ({ heuristics }) => median(heuristics)),
  },
  {
    name: 'credit forests, heuristics alone, median cost over the optimum',
    unit: '',
    atMost: 1.3,
    measure: largestOf(CREDIT_FORESTS, ({ heuristics }) => heuristics.costRatio ?? Infinity),
  },
  { name: 'cancer boosting, median', unit: 'ms', atMost: 100, measure: largestOf(['cancer-gb'], median) },
  { name: 'cancer boosting, share proved', unit: '', atLeast: 1, measure: smallestOf(['cancer-gb'], proved) },
  { name: 'cancer forest, share proved in 10 s', unit: '', atLeast: 0.6, measure: smallestOf(['cancer-rf'], proved) },
  { name: 'small boosting, median', unit: 'ms', atMost: 10, measure: largestOf(['small'], median) },
  { name: 'small boosting, share proved', unit: '', atLeast: 1, measure: smallestOf(['small'], proved) },
  { name: 'wide boosting, p95', unit: 'ms', atMost: 300, measure: largestOf(['wide'], ({ rowMs }) => rowMs.p95) },
  {
    name: 'wide boosting, share answered',
    unit: '',
    atLeast: 1,
    measure: smallestOf(['wide'], ({ answeredShare }) => answeredShare),
  },
  {
    name: 'wide boosting, share no dearer than the nearest row',
    unit: '',
    atLeast: 1,
    measure: smallestOf(['wide'], ({ noDearerThanNearestShare }) => noDearerThanNearestShare),
  },
  {
    name: 'bulk boosting, proved on 2 threads',
    unit: 'rows/s',
    atLeast: 200,
    measure: ofForestBulk('provedRowsPerSecond'),
  },
  {
    name: 'bulk boosting, heuristics alone on 2 threads',
    unit: 'rows/s',
    atLeast: 1000,
    measure: ofForestBulk('heuristicRowsPerSecond'),
  },
  {
    name: 'import of 500 XGBoost trees of depth 8',
    unit: 's',
    atMost: 2,
    measure: ({ modelImport }) => modelImport?.seconds,
  },
];

/** The worst of a figure over the sums of a group; nothing unless all of its rows were measured. */
const ofSums =
  (worst, group, figureOf) =>
  ({ sums }) => {
    const whole = (sums ?? []).filter((sum) => sum.isWhole && sum.group === group);
    return whole.length ? worst(...whole.map(figureOf)) : undefined;
  };

const sumGoals = (group, name, most) => [
  { name: `${name}, share proved`, unit: '', atLeast: 1, measure: ofSums(Math.min, group, proved) },
  ...Object.entries(most).map(([figure, atMost]) => ({
    name: `${name}, ${figure}`,
    unit: 'us',
    atMost,
    measure: ofSums(Math.max, group, ({ us }) => us[figure]),
  })),
];

const SUM_GOALS = [
  ...sumGoals('row', 'one row, 30 mixed features', { median: 100, p99: 5000 }),
  ...sumGoals('continuous', 'one row, 100 continuous features, L0', { median: 20 }),
  ...sumGoals('gaussian', 'Gaussian naive Bayes, 30 features, L1', { median: 200 }),
  ...sumGoals('mains', 'additive model, 30 mains', { median: 200 }),
  ...sumGoals('pairs', 'additive model, 30 mains and 20 pairs', { median: 5000, most: 250_000 }),
];

const SMALL_NETWORKS = NETWORKS.filter((name) => name.endsWith('-8'));

const NETWORK_GOALS = [
  { name: 'networks of 8 units, share proved', unit: '', atLeast: 1, measure: smallestNetwork(SMALL_NETWORKS, proved) },
  { name: 'networks of 8 units, median', unit: 'ms', atMost: 50, measure: largestNetwork(SMALL_NETWORKS, median) },
  { name: '32 units, d = 13, share proved', unit: '', atLeast: 0.8, measure: smallestNetwork(['wine-32'], proved) },
  { name: '32 units, d = 30, share proved', unit: '', atLeast: 0.5, measure: smallestNetwork(['cancer-32'], proved) },
  {
    name: '32 units, d = 30, effort of 2 ms, share valid',
    unit: '',
    atLeast: 1,
    measure: smallestNetwork(['cancer-32'], ({ first }) => first.validShare),
  },
  {
    name: '32 units, d = 30, effort of 2 ms, median',
    unit: 'ms',
    atMost: 5,
    measure: largestNetwork(['cancer-32'], ({ first }) => median(first)),
  },
  {
    name: '32 units, d = 30, effort of 20 ms, median',
    unit: 'ms',
    atMost: 20,
    measure: largestNetwork(['cancer-32'], ({ good }) => median(good)),
  },
  {
    name: '32 units, d = 30, effort of 20 ms, median cost over the best known',
    unit: '',
    atMost: CLOSE,
    measure: largestNetwork(['cancer-32'], ({ good }) => good.costRatio),
  },
];

const ofQueueBulk =
  (worst, figureOf) =>
  ({ queue }) => {
    const whole = (queue?.bulk ?? []).filter(({ rows }) => rows === BULK_ROWS.full);
    return whole.length ? worst(...whole.map(figureOf)) : undefined;
  };

const ofQueueEvents =
  (figureOf) =>
  ({ queue }) =>
    queue?.events?.seconds === SECONDS.full ? figureOf(queue.events) : undefined;

const ofQueueWorkers =
  (figureOf) =>
  ({ queue }) =>
    queue?.workers?.rows === FOREST_ROWS.full ? figureOf(queue.workers) : undefined;

const QUEUE_GOALS = [
  {
    name: 'batch through Redis, share of explain',
    unit: '',
    atLeast: BULK_GOAL.ratio,
    measure: ofQueueBulk(Math.min, ({ ratio }) => ratio),
  },
  {
    name: 'batch through Redis, at rest',
    unit: 'bytes/row',
    atMost: BULK_GOAL.bytesPerRow,
    measure: ofQueueBulk(Math.max, ({ first }) => Math.max(first.queuedBytesPerRow, first.finishedBytesPerRow)),
  },
  {
    name: 'events on an idle worker, p50',
    unit: 'ms',
    atMost: EVENT_GOALS.idleP50Ms,
    measure: ofQueueEvents(({ idle }) => idle.p50Ms),
  },
  {
    name: 'events beside a batch, p99',
    unit: 'ms',
    atMost: EVENT_GOALS.busyP99Ms,
    measure: ofQueueEvents(({ busy }) => busy.p99Ms),
  },
  {
    name: 'two workers over one, forest rows',
    unit: '',
    atLeast: EVENT_GOALS.twoWorkers,
    measure: ofQueueWorkers(({ ratio }) => ratio),
  },
];

const ofScorer =
  (figureOf) =>
  ({ scorer }) =>
    scorer?.rows === SCORED_ROWS.full.rows ? figureOf(scorer) : undefined;

/** The worst over the policies. */
const ofPaths =
  (figureOf) =>
  ({ paths }) =>
    paths?.rows === PATH_ROWS.full ? Math.max(...paths.policies.map(figureOf)) : undefined;

const ELSEWHERE_GOALS = [
  {
    name: 'scorer of 5 ms, over one request per candidate',
    unit: '',
    atLeast: SCORER_GOAL.timesFaster,
    measure: ofScorer(({ timesFaster }) => timesFaster),
  },
  {
    name: 'scorer killed and back, share of rows kept',
    unit: '',
    atLeast: 1,
    measure: ofScorer(({ disturbed }) => 1 - disturbed.lostRows / disturbed.rows),
  },
  {
    name: 'paths over 30,000 rows, graph',
    unit: 's',
    atMost: PATHS_GOAL.graphS,
    measure: ofPaths((one) => one.graphS),
  },
  {
    name: 'paths over 30,000 rows, process',
    unit: 'MB',
    atMost: PATHS_GOAL.processMb,
    measure: ofPaths((one) => one.residentMb),
  },
  {
    name: 'paths over 30,000 rows, median',
    unit: 'ms',
    atMost: PATHS_GOAL.pathMs,
    measure: ofPaths((one) => one.pathMs.median),
  },
];

/** Each has a limit `atMost` or `atLeast`, in `unit`. */
const GOALS = [
  {
    name: 'solver median, one linear row, d = 30',
    unit: 'us',
    atMost: 10,
    measure: slowestSolver(({ family, size }) => ONE_ROW.includes(family) && size === 30),
  },
  {
    name: 'solver median, ten classes, d = 64',
    unit: 'us',
    atMost: 300,
    measure: slowestSolver(({ classes, size }) => classes === 10 && size === 64),
  },
  { name: 'one linear row, d = 100 over d = 10', unit: '', atMost: 10, measure: growthOfOneRow },
  { name: 'over the fastest peer, one linear row and ten classes', unit: '', atLeast: 100, measure: leadOverPeers },
  {
    name: 'solver median, one quadratic, L2, d = 30',
    unit: 'us',
    atMost: 100,
    measure: slowestSolver(({ family, classes, size }) => QUADRATIC.includes(family) && classes === 2 && size === 30),
  },
  {
    name: 'solver median, convex-concave procedure, 3 classes, L1, d = 13',
    unit: 'us',
    atMost: 10_000,
    measure: slowestSolver(({ family, norm, size }) => QUADRATIC.includes(family) && norm === 'l1' && size === 13),
  },
  {
    name: 'row median, LVQ of 6 prototypes with one matrix, d = 30',
    unit: 'us',
    atMost: 1000,
    measure: ({ cases }) => {
      const medians = cases
        .filter(({ family, size }) => family === 'lvq' && size === 30)
        .map(({ rowUs }) => rowUs.median);
      return medians.length ? Math.max(...medians) : undefined;
    },
  },
  { name: 'portfolio, median', unit: 'ms', atMost: 30, measure: ({ portfolio }) => portfolio?.rowMs.median },
  { name: 'portfolio, p99', unit: 'ms', atMost: 250, measure: ({ portfolio }) => portfolio?.rowMs.p99 },
  { name: 'portfolio, share proved', unit: '', atLeast: 0.95, measure: ({ portfolio }) => portfolio?.provedShare },
  { name: 'explain, share of the floor', unit: '', atLeast: GOAL.ratio, measure: ofEndToEnd('ratio') },
  { name: 'explain, resident', unit: 'MB', atMost: GOAL.residentMb, measure: ofEndToEnd('residentMb') },
  {
    name: 'explain --detail brief, sparse answers, speed over whole results',
    unit: '',
    atLeast: GOAL.briefSpeed,
    measure: ofBrief('speed'),
  },
  {
    name: 'explain --detail brief, sparse answers, share of the bytes',
    unit: '',
    atMost: GOAL.briefBytes,
    measure: ofBrief('bytes'),
  },
  ...SUM_GOALS,
  ...FOREST_GOALS,
  ...NETWORK_GOALS,
  ...QUEUE_GOALS,
  ...ELSEWHERE_GOALS,
];

/** The goals that a run can tell about; `headroom` of at least 1 means met, and by how much. */
export function judge(results) {
  return GOALS.map((goal) => ({ goal, measured: goal.measure(results) }))
    .filter(({ measured }) => measured !== undefined)
    .map(({ goal: { name, unit, atMost, atLeast }, measured }) => ({
      headroom: Number((atMost === undefined ? measured / atLeast : atMost / measured).toPrecision(3)),
      name,
      limit: `${atMost === undefined ? '>=' : '<='} ${atMost ?? atLeast} ${unit}`.trim(),
      measured,
      unit,
    }));
}
