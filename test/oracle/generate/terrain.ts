/**
 * What kind of ground a case stands on.
 *
 *   tidy     whole and dyadic numbers: scores tie, rows lie on thresholds and boundaries, and every comparison can be decided exactly
 *   plain    numbers of three or four digits
 *   scaled   every feature has a unit of its own, from 1e-9 to 1e9
 */
import type { Dice } from '../../support/dice.js';
import type { FeatureSpec } from '../evaluate/features.js';
import { kindOf, widthOf } from '../evaluate/features.js';

export type Ground = 'tidy' | 'plain' | 'scaled';

export interface Terrain {
  ground: Ground;
  /** All values that the policy allows are few. */
  grid: boolean;
  features: FeatureSpec[];
  /** By feature: the size of its values. */
  units: number[];
  /** By feature: the step that the policy will ask for; undefined: none. */
  steps: (number | undefined)[];
}

const LABELS = ['a', 'b', 'c', 'd'];
const RANKS = ['low', 'mid', 'high', 'top'];
/** Steps that binary numbers cannot hold. */
const STEPS = [0.1, 0.05, 0.3, 0.001, 0.25, 0.7];

/** `ordered`: at least one feature has an order, which a covariance needs. */
export function drawTerrain(dice: Dice, ordered: boolean): Terrain {
  const ground = dice.pick<Ground>(['tidy', 'tidy', 'plain', 'plain', 'plain', 'scaled', 'scaled']);
  const grid = dice.chance(0.55);
  const terrain: Terrain = { ground, grid, features: [], units: [], steps: [] };
  const count = dice.pick([1, 2, 2, 3, 3, 4, grid ? 3 : 5]);
  for (let f = 0; f < count; f++) addFeature(terrain, dice, `f${f}`);
  if (ordered && terrain.features.every((feature) => kindOf(feature) === 'one-hot'))
    addFeature(terrain, dice, `f${count}`, ['integer']);
  return terrain;
}

const GRID_KINDS = ['integer', 'step', 'decimals', 'boolean', 'ordinal', 'one-hot', 'step'];
const OPEN_KINDS = [
  'continuous',
  'continuous',
  'continuous',
  'integer',
  'step',
  'decimals',
  'boolean',
  'ordinal',
  'one-hot',
];

function addFeature(terrain: Terrain, dice: Dice, name: string, kinds = terrain.grid ? GRID_KINDS : OPEN_KINDS): void {
  const { ground } = terrain;
  const kind = dice.pick(kinds);
  const unit = unitOf(kind, ground, dice);
  terrain.units.push(unit);
  terrain.steps.push(kind === 'step' ? stepOf(ground, unit, dice) : undefined);
  terrain.features.push(featureOf(kind, name, unit, terrain, dice));
}

function unitOf(kind: string, ground: Ground, dice: Dice): number {
  if (kind !== 'continuous' && kind !== 'step') return 1;
  if (ground === 'scaled') return Number(`1e${dice.integer(-9, 9)}`);
  return 1;
}

function stepOf(ground: Ground, unit: number, dice: Dice): number {
  if (ground === 'tidy') return dice.pick([0.25, 0.5, 1, 2]);
  return Number((dice.pick(STEPS) * unit).toPrecision(3));
}

function featureOf(kind: string, name: string, unit: number, { ground, grid }: Terrain, dice: Dice): FeatureSpec {
  if (kind === 'boolean') return { name, type: 'boolean' };
  if (kind === 'one-hot') return { name, type: 'categorical', categories: LABELS.slice(0, dice.integer(2, 4)) };
  if (kind === 'ordinal')
    return { name, type: 'categorical', categories: RANKS.slice(0, dice.integer(2, 4)), encoding: 'ordinal' };
  if (kind === 'integer') return { name, type: 'integer', ...boundsOf(dice, grid, dice.integer(2, 5)) };
  if (kind === 'decimals') {
    const decimals = dice.integer(0, 3);
    return { name, type: 'continuous', decimals, ...boundsOf(dice, grid, 4 * 10 ** -decimals, decimals) };
  }
  if (kind === 'step')
    return { name, type: 'continuous', ...(dice.chance(0.5) ? boundsOf(dice, false, 3 * unit) : {}) };
  return { name, type: 'continuous', ...(dice.chance(0.6) ? boundsOf(dice, ground === 'tidy', 3 * unit) : {}) };
}

/** A model's own range of a feature. */
function boundsOf(dice: Dice, always: boolean, reach: number, decimals = 12): { min?: number; max?: number } {
  const end = (sign: number) => {
    const value = sign * dice.between(0.4, 1) * reach;
    return Number.isInteger(reach)
      ? Math.round(value)
      : Number(value.toFixed(Math.min(12, decimals + dice.integer(0, 1))));
  };
  const min = always || dice.chance(0.7) ? { min: end(-1) } : {};
  const max = always || dice.chance(0.7) ? { max: end(1) } : {};
  return { ...min, ...max };
}

/** A value that the feature may have, sometimes off its grid or out of its bounds. */
export function drawValue(dice: Dice, terrain: Terrain, f: number): number {
  const feature = terrain.features[f];
  const kind = kindOf(feature);
  if (kind === 'boolean') return dice.integer(0, 1);
  if (kind === 'one-hot' || kind === 'ordinal') return dice.integer(0, feature.categories!.length - 1);
  if (kind === 'integer') return dice.integer(feature.min ?? -4, feature.max ?? 4) + (dice.chance(0.05) ? 3 : 0);
  const unit = feature.decimals === undefined ? terrain.units[f] : 4 * 10 ** -feature.decimals;
  const raw = inside(dice, feature, unit);
  if (feature.decimals !== undefined) return Number(raw.toFixed(feature.decimals + (dice.chance(0.15) ? 2 : 0)));
  if (terrain.ground === 'tidy') return Math.round(raw * 4) / 4;
  return dice.chance(0.8) ? Number(raw.toPrecision(dice.integer(2, 4))) : raw;
}

function inside(dice: Dice, { min, max }: FeatureSpec, unit: number): number {
  const free = dice.normal() * unit;
  if (dice.chance(0.08)) return free;
  return Math.min(max ?? Infinity, Math.max(min ?? -Infinity, free));
}

export const drawPoint = (dice: Dice, terrain: Terrain): Float64Array =>
  Float64Array.from(terrain.features, (_, f) => drawValue(dice, terrain, f));

/** By model column: the size of its values. */
export const columnUnits = ({ features, units }: Terrain): number[] =>
  features.flatMap((feature, f) => {
    const unit = feature.decimals === undefined ? units[f] : 4 * 10 ** -feature.decimals;
    return Array<number>(widthOf(feature)).fill(kindOf(feature) === 'integer' ? 3 : unit);
  });
