/** The costs of both sides in common bins: the second side as bars, the first as a line of steps. */
import type { ComparisonDocument } from '../../../documents/comparison-document.js';
import { formatNumber, formatShort } from '../../../report/numbers.js';

const [WIDTH, HEIGHT, BASE] = [360, 132, 112];
const TICKS = 5;

interface PictureProps {
  readonly histogram: NonNullable<ComparisonDocument['costHistogram']>;
  readonly hasFirst: boolean;
}

export function CostPicture({ histogram, hasFirst }: PictureProps) {
  const { width, before, after, aboveBefore, aboveAfter } = histogram;
  const [one, other] = [
    [...before, aboveBefore],
    [...after, aboveAfter],
  ];
  const tallest = Math.max(1, ...other, ...(hasFirst ? one : []));
  const step = WIDTH / other.length;
  const y = (count: number) => BASE - ((BASE - 8) * count) / tallest;
  const label = `Histogram of costs up to ${formatShort(width * after.length)}. The highest bar has ${formatNumber(tallest)} people.`;
  const ticks = Array.from({ length: TICKS }, (_, k) => Math.round((k * (other.length - 1)) / (TICKS - 1)));
  return (
    <svg class="costs" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      {other.map((count, k) => (
        <rect
          key={k}
          class="now"
          x={k * step + 0.75}
          y={y(count)}
          width={Math.max(0.5, step - 1.5)}
          height={BASE - y(count)}
          rx={1.5}
        >
          <title>{titleOf(k, width, after.length, count)}</title>
        </rect>
      ))}
      {hasFirst && <path class="was" d={stepsOf(one, step, y)} />}
      <line x1={0} x2={WIDTH} y1={BASE} y2={BASE} />
      {ticks.map((k, t) => (
        <text key={k} x={k * step} y={HEIGHT - 4} text-anchor={t === 0 ? 'start' : t === TICKS - 1 ? 'end' : 'middle'}>
          {formatShort(k * width)}
        </text>
      ))}
    </svg>
  );
}

const stepsOf = (counts: readonly number[], step: number, y: (count: number) => number): string =>
  `M0 ${BASE}${counts.map((count, k) => `V${y(count).toFixed(1)}H${((k + 1) * step).toFixed(1)}`).join('')}V${BASE}`;

const titleOf = (bin: number, width: number, bins: number, count: number): string =>
  `cost ${bin < bins ? `${formatShort(bin * width)} to ${formatShort((bin + 1) * width)}` : `above ${formatShort(bins * width)}`}: ${formatNumber(count)} people`;
