/**
 * Scorecards: points for each interval and category of each feature.
 *
 *   score = base score + Σ points,      accepted  <=>  score >= cut-off
 *
 * Without a cut-off the model is a regressor whose target is a number of points. With odds the scores are probabilities:
 *
 *   P(accepted) = 1 / (1 + e^-t),     t = log odds + (score - points at odds) log 2 / (points to double the odds)
 */
import { ElsewiseError } from '../../documents/error.js';
import type { FeatureDocument, ModelDocument } from '../../documents/model-document.js';
import { listNames } from '../../documents/nearest-name.js';
import type { FormatOptions } from '../format.js';
import { type CsvTable, readTable } from './csv-table.js';
import { featureBins } from './feature-bins.js';
import { isOptbinning, readOptbinningRows } from './optbinning-rows.js';
import { isPlain, readPlainRows } from './plain-rows.js';
import { ROOT, readNumber, rowFault, type ScorecardRow } from './scorecard-row.js';

const ROUNDED = 'From a printed table of optbinning: the ends of bins are rounded.';
const CLASSES = ['rejected', 'accepted'];

/** By key of a line `# key: value` before the header, without blanks and dashes. */
const NOTES: ReadonlyMap<string, NoteKey> = new Map([
  ['basescore', 'baseScore'],
  ['cutoff', 'cutOff'],
  ['pointstodoubletheodds', 'pointsToDouble'],
  ['odds', 'odds'],
  ['pointsatodds', 'oddsPoints'],
]);

type NoteKey = Exclude<keyof FormatOptions, 'specialCodes'>;

export function importScorecard(bytes: Uint8Array, options: FormatOptions = {}): ModelDocument {
  const table = readTable(new TextDecoder().decode(bytes), ROOT);
  const rows = readRows(table, options);
  if (!rows.length) throw new ElsewiseError('bad-document', 'has no rows of points', ROOT);
  const given = { ...notesOf(table), ...options };
  const { baseScore = 0, cutOff, specialCodes = [] } = given;
  const features: FeatureDocument[] = [];
  const terms = [...byFeature(rows)].map(([name, own]) => {
    const { term, categories } = featureBins(name, own, specialCodes);
    features.push(
      categories ? { name, type: 'categorical', categories: [...categories] } : { name, type: 'continuous' },
    );
    return term;
  });
  return {
    schema: 'elsewise.model/v1',
    name: ROOT,
    ...(isOptbinning(table) && { description: ROUNDED }),
    family: 'additive',
    features,
    ...(cutOff !== undefined && { classes: CLASSES }),
    parameters: { intercept: baseScore, terms, ...(cutOff !== undefined && { threshold: cutOff }), ...oddsOf(given) },
  };
}

function notesOf({ notes, hasDecimalCommas }: CsvTable): Pick<FormatOptions, NoteKey> {
  const known = [...notes].map(([key, { line, value }]) => {
    const note = NOTES.get(key.replaceAll(/[\s-]/g, ''));
    if (note) return [note, readNumber(value, hasDecimalCommas, line, key)];
    throw rowFault(
      line,
      `unknown key "${key}", known are "base score", "cut-off", "points to double the odds", "odds" and "points at odds": a line of text has no colon`,
    );
  });
  return Object.fromEntries(known);
}

/** The odds of points, where the caller knows them. */
function oddsOf({ cutOff, pointsToDouble, odds, oddsPoints }: FormatOptions) {
  const given = [pointsToDouble, odds, oddsPoints].filter((number) => number !== undefined);
  if (!given.length) return {};
  if (given.length < 3 || cutOff === undefined)
    throw new ElsewiseError(
      'bad-document',
      'odds need the points that double the odds, the odds, the points at these odds, and a cut-off',
      ROOT,
    );
  return { link: 'logit', odds: { points: oddsPoints!, odds: odds!, double: pointsToDouble! } };
}

function byFeature(rows: readonly ScorecardRow[]): Map<string, ScorecardRow[]> {
  const groups = new Map<string, ScorecardRow[]>();
  for (const row of rows) {
    const own = groups.get(row.feature) ?? [];
    own.push(row);
    groups.set(row.feature, own);
  }
  return groups;
}

function readRows(table: CsvTable, { specialCodes }: FormatOptions): ScorecardRow[] {
  if (isOptbinning(table)) return readOptbinningRows(table, !!specialCodes);
  if (isPlain(table)) return readPlainRows(table);
  const message = `the header has ${listNames(table.header)}; expected feature, from, to, categories, points, or the table of optbinning`;
  throw new ElsewiseError('bad-document', message, ROOT);
}
