/** The scores that the target needs, for the recourse map. */
import type { BandDocument } from '../../documents/decision/decision-document.js';
import type { TargetDocument } from '../../documents/policy-document.js';
import type { SummaryDocument } from '../../documents/summary-document.js';
import { formatNumber, formatShort } from '../numbers.js';
import type { AcceptBand } from './charts/recourse-map.js';

/** The facts of the model that the band needs. */
export interface DecisionFacts {
  readonly classes: readonly string[];
  /** The score of each of two classes at which the decision changes, if known. */
  readonly thresholds?: readonly number[];
  /** The bands of reported scores, best first. */
  readonly bands?: readonly BandDocument[];
}

/** Undefined: the results have several targets, or no answer. */
export function acceptBand({ targets, map }: SummaryDocument, model?: DecisionFacts): AcceptBand | undefined {
  if (targets.length > 1) return undefined;
  const target = targets[0]?.target ?? undefined;
  if (target !== undefined && typeof target === 'object' && !Array.isArray(target)) return intervalBand(target);
  const own = model?.bands?.find(({ name }) => name === target);
  if (own)
    return { from: own.from, text: `The band ${own.name} begins at a score of ${formatShort(own.from)} (dashed)` };
  const threshold = typeof target === 'string' ? model?.thresholds?.[model.classes.indexOf(target)] : undefined;
  if (threshold !== undefined)
    return { from: threshold, text: `The decision changes at a score of ${formatShort(threshold)} (dashed)` };
  const { leastAnswerScore } = map;
  if (leastAnswerScore === null || typeof target === 'number') return undefined;
  return { from: leastAnswerScore, text: `The lowest score of an answer is ${formatShort(leastAnswerScore)} (dashed)` };
}

type IntervalTarget = Extract<TargetDocument, { from?: number } | { value: number }>;

function intervalBand(target: IntervalTarget): AcceptBand {
  const { from, to } =
    'value' in target
      ? { from: target.value - target.tolerance, to: target.value + target.tolerance }
      : { from: target.from, to: target.to };
  const ends = [
    from === undefined ? '' : ` from ${formatNumber(from)}`,
    to === undefined ? '' : ` to ${formatNumber(to)}`,
  ];
  return { from, to, text: `The target is a score${ends.join('')}` };
}
