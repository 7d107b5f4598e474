/**
 * The lines that a chunk need not solve, out of the blocks that they are stored in. A block is opened when its first line
 * is needed; one that is damaged has no lines, and its rows are solved.
 */
import { unpackNow } from '../store/block.js';
import type { KnownLines } from './messages.js';
import { withId } from './result-lines.js';
import type { ParsedRow } from './row.js';
import { countKnown, type Tally } from './tally.js';

export class KnownLineReader {
  readonly #known: KnownLines | undefined;
  readonly #blocks = new Map<number, readonly string[]>();
  /** Lines given out so far. */
  taken = 0;

  constructor(known: KnownLines | undefined) {
    this.#known = known;
  }

  /** The line of the row at a place of the chunk, under the row's own id; counts it. */
  take(at: number, { id }: ParsedRow, tally: Tally): { text: string; isLasting: boolean } | undefined {
    const block = this.#known?.block[at] ?? -1;
    const line = block < 0 ? undefined : this.#open(block)[this.#known!.line[at]];
    if (line === undefined) return undefined;
    this.taken++;
    countKnown(tally, statusOf(line), costOf(line));
    return { text: `${withId(line, id)}\n`, isLasting: false };
  }

  #open(block: number): readonly string[] {
    const opened = this.#blocks.get(block) ?? unpackNow(this.#known!.blocks[block])?.toString().split('\n') ?? [];
    this.#blocks.set(block, opened);
    return opened;
  }
}

const STATUS = /,"status":"([a-z-]+)"/;
/** Behind `changes`; within a text its quotes would be escaped, and no feature holds a list. */
const BEFORE_COST = '],"cost":';

/** Parsing the line would take longer than solving many a row. */
function statusOf(line: string): string {
  return STATUS.exec(line)?.[1] ?? 'unknown';
}

/** Of the cheapest answer. */
function costOf(line: string): number | undefined {
  const at = line.indexOf(BEFORE_COST);
  return at < 0 ? undefined : Number.parseFloat(line.slice(at + BEFORE_COST.length, at + BEFORE_COST.length + 32));
}
