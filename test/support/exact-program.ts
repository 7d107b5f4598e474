/**
 * Small linear programs in rational arithmetic, by the primal simplex with Bland's rule: the judge of what the product
 * claims about badly scaled ones. Doubles are taken as the binary fractions that they are.
 *
 *   min c·v   s.t.   lower_i <= a_i·v <= upper_i,   0 <= v <= hi
 */

export interface Fraction {
  readonly n: bigint;
  /** Positive, without a common factor. */
  readonly d: bigint;
}

/** An end; null: none. */
export type End = Fraction | null;

export interface ExactRow {
  readonly a: readonly number[];
  readonly lower: End;
  readonly upper: End;
}

const ZERO: Fraction = { n: 0n, d: 1n };
const ONE: Fraction = { n: 1n, d: 1n };

const abs = (n: bigint): bigint => (n < 0n ? -n : n);

function reduced(n: bigint, d: bigint): Fraction {
  let [a, b] = [abs(n), abs(d)];
  while (b) [a, b] = [b, a % b];
  const factor = d < 0n ? -a : a;
  return n === 0n ? ZERO : { n: n / factor, d: d / factor };
}

export function fractionOf(x: number): Fraction {
  let [value, d] = [x, 1n];
  for (; !Number.isInteger(value); d *= 2n) value *= 2;
  return reduced(BigInt(value), d);
}

/** An infinite number is no end. */
export const endOf = (x: number): End => (Number.isFinite(x) ? fractionOf(x) : null);

/** Σ a_j x_j without rounding. */
export const exactDot = (a: ArrayLike<number>, x: ArrayLike<number>): Fraction =>
  Array.from(a, (value, j) => times(fractionOf(value), fractionOf(x[j]))).reduce(plus, ZERO);

export const plus = (a: Fraction, b: Fraction): Fraction => reduced(a.n * b.d + b.n * a.d, a.d * b.d);
export const minus = (a: Fraction, b: Fraction): Fraction => reduced(a.n * b.d - b.n * a.d, a.d * b.d);
export const times = (a: Fraction, b: Fraction): Fraction => reduced(a.n * b.n, a.d * b.d);
const over = (a: Fraction, b: Fraction): Fraction => reduced(a.n * b.d, a.d * b.n);
const isBelow = (a: Fraction, b: Fraction): boolean => a.n * b.d < b.n * a.d;
const negated = ({ n, d }: Fraction): Fraction => ({ n: -n, d });

/** The double next to a fraction, near enough for a comparison. */
export function doubleOf({ n, d }: Fraction): number {
  const shift = BigInt(Math.max(0, 60 + d.toString(2).length - abs(n).toString(2).length));
  return Number((n << shift) / d) / 2 ** Number(shift);
}

/** The tableau of a program in standard form: basic variables first in each row's own column, right-hand sides last. */
class Tableau {
  constructor(
    readonly rows: Fraction[][],
    readonly basic: number[],
  ) {}

  /** Brings the cost down to its least, entering only variables below `end`. */
  minimise(cost: readonly Fraction[], end: number): Fraction {
    const price = [...cost, ZERO];
    for (const [i, b] of this.basic.entries()) subtract(price, this.rows[i], price[b]);
    for (;;) {
      const entering = price.findIndex((value, j) => j < end && value.n < 0n);
      if (entering < 0) return negated(price[price.length - 1]);
      const leaving = this.leaving(entering);
      if (leaving < 0) throw new Error('unbounded: no cost here is negative');
      this.pivot(leaving, entering);
      subtract(price, this.rows[leaving], price[entering]);
    }
  }

  private leaving(entering: number): number {
    let best = -1;
    let least = ZERO;
    for (const [i, row] of this.rows.entries()) {
      if (row[entering].n <= 0n) continue;
      const ratio = over(row[row.length - 1], row[entering]);
      const first = best < 0 || isBelow(ratio, least);
      if (first || (!isBelow(least, ratio) && this.basic[i] < this.basic[best])) [best, least] = [i, ratio];
    }
    return best;
  }

  private pivot(r: number, q: number): void {
    const element = this.rows[r][q];
    this.rows[r] = this.rows[r].map((value) => over(value, element));
    for (const [i, row] of this.rows.entries()) if (i !== r) subtract(row, this.rows[r], row[q]);
    this.basic[r] = q;
  }
}

function subtract(from: Fraction[], row: readonly Fraction[], factor: Fraction): void {
  if (factor.n === 0n) return;
  for (let j = 0; j < from.length; j++) if (row[j].n !== 0n) from[j] = minus(from[j], times(factor, row[j]));
}

/** The least cost, or null where nothing meets the rows. */
export function exactMinimum(cost: readonly number[], rows: readonly ExactRow[], hi: readonly End[]): Fraction | null {
  const n = cost.length;
  const unit = (j: number) => cost.map((_, k) => +(k === j));
  const bounds = hi.flatMap((end, j) => (end ? [{ a: unit(j), sign: 1, end }] : []));
  const sides = rows.flatMap(({ a, lower, upper }) => [
    ...(lower ? [{ a, sign: -1, end: lower }] : []),
    ...(upper ? [{ a, sign: 1, end: upper }] : []),
  ]);
  // sign · slack + a·v = end, turned so that the end is not negative; one artificial variable each
  const all = [...sides, ...bounds];
  const width = n + 2 * all.length;
  const table = all.map(({ a, sign, end }, i) => {
    const row = Array.from({ length: width + 1 }, (_, j) =>
      j < n ? fractionOf(a[j]) : j === n + i ? fractionOf(sign) : ZERO,
    );
    row[width] = end;
    const turned = row[width].n < 0n ? row.map(negated) : row;
    turned[n + all.length + i] = ONE;
    return turned;
  });
  const basic = all.map((_, i) => n + all.length + i);
  const tableau = new Tableau(table, basic);
  const artificial = Array.from({ length: width }, (_, j) => (j < n + all.length ? ZERO : ONE));
  if (tableau.minimise(artificial, width).n > 0n) return null;
  return tableau.minimise(
    Array.from({ length: width }, (_, j) => (j < n ? fractionOf(cost[j]) : ZERO)),
    n + all.length,
  );
}
