/** The population of a feature as a picture, with marks for values of one person. The words below say the same. */
import type { FeatureShares } from '../pages/person/population.js';

export interface Mark {
  readonly kind: 'now' | 'suggested' | 'own';
  readonly value: number;
}

const WIDTH = 240;
const HEIGHT = 56;
const WORDS = { now: 'now', suggested: 'suggested', own: 'your value' };

interface HistogramProps {
  readonly of: FeatureShares;
  readonly marks: readonly Mark[];
  /** Values that work as well. */
  readonly band?: { readonly from?: number; readonly to?: number };
  readonly label: string;
}

/** The share of people beyond the right end of the picture: a few far values would squeeze all others. */
const TAIL = 0.01;

function withoutTail({ min = 0, max = 1, shares = [] }: FeatureShares): FeatureShares {
  let [kept, beyond] = [shares.length, 0];
  while (kept > 1 && beyond + shares[kept - 1] <= TAIL) beyond += shares[--kept];
  return { min, max: min + ((max - min) * kept) / (shares.length || 1), shares: shares.slice(0, kept) };
}

export function Histogram({ of, marks, band, label }: HistogramProps) {
  const { min = 0, max = 1, shares = [] } = withoutTail(of);
  const ends = marks.map(({ value }) => value);
  const [low, high] = [Math.min(min, ...ends), Math.max(max, ...ends)];
  const x = (value: number) => (high > low ? (WIDTH * (value - low)) / (high - low) : WIDTH / 2);
  const tallest = Math.max(...shares, 1e-9);
  const width = (x(max) - x(min)) / shares.length;
  const within = (value: number) => Math.min(high, Math.max(low, value));
  const [start, end] = [x(within(band?.from ?? low)), x(within(band?.to ?? high))];
  return (
    <svg class="histogram" viewBox={`-2 0 ${WIDTH + 4} ${HEIGHT + 2}`} role="img" aria-label={label}>
      {band && <rect class="band" x={start} y={0} width={Math.max(end - start, 1)} height={HEIGHT} />}
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
