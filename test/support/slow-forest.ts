/** A forest of random trees, and a row of which it can hardly be made to think better: its search takes whatever time there is. */
import { Dice } from './dice.js';

const TREES = 100;
const DEPTH = 4;
const FEATURES = 15;

const dice = new Dice(5);

function randomTree() {
  const inner = 2 ** DEPTH - 1;
  const nodes = Array.from({ length: 2 * inner + 1 }, (_, n) => n);
  const child = (n: number, side: number) => (n < inner ? 2 * n + side : -1);
  return {
    feature: nodes.map(() => dice.integer(0, FEATURES - 1)),
    threshold: nodes.map(() => dice.unit()),
    left: nodes.map((n) => child(n, 1)),
    right: nodes.map((n) => child(n, 2)),
    value: nodes.map(() => [dice.between(-0.55, 0.45)]),
  };
}

const names = Array.from({ length: FEATURES }, (_, f) => `x${f}`);

export const SLOW_FOREST = {
  schema: 'elsewise.model/v1',
  name: 'slow',
  family: 'tree-ensemble',
  features: names.map((name) => ({ name, type: 'continuous', min: 0, max: 1 })),
  classes: ['no', 'yes'],
  parameters: { trees: Array.from({ length: TREES }, randomTree), aggregation: 'sum', link: 'logit', base: -12 },
};

/** One row as a CSV file. */
export const SLOW_ROW = `${names.join()}\n${names.map(() => dice.unit()).join()}\n`;

export const slowPolicy = (deadlineMs: number) => ({ schema: 'elsewise.policy/v1', target: 'yes', deadlineMs });
