/**
 * Comparisons with an end that steps and decimals meet exactly:  f0 < f1 + 1.6  for f0 of 0.1, 0.2, ... and f1 = 0.7. In doubles the two sides
 * mostly differ by their rounding, so that a product that looks at it takes the end for a value before or behind the end.
 *
 *   drawTie    through any values that the policy allows
 *   cutOff     through the answer of the product: it is no answer any more, and the next value may be one
 */
import type { Dice } from '../../support/dice.js';
import { type FeatureSpec, isNumeric, isSame, kindOf, numbersOf, type Row } from '../evaluate/features.js';
import { type Decimal, decimalOf, plus, toNumber } from '../policy/decimal.js';
import { type RuleSpec, valuesOf } from '../policy/values.js';
import type { Case } from '../question.js';
import type { Terrain } from './terrain.js';

const TIES = 0.12;
/** Numbers with more digits are no decimals that people write. */
const MOST_DIGITS = 10n ** 12n;
const SIGNS = ['<', '>', '<', '>', '!=', '<=', '>=', '='];

/** Undefined: none. */
export function drawTie(
  dice: Dice,
  { features }: Terrain,
  rules: readonly RuleSpec[],
  present: Float64Array,
): string | undefined {
  if (!dice.chance(TIES)) return undefined;
  const comparison = () => {
    const at = features.map((feature, f) => {
      const values = isNumeric(feature) && valuesOf(feature, rules[f], { from: present[f], missing: false });
      const list = values && values.kind === 'list' && dice.chance(0.8) ? values.values : [];
      return list.length ? dice.pick(list) : present[f];
    });
    const order = dice.shuffle(features.map((_, f) => f));
    const tie = comparisonAt(
      dice,
      features,
      at,
      order.sort((f, g) => +isWhole(features[f]) - +isWhole(features[g])),
    );
    return tie?.text.replace('?', dice.pick(SIGNS));
  };
  const [one, other] = Array.from({ length: dice.pick([1, 1, 1, 2]) }, comparison);
  if (!one || !other) return one && dice.chance(0.25) ? `not ${one}` : one;
  return dice.pick([`${one} implies ${other}`, `${one} or ${other}`, `not (${one} and ${other})`]);
}

/** Of so many comparisons one is taken in which doubles see no tie, if there is one. */
const TRIES = 16;

/** The same case without the answer. Undefined: no number of the answer has changed on its grid, or the numbers have too many digits. */
export function cutOff(dice: Dice, asked: Case, answer: Row): Case | undefined {
  const { model, policy } = asked;
  const { features } = model;
  const [from, to] = [asked.row, answer].map((row) => numbersOf(features, row));
  const stepped = features.flatMap((feature, f) => (isStepped(feature, policy.features?.[feature.name]) ? [f] : []));
  const changed = stepped.filter((f) => !isSame(from[f], to[f]));
  if (!changed.length) return undefined;
  const ties = Array.from({ length: TRIES }, () => {
    const [first, ...others] = dice.shuffle(changed);
    return comparisonAt(
      dice,
      features,
      [...to],
      [first, ...dice.shuffle([...others, ...stepped.filter((f) => !changed.includes(f))])],
    );
  }).flatMap((tie) => tie ?? []);
  const tie = ties.find(({ lean }) => lean !== 0) ?? ties[0];
  if (!tie) return undefined;
  const { text, lean } = tie;
  const signs = lean < 0 ? ['<', '!='] : lean > 0 ? ['>', '!='] : ['<', '>', '!='];
  const sign = dice.pick(signs);
  const constraint = dice.chance(0.7) ? text.replace('?', sign) : `not ${text.replace('?', OPPOSITE[sign])}`;
  return { ...asked, policy: { ...policy, constraints: [...(policy.constraints ?? []), constraint] } };
}

const OPPOSITE: Record<string, string> = { '<': '>=', '>': '<=', '!=': '=' };

const isStepped = (feature: FeatureSpec, rule: RuleSpec | undefined): boolean =>
  isNumeric(feature) && (feature.decimals !== undefined || rule?.step !== undefined || isWhole(feature));

const isWhole = (feature: FeatureSpec): boolean => kindOf(feature) === 'integer';

/** Both sides are equal at some values. */
interface Tie {
  /** "f0 ? f1 + 1.6" */
  text: string;
  /** The left side minus the right side in doubles. */
  lean: number;
}

/** The first features of the order that are numbers with few digits. */
function comparisonAt(
  dice: Dice,
  features: readonly FeatureSpec[],
  values: readonly number[],
  order: readonly number[],
): Tie | undefined {
  const at = values.map((value, f) => (isNumeric(features[f]) ? shortOf(value) : undefined));
  const [first, ...rest] = order.filter((f) => at[f]).slice(0, dice.pick([1, 2, 2, 3]));
  if (first === undefined) return undefined;
  const terms = rest.map((f) => ({ f, factor: dice.pick([1, 1, -1, 0.5, 0.3, -2]) }));
  const end = terms.reduce((sum, { f, factor }) => plus(sum, product(at[f]!, decimalOf(-factor))), at[first]!);
  if (!shortOf(toNumber(end))) return undefined;
  const named = terms.map(({ f, factor }) => (factor === 1 ? features[f].name : `${factor} * ${features[f].name}`));
  const sum = terms.reduce((total, { f, factor }) => total - factor * values[f], values[first]);
  return {
    text: `${features[first].name} ? ${[...named, toNumber(end)].join(' + ')}`,
    lean: sum - toNumber(end),
  };
}

const product = (a: Decimal, b: Decimal): Decimal => ({
  digits: a.digits * b.digits,
  exponent: a.exponent + b.exponent,
});

/** Undefined: no number, or one of too many digits. */
function shortOf(value: number): Decimal | undefined {
  if (!Number.isFinite(value)) return undefined;
  const short = decimalOf(value);
  return short.digits < MOST_DIGITS && -short.digits < MOST_DIGITS ? short : undefined;
}
