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

  /** Hash: name of a schedule -> its document. */
  schedules(): string {
    return `${this.#prefix}:schedules`;
  }

  /** Hash: time of a run -> JSON about it. */
  scheduleRuns(name: string): string {
    return `${this.#prefix}:schedule:{${name}}:runs`;
  }

  /** Hash: path of an input file -> JSON with its digest and the batch it became. */
  scheduleFiles(name: string): string {
    return `${this.#prefix}:schedule:{${name}}:files`;
  }

  /** Sorted set: path of an input file, by when it was last there. */
  scheduleSeen(name: string): string {
    return `${this.#prefix}:schedule:{${name}}:seen`;
  }

  /** Hash: batch -> JSON about the file that its results were written to. */
  scheduleDeliveries(name: string): string {
    return `${this.#prefix}:schedule:{${name}}:deliveries`;
  }
}
