/**
 * The k samples nearest to x, of equally near ones the earlier. Each votes for its class, or has a number of which the mean is taken, with
 * weight 1 or 1 / distance; samples at distance 0 then have all the weight. The class with most votes, ties to the lower.
 *
 * A neighbour is certain where no rounding could exchange it for a sample outside: else nothing is decided.
 */
import { type Evaluator, within } from './evaluator.js';
import type { Goal } from './goal.js';
import type { Inputs } from './inputs.js';
import type { Sum } from './linear.js';
import { atLeastZero, both, isCoarse, ROUNDING, type Verdict } from './verdict.js';

export interface NeighbourParameters {
  samples: number[][];
  labels: (string | number)[];
  k: number;
  metric?: 'euclidean' | 'manhattan';
  weights?: 'uniform' | 'distance';
}

interface Vote {
  sample: number;
  weight: number;
  /** Of the weight, relative. */
  error: number;
}

interface Votes {
  votes: Vote[];
  certain: boolean;
}

/** What is compared: a sum of squares, or of sizes. */
function measured(at: readonly number[], isSquared: boolean, { x, size, noise }: Inputs): Sum {
  let [value, scale, drift, coarse] = [0, 0, 0, true];
  for (let i = 0; i < at.length; i++) {
    const apart = Math.abs(x[i] - at[i]);
    const reach = size[i] + Math.abs(at[i]);
    coarse &&= isCoarse(at[i]) && isCoarse(x[i]) && isCoarse(size[i]) && noise[i] === 0;
    value += isSquared ? apart * apart : apart;
    scale += isSquared ? 2 * apart * reach : reach;
    drift += isSquared ? 2 * (apart + noise[i]) * noise[i] : noise[i];
  }
  return { value, error: coarse ? 0 : ROUNDING * (scale + value) + drift };
}

function votesAt({ samples, k, metric, weights }: NeighbourParameters, inputs: Inputs): Votes {
  const isSquared = metric !== 'manhattan';
  const sums = samples.map((at) => measured(at, isSquared, inputs));
  const order = sums.map((_, s) => s).sort((a, b) => sums[a].value - sums[b].value || a - b);
  const [near, far] = [order.slice(0, k), order.slice(k)];
  const isAhead = (a: number, b: number) =>
    sums[b].value - sums[a].value > sums[a].error + sums[b].error || (sums[a].error === 0 && sums[b].error === 0);
  const certain = near.every((a) => far.every((b) => isAhead(a, b)));
  if (weights !== 'distance') return { votes: near.map((sample) => ({ sample, weight: 1, error: 0 })), certain };
  const atZero = near.filter((s) => sums[s].value === 0);
  const isClear = near.every((s) => sums[s].error === 0 || sums[s].value > 1e3 * sums[s].error);
  const weightOf = (s: number) =>
    atZero.length ? +(sums[s].value === 0) : 1 / (isSquared ? Math.sqrt(sums[s].value) : sums[s].value);
  const errorOf = (s: number) => (atZero.length ? 0 : sums[s].error / sums[s].value + 4e-16);
  return {
    votes: near.map((s) => ({ sample: s, weight: weightOf(s), error: errorOf(s) })),
    certain: certain && isClear,
  };
}

export function neighbours(parameters: NeighbourParameters, classes: readonly string[]): Evaluator {
  return classes.length ? classifier(parameters, classes) : regressor(parameters);
}

function classifier(parameters: NeighbourParameters, classes: readonly string[]): Evaluator {
  const owner = parameters.labels.map((label) => classes.indexOf(String(label)));
  const sumsOf = ({ votes }: Votes): Sum[] =>
    classes.map((_, k) => {
      const own = votes.filter(({ sample }) => owner[sample] === k);
      const value = own.reduce((sum, { weight }) => sum + weight, 0);
      return { value, error: own.reduce((sum, vote) => sum + vote.weight * vote.error, 0) };
    });
  const shares = (sums: readonly Sum[]) => {
    const total = sums.reduce((sum, { value }) => sum + value, 0);
    return sums.map(({ value }) => value / total);
  };
  const errorOf = (sums: readonly Sum[]) => {
    const total = sums.reduce((sum, { value }) => sum + value, 0);
    return 4e-16 + (2 * sums.reduce((sum, { error }) => sum + error, 0)) / total;
  };
  const leads = (sums: readonly Sum[], k: number): Verdict =>
    sums.reduce<Verdict>(
      (verdict, { value, error }, j) =>
        j === k ? verdict : both(verdict, atLeastZero(sums[k].value - value, sums[k].error + error, j < k)),
      'yes',
    );
  return {
    scores: (inputs) => shares(sumsOf(votesAt(parameters, inputs))),
    scoreError: (inputs) => {
      const votes = votesAt(parameters, inputs);
      return votes.certain ? errorOf(sumsOf(votes)) : Infinity;
    },
    predicted(inputs) {
      const votes = votesAt(parameters, inputs);
      return votes.certain ? classes.findIndex((_, k) => leads(sumsOf(votes), k) === 'yes') : -1;
    },
    reaches(inputs, goal) {
      const votes = votesAt(parameters, inputs);
      if (!votes.certain) return 'near';
      const sums = sumsOf(votes);
      const shown = shares(sums);
      if (goal.kind === 'interval') return within(shown[goal.index], goal, errorOf(sums));
      return both(leads(sums, goal.index), keepsMargin(shown, goal, errorOf(sums)));
    },
  };
}

const keepsMargin = (shown: readonly number[], { index, margin }: Goal & { kind: 'class' }, error: number): Verdict =>
  margin === 0
    ? 'yes'
    : shown.reduce<Verdict>(
        (verdict, share, j) =>
          j === index ? verdict : both(verdict, atLeastZero(shown[index] - share - margin, 2 * error)),
        'yes',
      );

function regressor(parameters: NeighbourParameters): Evaluator {
  const mean = ({ votes }: Votes): Sum => {
    const numbers = votes.map(({ sample }) => Number(parameters.labels[sample]));
    const total = votes.reduce((sum, { weight }) => sum + weight, 0);
    const value = votes.reduce((sum, { weight }, i) => sum + weight * numbers[i], 0) / total;
    const size = Math.max(...numbers.map(Math.abs));
    return { value, error: size * (ROUNDING + 2 * Math.max(...votes.map(({ error }) => error))) };
  };
  return {
    scores: (inputs) => [mean(votesAt(parameters, inputs)).value],
    scoreError: (inputs) => {
      const votes = votesAt(parameters, inputs);
      return votes.certain ? mean(votes).error : Infinity;
    },
    predicted: () => 0,
    reaches(inputs, goal) {
      const votes = votesAt(parameters, inputs);
      if (!votes.certain) return 'near';
      const { value, error } = mean(votes);
      return goal.kind === 'interval' ? within(value, goal, error) : 'no';
    },
  };
}
