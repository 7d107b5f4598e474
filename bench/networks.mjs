/**
 * Trained networks of one hidden layer, row by row on one thread: how many answers are proved within the policy's deadline and how
 * long that takes; then the same rows with the effort of 2 ms and of 20 ms, against the best answer that is known.
 */
import { EFFORT_PER_MS } from '../dist/problems/budget.js';
import { explainAll, figure, openTrained, rowMs, share } from './row-by-row.mjs';
import { showNumber, showPercent } from './tables.mjs';
import { summarise } from './timing.mjs';

/** Rows of a whole and of a short run. */
const ROWS = { full: 40, short: 3 };
const FIRST_MS = 2;
const GOOD_MS = 20;
/** An answer as good as the best that is known, but for this share. */
export const CLOSE = 1.02;

/** `networks` has the paths of all by name. */
export async function measureNetwork(name, networks, isShort) {
  const { model, policy, rows } = openTrained(networks.get(name), () => ROWS[isShort ? 'short' : 'full']);
  const proved = await explainAll(model, policy, rows);
  const hurried = (ms) => explainAll(model, { ...policy, effort: ms * EFFORT_PER_MS }, rows);
  const [first, good] = [await hurried(FIRST_MS), await hurried(GOOD_MS)];
  const best = proved.map(({ cost }, r) => Math.min(cost, first[r].cost, good[r].cost));
  return {
    name,
    units: model.document.parameters.layers[0].bias.length,
    features: model.space.features.length,
    rows: rows.length,
    isWhole: !isShort,
    provedShare: share(proved, (row) => row.isProved),
    rowMs: rowMs(proved),
    first: describeHurried(first, best),
    good: describeHurried(good, best),
  };
}

const describeHurried = (rows, best) => ({
  validShare: share(rows, (row) => row.isValid),
  rowMs: rowMs(rows),
  closeShare: share(rows, (row, r) => row.cost <= CLOSE * best[r]),
  costRatio: figure(summarise(rows.map((row, r) => row.cost / best[r])).median),
});

export const NETWORK_COLUMNS = [
  { title: 'network', left: true, of: ({ name }) => name },
  { title: 'units', of: ({ units }) => String(units) },
  { title: 'd', of: ({ features }) => String(features) },
  { title: 'rows', of: ({ rows }) => String(rows) },
  { title: 'proved', of: (one) => showPercent(one.provedShare) },
  { title: 'median ms', of: (one) => showNumber(one.rowMs.median) },
  { title: 'largest', of: (one) => showNumber(one.rowMs.largest) },
  ...['first', 'good'].flatMap((part) => [
    {
      title: part === 'first' ? `${FIRST_MS} ms: valid` : `${GOOD_MS} ms: valid`,
      of: (one) => showPercent(one[part].validShare),
    },
    { title: 'median ms', of: (one) => showNumber(one[part].rowMs.median) },
    { title: `within ${CLOSE}`, of: (one) => showPercent(one[part].closeShare) },
  ]),
];
