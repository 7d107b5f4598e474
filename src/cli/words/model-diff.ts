/** The changes between two versions of a model, in words: a line for each kind of change. */
import { nameSome } from '../../documents/nearest-name.js';
import type { DecisionChanges } from '../../jobs/model-diff/decision-changes.js';
import type { ModelDiff, Versions } from '../../jobs/model-diff/model-diff.js';
import type { Difference } from '../../jobs/verify/differences.js';
import { formatCount, formatNumber, formatPercent } from '../../report/numbers.js';

export function modelDiffInWords(diff: ModelDiff, decisions?: DecisionChanges): string[] {
  const { models } = diff;
  const head = `${nameOf(models.before)} -> ${nameOf(models.after)}`;
  const lines = [
    ...(diff.isSame ? ['the documents are the same'] : changes(diff)),
    ...(decisions ? moved(decisions) : []),
  ];
  return [head, ...(lines.length ? lines : ['only texts for people differ']).map((line) => `  ${line}`)];
}

const nameOf = ({ name, version, digest }: ModelDiff['models']['before']): string =>
  `${name}${version === null ? '' : `@${version}`} (${digest.slice(0, SHORT)})`;
const SHORT = 'sha256:'.length + 12;

const arrow = ({ before, after }: Versions<unknown>): string => `${before} -> ${after}`;

function changes(diff: ModelDiff): string[] {
  const {
    family,
    classes,
    threshold,
    decision,
    preprocessing,
    trees,
    background,
    probes,
    weights = [],
    parameters,
  } = diff;
  const lists = (versions: Versions<readonly string[]>) =>
    arrow({ before: versions.before.join(', ') || 'none', after: versions.after.join(', ') || 'none' });
  return [
    ...(family ? [`family: ${arrow(family)}`] : []),
    ...featureLines(diff.features),
    ...(classes ? [`classes: ${lists(classes)}`] : []),
    ...(threshold ? [`threshold: ${arrow(threshold)}`] : []),
    ...(preprocessing ? [`preprocessing: ${lists(preprocessing)}`, ...preprocessing.changed.map(differenceLine)] : []),
    ...(weights.length ? ['weights, the largest changes first:'] : []),
    ...weights.map(
      ({ column, before, after }) => `  ${column}: ${arrow({ before: short(before), after: short(after) })}`,
    ),
    ...(trees ? treeLines(trees) : []),
    ...(background ? [`rows of the background: ${arrow(background)}`, ...background.changed.map(differenceLine)] : []),
    ...(probes ? [`probes: ${arrow(probes)}`] : []),
    ...(decision ? ['decision layer, the first differences:', ...decision.map(differenceLine)] : []),
    ...(parameters ? ['parameters, the first differences:', ...parameters.map(differenceLine)] : []),
  ];
}

function featureLines(features: ModelDiff['features']): string[] {
  if (!features) return [];
  const { added, removed, changed, isReordered } = features;
  return [
    ...(added.length ? [`${formatCount(added.length, 'feature')} added: ${nameSome(added)}`] : []),
    ...(removed.length ? [`${formatCount(removed.length, 'feature')} removed: ${nameSome(removed)}`] : []),
    ...changed.flatMap(({ feature, differences }) => [`feature ${feature}:`, ...differences.map(differenceLine)]),
    ...(isReordered ? ['the features stand in another order'] : []),
  ];
}

function treeLines({ before, after }: NonNullable<ModelDiff['trees']>): string[] {
  const shown = (facts: typeof before) =>
    facts ? `${formatCount(facts.trees, 'tree')} with ${formatCount(facts.splits, 'split')}` : 'no trees';
  const names = new Set([...Object.keys(before?.splitsByFeature ?? {}), ...Object.keys(after?.splitsByFeature ?? {})]);
  const uses = [...names]
    .map((name) => ({ name, before: before?.splitsByFeature[name] ?? 0, after: after?.splitsByFeature[name] ?? 0 }))
    .filter((use) => use.before !== use.after);
  return [
    `trees: ${arrow({ before: shown(before), after: shown(after) })}`,
    ...(before && after ? uses.map((use) => `  splits by ${use.name}: ${arrow(use)}`) : []),
  ];
}

/** The values of a difference may be whole lists. */
const MOST_SHOWN = 60;

function differenceLine({ path, before, after }: Difference): string {
  const shown = (text: string | undefined) =>
    text === undefined ? 'none' : text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}...` : text;
  return `  ${path}: ${arrow({ before: shown(before), after: shown(after) })}`;
}

const short = (value: number): string => String(Number(value.toPrecision(6)));

function moved({ rows, unreadable, changed, moves, largestChange, first }: DecisionChanges): string[] {
  const named = first.map(({ id, before, after }) => `  ${id}: ${arrow({ before, after })}`);
  return [
    `decisions that change: ${formatNumber(changed)} of ${formatCount(rows - unreadable, 'row')} (${formatPercent(changed, rows - unreadable)}), largest change of a score ${short(largestChange)}`,
    ...Object.entries(moves).map(([move, count]) => `  ${move}: ${formatCount(count, 'row')}`),
    ...(unreadable ? [`rows that the second version cannot read: ${formatNumber(unreadable)}`] : []),
    ...(named.length ? ['the first rows:', ...named] : []),
  ];
}
