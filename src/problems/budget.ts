/**
 * The budget of a search: counted work first, the clock as the last guard.
 *
 *   one unit of effort = about a thousand multiply-adds, or other work that takes a core as long: about 4 us beside other processes
 *
 * A search counts its own steps and ends when its effort is spent: a row gets the same answer on a busy machine. The clock
 * is read now and then as well. `limitedBy` marks a search that the clock ended, because its answer may differ on another machine.
 * `bench/effort.mjs` prints the microseconds of a unit, by solver.
 */

/** Effort that a policy gets for each millisecond of its deadline: about a quarter of what one core of a server does alone. */
export const EFFORT_PER_MS = 250;

/** Multiply-adds in a unit of effort. */
export const FLOPS_PER_UNIT = 1000;

/** Milliseconds, of the thread's own time where that can be told: a thread that has to wait for a core is not late. */
export interface Clock {
  now(): number;
}

export type Strike = 'effort' | 'time';

/** The clock is read when so many units were spent since it was read last, or after so many questions. */
const UNITS_PER_LOOK = 300;
const QUESTIONS_PER_LOOK = 32;

/** An engine may do as much whatever is left, about 4 ms: a row whose effort is small still gets its first answer. */
const ALWAYS = 1000;

export class Budget {
  private used = 0;
  private strike: Strike | null = null;
  private timeStruck = false;
  private effortStruck = false;
  /** On the clock; null before the first question. Most rows end before the first question. */
  private until: number | null = null;
  private nextLook = 0;
  private questions = 0;

  constructor(
    /** Units that may be spent. */
    readonly effort: number,
    private readonly clock: Clock,
    /** How long it may take at most, from the first question on. */
    private readonly ms: number,
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
    if (this.isLookDue() && this.clock.now() > this.deadline()) return this.end('time');
    return this.parent?.isSpent ?? false;
  }

  get spent(): number {
    return this.used;
  }

  get left(): number {
    return Math.max(0, this.effort - this.used);
  }

  /** Whether work of an engine, which is yet to be spent, is more than there is. The engine then gives up, by effort. */
  refuses(work: number): boolean {
    if (work <= ALWAYS || work < this.left) return false;
    this.note('effort');
    return true;
  }

  /** Milliseconds until the guard strikes. */
  get leftMs(): number {
    return this.ms === Infinity ? Infinity : Math.max(0, this.deadline() - this.clock.now());
  }

  /** A part of what is left; what it spends is spent here too. */
  share(part: number): Budget {
    return new Budget(part * this.left, this.clock, part * (this.until === null ? this.ms : this.leftMs), this);
  }

  /** A part of the effort that is left, at most so many units, and all of the time: only the last guard of the whole may strike. */
  shareEffort(part: number, most = Infinity): Budget {
    return new Budget(Math.min(most, part * this.left), this.clock, this.until === null ? this.ms : this.leftMs, this);
  }

  /** Why a part of the search ended early; `time` wherever the clock struck, since only then may bytes differ. */
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

  /** A part ended: the whole remembers why, and goes on. */
  private note(strike: Strike): void {
    if (strike === 'time') this.timeStruck = true;
    else this.effortStruck = true;
    this.parent?.note(strike);
  }
}

/** Without any limit: for questions that end by themselves. */
export const unlimited = (): Budget => new Budget(Infinity, { now: () => 0 }, Infinity);
