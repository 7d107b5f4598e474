/**
 * Cuts an input into the chunks of a batch. The number of rows in a chunk is decided once for the whole batch: a repeated enqueue cuts the
 * same chunks. A chunk is about half a second of work for one thread, and a dying worker loses this much. The first rows are solved to
 * measure the time per row. These rows are always the first chunk.
 */
import type { Manifest } from '../../store/batches/manifest.js';
import { FIRST_ROWS, MAX_ROWS, rowsWithin } from '../rows/chunk-size.js';
import type { Chunk, RowSource } from '../rows/row-source.js';

export type ChunkCut = Pick<Manifest, 'chunkRows' | 'probe'>;

const CHUNK_MS = 500;

export class ChunkCutter {
  readonly #rows: RowSource;
  #first: Chunk | undefined;

  constructor(rows: RowSource) {
    this.#rows = rows;
  }

  /** `timeRows` returns the milliseconds per row. */
  async probe(timeRows: (rows: Chunk) => Promise<number>): Promise<ChunkCut> {
    this.#first = await this.#rows.take(FIRST_ROWS);
    if (!this.#first) return { chunkRows: MAX_ROWS };
    const msPerRow = await timeRows(this.#first);
    return { chunkRows: rowsWithin(CHUNK_MS, msPerRow), probe: { rows: FIRST_ROWS, msPerRow } };
  }

  /** The next chunks, at most `count`; fewer only at the end of the input. */
  async take(count: number, { chunkRows, probe }: ChunkCut): Promise<Chunk[]> {
    const group: Chunk[] = [];
    while (group.length < count) {
      const chunk = this.#first ?? (await this.#rows.take(this.#isAtStart && probe ? probe.rows : chunkRows));
      this.#first = undefined;
      this.#isAtStart = false;
      if (!chunk) break;
      group.push(chunk);
    }
    return group;
  }

  #isAtStart = true;
}
