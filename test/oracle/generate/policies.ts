/** Random policies: rules by feature, constraints, targets between scores that occur. */
import type { Dice } from '../../support/dice.js';
import { isNumeric, kindOf } from '../evaluate/features.js';
import type { Target } from '../evaluate/goal.js';
import type { RuleSpec } from '../policy/values.js';
import { drawPoint, type Terrain } from './terrain.js';

/** Values that a grid leaves a feature, about. */
const GRID_REACH = 6;

export function drawRule(dice: Dice, terrain: Terrain, f: number, from: number): RuleSpec {
  const feature = terrain.features[f];
  if (dice.chance(0.08)) return { change: 'never' };
  const kind = kindOf(feature);
  const change =
    kind !== 'one-hot' && dice.chance(0.15) ? { change: dice.pick(['increase', 'decrease', 'any'] as const) } : {};
  if (kind === 'boolean') return dice.chance(0.15) ? { ...change, allow: [dice.chance(0.5)] } : change;
  if (kind === 'one-hot' || kind === 'ordinal') {
    const allow = feature.categories!.filter(() => dice.chance(0.6));
    return dice.chance(0.4) ? { ...change, allow } : change;
  }
  return { ...change, ...numberRule(dice, terrain, f, from) };
}

function numberRule(dice: Dice, terrain: Terrain, f: number, from: number): RuleSpec {
  const { decimals, type } = terrain.features[f];
  const step = terrain.steps[f] ?? (type === 'integer' && dice.chance(0.2) ? 2 : undefined);
  const grain = step ?? (decimals === undefined ? (type === 'integer' ? 1 : terrain.units[f] / 2) : 10 ** -decimals);
  const unit = Number(grain.toPrecision(12));
  const far = () => Number((unit * dice.integer(1, GRID_REACH) * (dice.chance(0.3) ? 1.3 : 1)).toPrecision(3));
  const rule: RuleSpec = step === undefined ? {} : { step };
  const bound = terrain.grid && (step !== undefined || decimals !== undefined);
  if (bound || dice.chance(0.25)) rule.maxIncrease = far();
  if (bound || dice.chance(0.25)) rule.maxDecrease = far();
  const shift = dice.chance(0.15) ? -1 : 1;
  if (dice.chance(0.2)) rule.min = Number((from - shift * far()).toPrecision(12));
  if (dice.chance(0.2)) rule.max = Number((from + shift * far()).toPrecision(12));
  if (rule.min !== undefined && rule.max !== undefined && rule.min > rule.max) delete rule.min;
  return rule;
}

/** Constraints that are slack, tight at the person, through other points, doubled or against each other. */
export function drawConstraints(dice: Dice, terrain: Terrain, present: Float64Array): string[] {
  if (!dice.chance(0.4)) return [];
  const texts = Array.from({ length: dice.integer(1, 2) }, () => drawConstraint(dice, terrain, present));
  if (dice.chance(0.15)) texts.push(texts[0]);
  return texts.filter((text) => text !== '');
}

function drawConstraint(dice: Dice, terrain: Terrain, present: Float64Array): string {
  const { features } = terrain;
  const numbers = features.flatMap((feature, f) => (isNumeric(feature) ? [f] : []));
  const choices = features.flatMap((feature, f) => (feature.type === 'categorical' ? [f] : []));
  const flags = features.flatMap((feature, f) => (feature.type === 'boolean' ? [f] : []));
  const comparison = () => linearText(dice, terrain, numbers, present);
  const literal = () => literalText(dice, terrain, dice.pick([...choices, ...flags]));
  if (!numbers.length) return choices.length + flags.length ? `${literal()} or ${literal()}` : '';
  const logic = choices.length + flags.length > 0;
  const kind = dice.pick([
    'linear',
    'linear',
    'linear',
    'or',
    logic ? 'implies' : 'linear',
    logic ? 'mixed' : 'or',
    'not',
  ]);
  if (kind === 'or') return `${comparison()} or ${comparison()}`;
  if (kind === 'implies') return `${literal()} implies ${comparison()}`;
  if (kind === 'mixed') return `${literal()} or ${comparison()}`;
  if (kind === 'not') return `not (${comparison()} and ${comparison()})`;
  return comparison();
}

