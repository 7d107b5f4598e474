/** The comparison of a model with another library's predictions, in words. */
import type { ParitySummary } from '../../jobs/parity/parity-summary.js';
import type { RowParity } from '../../jobs/parity/row-parity.js';
import { showValue } from '../../models/features.js';
import type { LoadedModel } from '../../models/load.js';
import { formatCount, formatNumber } from '../../report/numbers.js';

export function describeParity(summary: ParitySummary, model: LoadedModel, tolerance: number): string[][] {
  const { compared, decided, otherDecisions, scored, otherScores, largest, atThresholds } = summary;
  const { withoutPrediction, refused } = summary;
  const decisions = model.classes.length
    ? [['decisions that differ', `${formatNumber(otherDecisions)} of ${formatNumber(decided)}`]]
    : [];
  return [
    ['rows compared', formatNumber(compared)],
    ...decisions,
    ['scores that differ', `${formatNumber(otherScores)} of ${formatNumber(scored)} by more than ${tolerance}`],
    ['largest difference', String(largest)],
    ...(model.model.forest ? [['rows at thresholds', formatNumber(atThresholds)]] : []),
    ...(withoutPrediction ? [['rows without a prediction', formatNumber(withoutPrediction)]] : []),
    ...(refused ? [['rows that the model refuses', formatNumber(refused)]] : []),
    ...refusedRows(summary),
    ...(summary.worst ? describeWorst(summary.worst, model) : []),
  ];
}

const refusedRows = ({ firstRefused }: ParitySummary): string[][] =>
  firstRefused.map(({ id, reason }) => [`  ${id}`, reason]);

function describeWorst(row: RowParity, model: LoadedModel): string[][] {
  const { id, own, given, decided, givenDecision, values } = row;
  const labels = model.classes.length ? model.classes.map((label) => `score ${label}`) : ['prediction'];
  const shown = (score: number | null) => (score === null ? 'not given' : String(score));
  return [
    ['the worst row', id],
    ...(decided === null ? [] : [['  decision', `${decided}, given ${givenDecision ?? 'none'}`]]),
    ...labels.map((label, k) => [`  ${label}`, `${own[k]}, given ${shown(given[k])}`]),
    ...model.space.features.map((feature) => [
      `  ${feature.name}`,
      String(showValue(feature, values[feature.index]) ?? 'missing'),
    ]),
  ];
}

export function concludeParity({ isAlike, compared, otherDecisions, otherScores }: ParitySummary): string {
  if (isAlike) return `the model agrees with the predictions on ${formatCount(compared, 'row')}`;
  const decisions = otherDecisions ? [formatCount(otherDecisions, 'decision')] : [];
  const scores = otherScores ? [`the scores of ${formatCount(otherScores, 'row')}`] : [];
  return `the model differs from the predictions: ${[...decisions, ...scores].join(' and ')}`;
}
