/** The population of a feature as a picture, with marks for values of one person. The words below say the same. */
import type { FeatureShares } from '../pages/person/population.js';

export interface Mark {
  readonly kind: 'now' | 'suggested' | 'own';
  readonly value: number;
}

const WIDTH = 240;
const HEIGHT = 56;
const WORDS = { now: 'now', suggested: 'suggested', own: 'your value' };

export function Histogram({ of, marks, label }: { of: FeatureShares; marks: readonly Mark[]; label: string }) {
  const { min = 0, max = 1, shares = [] } = of;
  const ends = marks.map(({ value }) => value);
  const [low, high] = [Math.min(min, ...ends), Math.max(max, ...ends)];
  const x = (value: number) => (high > low ? (WIDTH * (value - low)) / (high - low) : WIDTH / 2);
  const tallest = Math.max(...shares, 1e-9);
  const width = (x(max) - x(min)) / shares.length;
  return (
    <svg class="histogram" viewBox={`-2 0 ${WIDTH + 4} ${HEIGHT + 2}`} role="img" aria-label={label}>
      {shares.map((share, k) => (
        <rect
          key={k}
          x={x(min) + k * width}
          y={HEIGHT - (HEIGHT * share) / tallest}
          width={Math.max(width - 1, 0.5)}
          height={(HEIGHT * share) / tallest}
        />
      ))}
      {marks.map(({ kind, value }) => (
        <line key={kind} class={kind} x1={x(value)} x2={x(value)} y1={0} y2={HEIGHT + 2}>
          <title>{WORDS[kind]}</title>
        </line>
      ))}
    </svg>
  );
}
