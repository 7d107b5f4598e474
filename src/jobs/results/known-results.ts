/**
 * The known results of a chunk, read from the blocks that hold them. A block is opened when its first result is needed and read up
 * to its last needed result. A damaged block gives no result, and its rows are solved.
 */
import type { ResultDocument } from '../../documents/result-document.js';
import { openBlock } from '../../store/codec/result-block.js';
import type { ResultReader } from '../../store/codec/result-columns.js';
import type { ResultRow } from '../../store/codec/result-row.js';
import type { ParsedRow } from '../rows/row.js';
import type { KnownResults, KnownSource } from '../threads/messages.js';
import { statusOf, withId } from './result-lines.js';

export class KnownResultReader {
  readonly #known: KnownResults | undefined;
  readonly #opened = new Map<number, OpenSource>();
  /** The number of results given out so far. */
  taken = 0;

  constructor(known: KnownResults | undefined) {
    this.#known = known;
  }

  /** The known result of the row at an index of the chunk, under the row's own id. */
  take(at: number, { id }: ParsedRow): ResultRow | ResultDocument | undefined {
    const source = this.#known?.source[at] ?? -1;
    const result = source < 0 ? undefined : this.#open(source).at(this.#known!.line[at]);
    if (result === undefined || isForgotten(result)) return undefined;
    this.taken++;
    return typeof result === 'string' ? (JSON.parse(withId(result, id)) as ResultDocument) : result.withId(id);
  }

  #open(source: number): OpenSource {
    const opened = this.#opened.get(source) ?? new OpenSource(this.#known!.sources[source]);
    this.#opened.set(source, opened);
    return opened;
  }
}

/** A result that was removed on request stands for no other row. Invalid rows have no known result. */
const isForgotten = (result: ResultRow | string): boolean =>
  typeof result === 'string' ? statusOf(result) === 'invalid' : result.shape.status === 'invalid';

class OpenSource {
  readonly #read: (ResultRow | string)[] = [];
  #reader: ResultReader | undefined;

  constructor(source: KnownSource) {
    if ('answer' in source) this.#read.push(source.answer);
    else this.#reader = openBlock(source);
  }

  at(line: number): ResultRow | string | undefined {
    const rows = this.#reader?.rows ?? 0;
    try {
      while (this.#read.length <= line && this.#read.length < rows) this.#read.push(this.#reader!.next());
    } catch {
      this.#reader = undefined; // no further results come from a damaged block
    }
    return this.#read[line];
  }
}
