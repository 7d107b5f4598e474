/**
 * Probabilities of classes from their scores z, as computed:
 *
 *   p_k = e^{z_k - top} / Σ_j e^{z_j - top},     top the largest z
 *
 * For two classes they depend only on the lead u = z_t - z_j and rise with u. A goal in probability is then an interval of leads, whose
 * ends are found in the model's own arithmetic (score-ends.ts).
 */
import type { Goal } from './region.js';
import { type Ends, endsOf } from './score-ends.js';

/** e^{z_k} / Σ e^{z_j}, safe for any size of z. */
export function softmax(z: Float64Array, out: Float64Array): void {
  let top = -Infinity;
  for (let k = 0; k < z.length; k++) if (z[k] > top) top = z[k];
  let sum = 0;
  for (let k = 0; k < z.length; k++) {
    out[k] = Math.exp(z[k] - top);
    sum += out[k];
  }
  for (let k = 0; k < z.length; k++) out[k] /= sum;
}

export function logit(p: number): number {
  if (p <= 0) return -Infinity;
  return p >= 1 ? Infinity : Math.log(p / (1 - p));
}

/** The leads of a class over its only rival that reach a goal. */
export function pairLeads(goal: Goal): Ends {
  const shown = new Float64Array(2);
  const show = (lead: number) => softmax(Float64Array.of(lead, 0), shown);
  if (goal.kind === 'interval') {
    const score = (lead: number) => {
      show(lead);
      return shown[0];
    };
    return endsOf(score, goal.from, goal.to, [logit(goal.from), logit(goal.to)]);
  }
  if (goal.margin === 0) return [0, Infinity];
  const ahead = (lead: number) => {
    show(lead);
    return shown[0] - shown[1];
  };
  const [least] = endsOf(ahead, goal.margin, Infinity, [logit((1 + goal.margin) / 2), Infinity]);
  return [Math.max(0, least), Infinity];
}
