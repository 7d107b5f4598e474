/**
 * The results that a chunk need not compute, out of what they are stored in. A block is opened when its first result is
 * needed; one that is damaged has none, and its rows are solved.
 */
import type { ResultDocument } from '../documents/result-document.js';
import { unpackResults } from '../store/result-block.js';
import type { KnownResults, KnownSource } from './messages.js';
import type { ParsedRow } from './row.js';

export class KnownResultReader {
  readonly #known: KnownResults | undefined;
  readonly #opened = new Map<number, readonly ResultDocument[]>();
  /** Results given out so far. */
  taken = 0;

  constructor(known: KnownResults | undefined) {
    this.#known = known;
  }

  /** The result of the row at a place of the chunk, under the row's own id. */
  take(at: number, { id }: ParsedRow): ResultDocument | undefined {
    const source = this.#known?.source[at] ?? -1;
    const result = source < 0 ? undefined : this.#open(source)[this.#known!.line[at]];
    if (!result) return undefined;
    this.taken++;
    return { ...result, id };
  }

  #open(source: number): readonly ResultDocument[] {
    const opened = this.#opened.get(source) ?? read(this.#known!.sources[source]);
    this.#opened.set(source, opened);
    return opened;
  }
}

function read(source: KnownSource): readonly ResultDocument[] {
  return 'answer' in source ? [JSON.parse(source.answer)] : (unpackResults(source) ?? []);
}