function linearText(dice: Dice, terrain: Terrain, numbers: readonly number[], present: Float64Array): string {
  const { features, units, ground } = terrain;
  const used = dice.shuffle(numbers).slice(0, dice.integer(1, 2));
  const at = dice.chance(0.5) ? present : drawPoint(dice, terrain);
  const coefficients = used.map((f) => {
    const size = dice.pick([1, 2, 0.5]) * (dice.chance(0.3) ? -1 : 1);
    return used.length === 1 ? Math.abs(size) : ground === 'tidy' ? size : Number((size / units[f]).toPrecision(3));
  });
  const value = used.reduce((sum, f, k) => sum + coefficients[k] * at[f], 0);
  const size = used.reduce((sum, f, k) => sum + Math.abs(coefficients[k]) * units[f], 0);
  const room = dice.pick([0, 0, 1, 3, -0.5]) * size;
  const sign = dice.pick(['<=', '>=', '<=', '>=', '<', '>']);
  const end = value + (sign.startsWith('<') ? room : -room);
  const text = ground === 'tidy' ? end : Number(end.toPrecision(dice.pick([3, 6, 12])));
  const terms = used.map((f, k) =>
    coefficients[k] === 1 ? features[f].name : `${coefficients[k]} * ${features[f].name}`,
  );
  return `${terms.join(' + ')} ${sign} ${text}`;
}

function literalText(dice: Dice, { features }: Terrain, f: number): string {
  const { name, type, categories = [], encoding } = features[f];
  if (type === 'boolean') return dice.chance(0.5) ? name : `not ${name}`;
  if (encoding === 'ordinal') return `${name} ${dice.pick(['<=', '>=', '!='])} ${dice.pick(categories)}`;
  const listed = dice.shuffle(categories).slice(0, dice.integer(1, 2));
  return dice.chance(0.5) ? `${name} in (${listed.join(', ')})` : `${name} != ${listed[0]}`;
}

/** What is known of points that occur. */
export interface Sampled {
  /** [point][class], or [point][0] for a regressor. The first point is the person. */
  scores: number[][];
  /** Whether an interval of scores can be asked for, and one with an upper end. */
  intervals: boolean;
  upperEnds: boolean;
}

/** Mostly a target that the person has not, and others have. */
export function drawTarget(dice: Dice, classes: readonly string[], sampled: Sampled): Target {
  const { scores } = sampled;
  if (!classes.length)
    return regressionTarget(
      dice,
      scores.map(([prediction]) => prediction),
    );
  const winners = scores.map((row) => row.indexOf(Math.max(...row)));
  const others = winners.filter((winner) => winner !== winners[0]);
  const rivals = classes.map((_, k) => k).filter((k) => k !== winners[0]);
  const index = dice.chance(0.04)
    ? winners[0]
    : others.length && dice.chance(0.85)
      ? dice.pick(others)
      : dice.pick(rivals);
  if (classes.length > 2 && dice.chance(0.15))
    return dice
      .shuffle(rivals)
      .slice(0, 2)
      .map((k) => classes[k]);
  if (!sampled.intervals || dice.chance(0.7)) return classes[index];
  return intervalTarget(dice, classes, index, sampled);
}

function intervalTarget(dice: Dice, classes: readonly string[], index: number, { scores, upperEnds }: Sampled): Target {
  const own = scores.map((row) => row[index]);
  const higher = own.filter((score) => score > own[0]).sort((a, b) => a - b);
  const at = higher.length ? dice.pick(higher) : own[0];
  const from = dice.chance(0.6) ? Number(at.toPrecision(3)) : at;
  const named = classes.length === 2 && index === 1 && dice.chance(0.3) ? {} : { class: classes[index] };
  const top = Math.max(from, ...own);
  return upperEnds && dice.chance(0.2) ? { ...named, from, to: top } : { ...named, from };
}

/** Numbers of documents are no larger. */
const LARGEST = 1e100;

function regressionTarget(dice: Dice, predictions: readonly number[]): Target {
  const [here, ...others] = predictions;
  const sorted = others.filter((value) => value !== here && Math.abs(value) <= LARGEST).sort((a, b) => a - b);
  if (!sorted.length) return { from: Math.max(-LARGEST, Math.min(here + 1, LARGEST)) };
  const at = dice.pick(sorted);
  const beyond = sorted.filter((value) => (at > here ? value >= at : value <= at));
  const kind = dice.pick(['open', 'open', 'both', 'value', 'exact']);
  if (kind === 'open') return at > here ? { from: at } : { to: at };
  if (kind === 'value') return { value: at, tolerance: Number((0.3 * Math.abs(at - here)).toPrecision(2)) };
  if (kind === 'exact') return at;
  const [from, to] = [at, dice.pick(beyond)].sort((a, b) => a - b);
  return { from, to };
}
