/** The choice of a content type by the header `Accept` (RFC 9110): the highest quality wins, then the order of the server. */
import { ElsewiseError } from '../documents/error.js';

interface AcceptedRange {
  readonly range: string;
  readonly quality: number;
}

/** An absent header accepts everything. Throws if nothing is acceptable. */
export function chooseType<T extends string>(header: string | undefined, types: readonly T[]): T {
  const ranges = (header ?? '*/*').split(',').map(readRange);
  const best = types
    .map((type) => ({ type, quality: qualityOf(type, ranges) }))
    .reduce((one, other) => (other.quality > one.quality ? other : one));
  if (best.quality > 0) return best.type;
  throw new ElsewiseError('not-acceptable', `expected one of ${types.join(', ')}`, 'headers.accept');
}

function readRange(text: string): AcceptedRange {
  const [range, ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  const value = quality === undefined ? 1 : Number(quality);
  return { range, quality: value >= 0 && value <= 1 ? value : 0 };
}

/** The most specific range counts. */
function qualityOf(type: string, ranges: readonly AcceptedRange[]): number {
  const [group] = type.split('/');
  for (const wanted of [type, `${group}/*`, '*/*']) {
    const found = ranges.find(({ range }) => range === wanted);
    if (found) return found.quality;
  }
  return 0;
}
