/**
 * Optima of one linear row over a box, found another way than the product finds them: for questions whose features are
 * all continuous, without constraints and without a limit on the number of changes.
 */
import { leadOf, type Question } from './second-opinion.js';

interface Lever {
  /** What a unit of change adds to the lead. */
  gain: number;
  /** How many units there are. */
  room: number;
  price: number;
}

/** How each feature can push a two-class question towards its target. */
export function leversOf(question: Question): Lever[] {
  return question.features.map((feature, c) => {
    const rule = question.rules[feature.name] ?? {};
    const here = question.row[feature.name] as number;
    const slope = question.weights[0][c] * (question.target === 1 ? 1 : -1);
    const up = Math.min(rule.maxIncrease ?? Infinity, Math.min(rule.max ?? Infinity, feature.max ?? Infinity) - here);
    const down = Math.min(
      rule.maxDecrease ?? Infinity,
      here - Math.max(rule.min ?? -Infinity, feature.min ?? -Infinity),
    );
    const barred = rule.change === 'never' || rule.change === (slope > 0 ? 'decrease' : 'increase');
    return {
      gain: Math.abs(slope),
      room: barred ? 0 : Math.max(0, slope > 0 ? up : down),
      price: question.prices[feature.name] ?? 1,
    };
  });
}

/** The most lead that the policy lets the row have. */
export function reachOf(question: Question): number {
  const gains = leversOf(question).map(({ gain, room }) => (gain === 0 ? 0 : gain * room));
  return leadOf(question, question.row) + gains.reduce((sum, gain) => sum + gain, 0);
}

/** min Σ p|Δ| = max over μ >= 0 of the dual function, which is concave with kinks at the prices per gain. */
export function leastL1(question: Question): number {
  const lack = -leadOf(question, question.row);
  const levers = leversOf(question).filter(({ gain, room }) => gain > 0 && room > 0);
  const dual = (mu: number) =>
    levers.reduce(
      (sum, { gain, room, price }) => sum + (price < mu * gain ? (price - mu * gain) * room : 0),
      mu * lack,
    );
  return Math.max(0, ...levers.map(({ gain, price }) => dual(price / gain)));
}

/** min Σ pΔ² by bisection on the multiplier: Δ = min(room, μ gain / (2 price)). */
export function leastL2(question: Question): number {
  const lack = -leadOf(question, question.row);
  const levers = leversOf(question).filter(({ gain, room }) => gain > 0 && room > 0);
  const moves = (mu: number) => levers.map(({ gain, room, price }) => Math.min(room, (mu * gain) / (2 * price)));
  const reached = (mu: number) => moves(mu).reduce((sum, move, k) => sum + move * levers[k].gain, 0);
  let [low, high] = [0, 1];
  while (reached(high) < lack && high < 1e300) high *= 2;
  for (let k = 0; k < 200; k++) {
    const middle = (low + high) / 2;
    if (reached(middle) < lack) low = middle;
    else high = middle;
  }
  return moves(high).reduce((sum, move, k) => sum + levers[k].price * move * move, 0);
}
