/** Seeded randomness: the same seed gives the same documents and rows on every machine. */
export class Dice {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** Uniform in [0, 1): mulberry32. */
  unit(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  between(low: number, high: number): number {
    return low + (high - low) * this.unit();
  }

  /** Both ends included. */
  integer(low: number, high: number): number {
    return low + Math.floor(this.unit() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.unit() < probability;
  }

  /** Box and Muller. */
  normal(): number {
    return Math.sqrt(-2 * Math.log(1 - this.unit())) * Math.cos(2 * Math.PI * this.unit());
  }

  pick<T>(items: readonly T[]): T {
    return items[this.integer(0, items.length - 1)];
  }

  shuffle<T>(items: readonly T[]): T[] {
    const left = [...items];
    return items.map(() => left.splice(this.integer(0, left.length - 1), 1)[0]);
  }

  vector(length: number, draw: () => number = () => this.normal()): number[] {
    return Array.from({ length }, draw);
  }

  matrix(rows: number, columns: number, draw: () => number = () => this.normal()): number[][] {
    return Array.from({ length: rows }, () => this.vector(columns, draw));
  }
}
