/**
 * Cuts an input into the chunks of a batch. How many rows a chunk has is decided once, for the whole batch, so that a repeated
 * enqueue cuts the same ones: as many as a thread answers in about half a second, which is what a worker that dies loses.
 * The first rows are solved to find out; they are the first chunk, whatever comes out.
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

  /** `timeRows` gives the milliseconds of a row. */
  async probe(timeRows: (rows: Chunk) => Promise<number>): Promise<ChunkCut> {
    this.#first = await this.#rows.take(FIRST_ROWS);
    if (!this.#first) return { chunkRows: MAX_ROWS };
    const msPerRow = await timeRows(this.#first);
    return { chunkRows: rowsWithin(CHUNK_MS, msPerRow), probe: { rows: FIRST_ROWS, msPerRow } };
  }

  /** The next chunks, at most so many; fewer only at the end. */
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
