/**
 * Constraints that hold on all rows, as offers to the author of a policy.
 *
 *   a <= b         numbers of one unit;  a = b where both directions hold
 *   a implies b    booleans
 *
 * A constraint of n rows is worth an offer only if chance would have broken it: with b independent of a, the expected number of rows that
 * break the constraint is  Σ_i |{ j : b_j < a_i }| / n,  and of an implication  n · P(a) · (1 - P(b)).  Both must reach LEAST_EXPECTED.
 * a <= c is left out where a <= b and b <= c are offered.
 */
import type { Feature } from '../../models/features.js';
import { isNumeric } from './column-facts.js';

const LEAST_EXPECTED = 5;
const MOST_OFFERED = 20;

interface Pair {
  readonly a: Feature;
  readonly b: Feature;
}

type Rows = readonly Float64Array[];

/** `features`: those of which at least one may change in each constraint. */
export function observedConstraints(features: readonly Feature[], fixed: ReadonlySet<Feature>, rows: Rows): string[] {
  const pairs = pairsOf(features).filter(({ a, b }) => !(fixed.has(a) && fixed.has(b)));
  const ordered = pairs.filter((pair) => areComparable(pair) && isOrdered(pair, rows) && isUnlikelyOrder(pair, rows));
  const implied = pairs.filter(
    (pair) => areBoolean(pair) && isOrdered(pair, rows) && isUnlikelyImplication(pair, rows),
  );
  const texts = [
    ...withoutDetours(ordered).flatMap((pair) => orderText(pair, ordered)),
    ...withoutDetours(implied).map(({ a, b }) => `${nameText(a)} implies ${nameText(b)}`),
  ];
  return texts.slice(0, MOST_OFFERED);
}

const pairsOf = (features: readonly Feature[]): Pair[] =>
  features.flatMap((a) => features.filter((b) => a !== b).map((b) => ({ a, b })));

const areComparable = ({ a, b }: Pair): boolean => isNumeric(a) && isNumeric(b) && a.unit === b.unit;
const areBoolean = ({ a, b }: Pair): boolean => a.kind === 'boolean' && b.kind === 'boolean';

/** Rows with a missing value tell nothing. For booleans a <= b is a implies b. */
const isOrdered = ({ a, b }: Pair, rows: Rows): boolean => rows.every((row) => !(row[a.index] > row[b.index]));

function isUnlikelyOrder({ a, b }: Pair, rows: Rows): boolean {
  const known = rows.filter((row) => !Number.isNaN(row[a.index]) && !Number.isNaN(row[b.index]));
  const ascending = Float64Array.from(known, (row) => row[b.index]).sort();
  let broken = 0;
  for (const row of known) broken += countBelow(ascending, row[a.index]);
  return broken >= LEAST_EXPECTED * known.length && known.length > 0;
}

/** How many of the ascending numbers are below x. */
function countBelow(ascending: Float64Array, x: number): number {
  let [from, to] = [0, ascending.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (ascending[middle] < x) from = middle + 1;
    else to = middle;
  }
  return from;
}

function isUnlikelyImplication({ a, b }: Pair, rows: Rows): boolean {
  const known = rows.filter((row) => !Number.isNaN(row[a.index]) && !Number.isNaN(row[b.index]));
  const holds = (feature: Feature) => known.filter((row) => row[feature.index] === 1).length;
  return holds(a) * (known.length - holds(b)) >= LEAST_EXPECTED * known.length && known.length > 0;
}

const includes = (pairs: readonly Pair[], a: Feature, b: Feature): boolean =>
  pairs.some((pair) => pair.a === a && pair.b === b);

/** Equal features are not a way around. */
function withoutDetours(pairs: readonly Pair[]): Pair[] {
  const isStrict = ({ a, b }: Pair) => !includes(pairs, b, a);
  const strict = pairs.filter(isStrict);
  return pairs.filter(({ a, b }) => !strict.some((first) => first.a === a && includes(strict, first.b, b)));
}

function orderText({ a, b }: Pair, pairs: readonly Pair[]): string[] {
  if (!includes(pairs, b, a)) return [`${nameText(a)} <= ${nameText(b)}`];
  return a.index < b.index ? [`${nameText(a)} = ${nameText(b)}`] : [];
}

const PLAIN_NAME = /^[\p{L}_][\p{L}\p{M}\p{N}_]*$/u;
const RESERVED = new Set(['and', 'or', 'not', 'implies', 'in', 'true', 'false']);

/** The name as expressions write it. */
const nameText = ({ name }: Feature): string =>
  PLAIN_NAME.test(name) && !RESERVED.has(name.toLowerCase()) ? name : `\`${name.replaceAll('`', '``')}\``;
