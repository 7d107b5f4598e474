/**
 * The people by the number of a feature, in one pass and in memory that does not grow with the people: each number has its own tally while
 * there are few numbers. Afterwards the numbers fall into bins. The widths of bins are 1, 2, 10, 20, 100, ... times a power of ten. Each
 * width is a multiple of the width before, so that whole bins are added up when there are too many of them.
 */
import { formatNumber } from '../numbers.js';
import { mergeTallies, type PeopleTally } from './group-tally.js';

const MOST_BINS = 400;
/** So many different numbers are groups of their own. */
const MOST_VALUES = 6;
const RANGES = 5;
/** Numbers that differ from the end of a bin by rounding only belong to the bin above. */
const ROUNDING = 1e-9;

export interface NumberGroup<T> {
  readonly name: string;
  readonly value?: number;
  readonly from?: number;
  readonly to?: number;
  readonly isToIncluded?: boolean;
  readonly tally: T;
}

export class NumberRanges<T extends PeopleTally<never, T>> {
  readonly #create: () => T;
  /** By number while `#level` is undefined, then by the number of the bin. */
  #bins = new Map<number, T>();
  #level: number | undefined;

  constructor(create: () => T) {
    this.#create = create;
  }

  get isEmpty(): boolean {
    return this.#bins.size === 0;
  }

  /** Whether the groups are ranges. */
  get isCut(): boolean {
    return this.#level !== undefined || this.#bins.size > MOST_VALUES;
  }

  tallyOf(value: number): T {
    const bin = this.#level === undefined ? value : binOf(value, this.#level);
    const known = this.#bins.get(bin);
    if (known) return known;
    if (this.#bins.size < MOST_BINS) return this.#added(bin);
    this.#widen();
    return this.tallyOf(value);
  }

  #added(bin: number): T {
    const tally = this.#create();
    this.#bins.set(bin, tally);
    return tally;
  }

  #widen(): void {
    if (this.#level === undefined) {
      const values = [...this.#bins.keys()];
      const range = Math.min(Math.max(...values) - Math.min(...values), Number.MAX_VALUE);
      this.#level = 2 * Math.floor(Math.log10(range / MOST_BINS));
      this.#regroup((value) => binOf(value, this.#level!));
    } else {
      const ratio = Math.round(widthOf(this.#level + 1) / widthOf(this.#level));
      this.#level++;
      this.#regroup((bin) => Math.floor(bin / ratio));
    }
  }

  #regroup(place: (bin: number) => number): void {
    const bins = new Map<number, T>();
    for (const [bin, tally] of this.#bins) {
      const known = bins.get(place(bin));
      if (known) known.merge(tally);
      else bins.set(place(bin), tally);
    }
    this.#bins = bins;
  }

  /** Ranges of about equally many people, each of at least `smallest` people where there are enough. */
  groups(smallest: number): NumberGroup<T>[] {
    const sorted = [...this.#bins].sort((a, b) => a[0] - b[0]);
    if (!this.isCut) return sorted.map(([value, tally]) => ({ name: formatNumber(value), value, tally }));
    return this.#cut(sorted, smallest).map((run, i, runs) => this.#rangeOf(run, runs[i + 1]?.[0][0]));
  }

  #cut(sorted: readonly [number, T][], smallest: number): [number, T][][] {
    const total = sorted.reduce((sum, [, { people }]) => sum + people, 0);
    const wanted = Math.max(smallest, total / RANGES);
    const runs: [number, T][][] = [[]];
    let [size, left] = [0, total];
    for (const entry of sorted) {
      if (size >= wanted * (1 - ROUNDING) && left >= Math.max(smallest, wanted / 2)) {
        runs.push([]);
        size = 0;
      }
      runs[runs.length - 1].push(entry);
      size += entry[1].people;
      left -= entry[1].people;
    }
    return runs;
  }

  #rangeOf(run: readonly [number, T][], next: number | undefined): NumberGroup<T> {
    const tally = mergeTallies(
      run.map(([, one]) => one),
      this.#create(),
    );
    const [first, last] = [run[0][0], run[run.length - 1][0]];
    if (this.#level === undefined) {
      const name = first === last ? formatNumber(first) : `${formatNumber(first)} to ${formatNumber(last)}`;
      return { name, from: first, to: last, isToIncluded: true, tally };
    }
    const [from, to] = [startOf(first, this.#level), startOf(next ?? last + 1, this.#level)];
    return { name: `${formatNumber(from)} to under ${formatNumber(to)}`, from, to, isToIncluded: false, tally };
  }
}

/** Level 0: 1, level 1: 2, level 2: 10, level -1: 0.2, level -2: 0.1. */
const widthOf = (level: number): number => (level & 1 ? 2 : 1) * 10 ** Math.floor(level / 2);

const binOf = (value: number, level: number): number => Math.floor(scaled(value, level) + ROUNDING);

/** value / width; the division by a negative power of ten is a multiplication, which is exact for more numbers. */
function scaled(value: number, level: number): number {
  const exponent = Math.floor(level / 2);
  const byPower = exponent < 0 ? value * 10 ** -exponent : value / 10 ** exponent;
  return level & 1 ? byPower / 2 : byPower;
}

const startOf = (bin: number, level: number): number => Number((bin * widthOf(level)).toPrecision(12));
