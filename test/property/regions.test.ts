/** Regions of random linear models and policies: every point of one passes the second opinion. Set FC_SEED to look elsewhere. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RegionDocument } from '../../src/documents/result-document.js';
import { checkShape, planOf } from '../support/asking.js';
import { Dice } from '../support/dice.js';
import { anyPart, question } from '../support/questions.js';
import {
  faultsOf,
  modelDocument,
  policyDocument,
  type Question,
  type Row,
  type Value,
} from '../support/second-opinion.js';

const seed = Number(process.env.FC_SEED ?? 20);

async function regionsOf(asked: Question) {
  const plan = await planOf(modelDocument(asked), { ...policyDocument(asked), region: true });
  const { counterfactuals } = checkShape(plan.explain({ id: 'asked', features: asked.row }));
  return counterfactuals.map(({ features, region }) => ({ answer: features as Row, region: region! }));
}

/** A value between the ends that the policy's steps and the model's kind of number allow. */
function draw(
  dice: Dice,
  asked: Question,
  name: string,
  answer: Value,
  range: RegionDocument['features'][string],
): Value {
  if ('in' in range) return dice.pick(range.in) as Value;
  const here = answer as number;
  const low = range.from ?? here - 10 ** dice.between(-1, 4);
  const high = range.to ?? here + 10 ** dice.between(-1, 4);
  const { type, decimals } = asked.features.find((feature) => feature.name === name)!;
  const step = asked.rules[name]?.step ?? (type === 'integer' ? 1 : 0);
  if (step === 0 && decimals !== undefined) {
    const units = (value: number) => value * 10 ** decimals;
    return dice.integer(Math.ceil(units(low) - 1e-6), Math.floor(units(high) + 1e-6)) / 10 ** decimals;
  }
  if (step === 0) return dice.pick([low, high, dice.between(low, high)]);
  return here + step * dice.integer(Math.ceil((low - here) / step - 1e-9), Math.floor((high - here) / step + 1e-9));
}

const contains = (range: RegionDocument['features'][string], value: Value) =>
  'in' in range
    ? range.in.includes(value)
    : (value as number) >= (range.from ?? -Infinity) && (value as number) <= (range.to ?? Infinity);

describe('a region', () => {
  const arbitrary = question({ part: anyPart, most: 5, constraints: 2, margins: [0.25, 0.5], capped: true });

  it('contains the answer, names what it changes, and has no point that model or policy refuse', async () => {
    let wide = 0;
    await fc.assert(
      fc.asyncProperty(arbitrary, async (asked) => {
        const dice = new Dice(seed);
        for (const { answer, region } of await regionsOf(asked)) {
          const ranges = Object.entries(region.features);
          expect(ranges.map(([name]) => name)).toEqual(
            asked.features.map(({ name }) => name).filter((name) => answer[name] !== asked.row[name]),
          );
          for (const [name, range] of ranges) expect(contains(range, answer[name])).toBe(true);
          for (let k = 0; k < 30; k++) {
            const drawn = ranges.map(([name, range]) => [name, draw(dice, asked, name, answer[name], range)]);
            expect(faultsOf(asked, { ...answer, ...Object.fromEntries(drawn) })).toEqual([]);
          }
          if (ranges.some(([, range]) => ('in' in range ? range.in.length > 1 : range.from !== range.to))) wide++;
        }
      }),
      { seed, numRuns: 150 },
    );
    expect(wide).toBeGreaterThan(50);
  });
});
