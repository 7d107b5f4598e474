/**
 * The budget of a search: counted work first, the clock as the last guard.
 *
 *   one unit of effort = about a thousand multiply-adds, or other work that takes a core as long: about 4 us beside other processes
 *
 * A search counts its own steps and ends when its effort is spent: a row gets the same answer on a busy machine. The clock is also read now
 * and then. `limitedBy` marks a search that the clock ended, because its answer may differ on another machine. `bench/effort.mjs` prints
 * the microseconds of a unit, by solver.
 */

/** Effort for each millisecond of a policy's deadline: about a quarter of the work of one otherwise idle server core. */
export const EFFORT_PER_MS = 250;

/** Multiply-adds in a unit of effort. */
export const FLOPS_PER_UNIT = 1000;

/** Milliseconds, of the thread's own CPU time where that is available: waiting for a core does not count. */
export interface Clock {
  now(): number;
}

export type Strike = 'effort' | 'time';

/** The clock is read after this many units since the last reading, or after this many questions. */
const UNITS_PER_LOOK = 300;
const QUESTIONS_PER_LOOK = 32;

/** An engine may always do this much work, about 4 ms, so that a row with little effort still gets a first answer. */
const ALWAYS = 1000;

export class Budget {
  private used = 0;
  private strike: Strike | null = null;
  private timeStruck = false;
  private effortStruck = false;
  /** The deadline on the clock. Null before the first question. Most rows end before the first question. */
  private until: number | null = null;
  private nextLook = 0;
  private questions = 0;

  constructor(
    /** The units that may be spent. */
    readonly effort: number,
    private readonly clock: Clock,
    /** The longest duration, from the first question on. */
    private readonly ms: number,
    private readonly parent: Budget | null = null,
    /** A budget beside which this one stands: it learns of an end by the clock. */
    private readonly neighbour: Budget | null = null,
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
    if (this.isLookDue() && this.clock.now() > this.deadline()) return this.end('time');
    return this.parent?.isSpent ?? false;
  }

  get spent(): number {
    return this.used;
  }

  get left(): number {
    return Math.max(0, this.effort - this.used);
  }

  /** Whether an engine's planned work exceeds the rest. The engine then gives up, limited by effort. */
  refuses(work: number): boolean {
    if (work <= ALWAYS || work < this.left) return false;
    this.note('effort');
    return true;
  }

  /** An engine with a clock of its own ended by time. */
  endByTime(): void {
    this.end('time');
  }

  /** Milliseconds until the guard ends the search. */
  get leftMs(): number {
    return this.ms === Infinity ? Infinity : Math.max(0, this.deadline() - this.clock.now());
  }

  /** A share of the rest. Its spending counts here too. */
  share(part: number): Budget {
    return new Budget(part * this.left, this.clock, part * (this.until === null ? this.ms : this.leftMs), this);
  }

  /** A share of the remaining effort, at most `most` units, with all of the time: only the last guard of the whole search applies. */
  shareEffort(part: number, most = Infinity): Budget {
    return new Budget(Math.min(most, part * this.left), this.clock, this.until === null ? this.ms : this.leftMs, this);
  }

  /** A budget of its own, of the size of a share of this one. Its spending does not count here. Its end by the clock does. */
  beside(part: number): Budget {
    return new Budget(part * this.effort, this.clock, part * this.ms, null, this);
  }

  /** Why a part of the search ended early. `time` if the clock ended any part, because only then may bytes differ. */
  get limitedBy(): Strike | null {
    if (this.timeStruck) return 'time';
    return this.effortStruck ? 'effort' : null;
  }

  private deadline(): number {
    this.until ??= this.clock.now() + this.ms;
    return this.until;
  }

  private isLookDue(): boolean {
    if (this.used < this.nextLook && this.questions++ < QUESTIONS_PER_LOOK) return false;
    this.nextLook = this.used + UNITS_PER_LOOK;
    this.questions = 0;
    return true;
  }

  private end(strike: Strike): true {
    this.strike = strike;
    this.note(strike);
    return true;
  }

  /** A part ended: the whole remembers the cause and continues. */
  private note(strike: Strike): void {
    if (strike === 'time') this.timeStruck = true;
    else this.effortStruck = true;
    this.parent?.note(strike);
    if (strike === 'time') this.neighbour?.note(strike);
  }
}

/** No limit: for searches that always end. */
export const unlimited = (): Budget => new Budget(Infinity, { now: () => 0 }, Infinity);
