/**
 * What the product promises about its speed. A goal looks at the results of a run and gives what it measured, the worst
 * of what it is about; nothing when the run did not measure that, or not at full size.
 */
import { GOAL, ROWS } from './end-to-end.mjs';

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

const ofEndToEnd =
  (figure) =>
  ({ endToEnd }) =>
    endToEnd?.rows === ROWS.full ? endToEnd[figure] : undefined;

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
