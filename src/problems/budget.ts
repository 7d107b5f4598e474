/**
 * What a search may spend: counted work first, the clock as the last guard.
 *
 *   one unit of effort = about a thousand multiply-adds, wherever they are done: about a microsecond of one core
 *
 * A search counts its own steps and ends when its effort is spent, so that a row gets the same answer on a busy machine. The clock
 * is read as well; a search that the clock ended says so (`struckBy`), for its answer may differ elsewhere.
 */

/** Effort that a policy gets for each millisecond of its deadline: about a quarter of what one core of a server does alone. */
export const EFFORT_PER_MS = 250;

/** Multiply-adds in a unit of effort. */
export const FLOPS_PER_UNIT = 1000;

export interface Clock {
  now(): number;
}

export type Strike = 'effort' | 'time';

export class Budget {
  private used = 0;
  private strike: Strike | null = null;

  constructor(
    /** Units that may be spent. */
    readonly effort: number,
    private readonly clock: Clock,
    /** When to stop at the latest, on the clock. */
    readonly deadline: number,
    private readonly parent: Budget | null = null,
  ) {}

  /** Counts work that was done. */
  spend(units: number): void {
    this.used += units;
    this.parent?.spend(units);
  }

  /** Whether the search has to stop. */
  get isSpent(): boolean {
    if (this.strike) return true;
    if (this.used >= this.effort) return this.end('effort');
    if (this.clock.now() > this.deadline) return this.end('time');
    return this.parent?.isSpent ?? false;
  }

  /** What ended this search or a part of it; the clock before the count. Null: neither did. */
  get struckBy(): Strike | null {
    return this.strike;
  }

  get spent(): number {
    return this.used;
  }

  get left(): number {
    return Math.max(0, this.effort - this.used);
  }

  /** Milliseconds until the guard strikes. */
  get leftMs(): number {
    return Math.max(0, this.deadline - this.clock.now());
  }

  /** A part of what is left, of both; what it spends is spent here too. */
  share(part: number): Budget {
    const until = this.clock.now() + part * this.leftMs;
    return new Budget(part * this.left, this.clock, until, this);
  }

  private end(strike: Strike): true {
    this.strike = strike;
    this.parent?.note(strike);
    return true;
  }

  /** A part ended: the whole remembers why, and goes on. */
  private readonly notes = new Set<Strike>();
  private note(strike: Strike): void {
    this.notes.add(strike);
    this.parent?.note(strike);
  }

  /** Why a part of the search ended early; `time` wherever the clock struck, since only then may bytes differ. */
  get limitedBy(): Strike | null {
    if (this.strike === 'time' || this.notes.has('time')) return 'time';
    return this.strike ?? (this.notes.has('effort') ? 'effort' : null);
  }
}

/** Without any limit: for questions that end by themselves. */
export const unlimited = (): Budget => new Budget(Infinity, { now: () => 0 }, Infinity);
