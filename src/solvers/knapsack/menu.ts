/**
 * The options of one person, as flat arrays that are filled anew for each row. A class is a feature. An answer
 * takes one option of each class.
 *
 *   point      a cost, a gain and a number of changes
 *   lattice    the moves t = from, from + step, ..., to      cost c0 + c1 t + c2 t²,    gain g0 + g1 t + g2 t²
 *   interval   all moves from <= t <= to of a continuous feature
 *
 * An item is one of the three. A move t goes from the present value to a side.
 */
import { markCorners } from './corners.js';

export const POINT = 0;
export const LATTICE = 1;
export const INTERVAL = 2;

const START = 64;

export class Menu {
  classes = 0;
  items = 0;
  /** By class: its first item; the last entry is the number of items. */
  first = new Int32Array(64);
  kind = new Uint8Array(START);
  feature = new Int32Array(START);
  side = new Int8Array(START);
  changes = new Uint8Array(START);
  /** Whether the item may be the cheapest one for some price (corners.ts). */
  corner = new Uint8Array(START);
  /** Of a point: its value or its category; NaN: the present columns. */
  value = new Float64Array(START);
  from = new Float64Array(START);
  to = new Float64Array(START);
  step = new Float64Array(START);
  c0 = new Float64Array(START);
  c1 = new Float64Array(START);
  c2 = new Float64Array(START);
  g0 = new Float64Array(START);
  g1 = new Float64Array(START);
  g2 = new Float64Array(START);

  begin(): void {
    this.classes = this.items = 0;
    this.first[0] = 0;
  }

  /** Ends a class. Without an item the person has no answer. */
  close(): void {
    markCorners(this, this.first[this.classes], this.items);
    this.classes++;
    if (this.classes >= this.first.length) this.first = grown(this.first);
    this.first[this.classes] = this.items;
  }

  /** Whether the class that is being filled has an item. */
  get isStarted(): boolean {
    return this.items > this.first[this.classes];
  }

  addPoint(feature: number, value: number, cost: number, gain: number, changes: number): void {
    const i = this.add(POINT, feature, changes);
    this.value[i] = value;
    this.from[i] = this.to[i] = this.step[i] = 0;
    this.c0[i] = cost;
    this.g0[i] = gain;
    this.c1[i] = this.c2[i] = this.g1[i] = this.g2[i] = 0;
  }

  /** `step` 0: an interval. The cost and the gain of the moves follow: see `setCost` and `setGain`. */
  addMoves(feature: number, side: number, from: number, to: number, step: number): number {
    const i = this.add(step > 0 ? LATTICE : INTERVAL, feature, 1);
    this.side[i] = side;
    this.from[i] = from;
    this.to[i] = to;
    this.step[i] = step;
    return i;
  }

  setCost(i: number, c0: number, c1: number, c2: number): void {
    this.c0[i] = c0;
    this.c1[i] = c1;
    this.c2[i] = c2;
  }

  setGain(i: number, g0: number, g1: number, g2: number): void {
    this.g0[i] = g0;
    this.g1[i] = g1;
    this.g2[i] = g2;
  }

  /** The largest number of changes of a combination. */
  mostChanges(): number {
    let sum = 0;
    for (let j = 0; j < this.classes; j++) {
      let most = 0;
      for (let i = this.first[j]; i < this.first[j + 1]; i++) if (this.changes[i] > most) most = this.changes[i];
      sum += most;
    }
    return sum;
  }

  costAt(i: number, t: number): number {
    return this.c0[i] + t * (this.c1[i] + this.c2[i] * t);
  }

  gainAt(i: number, t: number): number {
    return this.g0[i] + t * (this.g1[i] + this.g2[i] * t);
  }

  /** The move of an item with the least  unit · cost - price · gain. */
  bestMove(i: number, unit: number, price: number): number {
    if (this.kind[i] === POINT) return 0;
    const from = this.from[i];
    const to = this.to[i];
    const bend = unit * this.c2[i] - price * this.g2[i];
    const slope = unit * this.c1[i] - price * this.g1[i];
    if (!(bend > 0)) return slope * (to - from) + bend * (to * to - from * from) < 0 ? to : from;
    const best = -slope / (2 * bend);
    if (best <= from) return from;
    if (best >= to) return to;
    const step = this.step[i];
    return step > 0 ? from + step * Math.round((best - from) / step) : best;
  }

  private add(kind: number, feature: number, changes: number): number {
    if (this.items === this.kind.length) this.grow();
    const i = this.items++;
    this.kind[i] = kind;
    this.feature[i] = feature;
    this.changes[i] = changes;
    this.corner[i] = 1;
    return i;
  }

  private grow(): void {
    this.kind = grown(this.kind);
    this.feature = grown(this.feature);
    this.side = grown(this.side);
    this.changes = grown(this.changes);
    this.corner = grown(this.corner);
    for (const name of NUMBERS) this[name] = grown(this[name]);
  }
}

const NUMBERS = ['value', 'from', 'to', 'step', 'c0', 'c1', 'c2', 'g0', 'g1', 'g2'] as const;

/** The same array with twice the room. */
export function grown<T extends Float64Array | Int32Array | Uint8Array | Int8Array>(array: T): T {
  const larger = new (array.constructor as new (length: number) => T)(2 * array.length);
  larger.set(array);
  return larger;
}
