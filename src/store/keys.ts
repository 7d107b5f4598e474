/**
 * Every Redis key of ours. Keys that one script touches together share the hash tag in braces, so they are in one slot
 * of a Redis Cluster: all of a model's, all of a batch's. BullMQ's own keys are under `queuePrefix` of settings.ts.
 */
export class Keys {
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** Set of the names of all models. */
  modelNames(): string {
    return `${this.#prefix}:models`;
  }

  /** Hash: version number -> JSON about it. */
  modelVersions(name: string): string {
    return `${this.#prefix}:model:{${name}}:versions`;
  }

  /** Hash: digest -> version number. */
  modelDigests(name: string): string {
    return `${this.#prefix}:model:{${name}}:digests`;
  }

  /** The last version number given; a number is never given twice. */
  modelCounter(name: string): string {
    return `${this.#prefix}:model:{${name}}:counter`;
  }

  /** A model document, canonical JSON, compressed; by content, so that it cannot be overwritten by another. */
  modelBlock(name: string, digest: string): string {
    return `${this.#prefix}:model:{${name}}:${digest}`;
  }

  /** Hash: the manifest and the totals of a batch. */
  batch(id: string): string {
    return `${this.#prefix}:batch:{${id}}`;
  }

  /** Hash: chunk index -> JSON with its rows' digest and its state. */
  batchChunks(id: string): string {
    return `${this.#prefix}:batch:{${id}}:chunks`;
  }

  /** Stream: one entry for each chunk that is done or has failed; who waits for results wakes up by it. */
  batchNews(id: string): string {
    return `${this.#prefix}:batch:{${id}}:news`;
  }

  /** The input rows of a chunk, compressed; gone once its results are stored. */
  batchRows(id: string, chunk: number): string {
    return `${this.#prefix}:batch:{${id}}:rows:${chunk}`;
  }

  /** The results of a chunk, NDJSON, compressed. */
  batchResults(id: string, chunk: number): string {
    return `${this.#prefix}:batch:{${id}}:results:${chunk}`;
  }

  /** Hash: cost bucket -> how many found rows cost that; a sketch that any number of chunks add to. */
  batchCosts(id: string): string {
    return `${this.#prefix}:batch:{${id}}:costs`;
  }

  /** Hash: id of a batch that is not over -> JSON with its model, policy and since when. */
  openBatches(): string {
    return `${this.#prefix}:batches`;
  }

  /** Hash about the rows of a plan that were answered in a span of time; what begins alike are its buckets of row keys. */
  once(plan: string, generation: number): string {
    return `${this.#prefix}:once:{${plan}}:${generation}`;
  }

  /** The one answer to a job, by the job's content key. */
  answer(jobKey: string): string {
    return `${this.#prefix}:answer:${jobKey}`;
  }

  /** The answer to an event under the id that its producer chose. */
  result(id: string): string {
    return `${this.#prefix}:result:${id}`;
  }

  /** Stream of the answers to events. */
  results(): string {
    return `${this.#prefix}:results`;
  }
}
