/**
 * Every Redis key of elsewise. Keys that one script touches together share the hash tag in braces and lie in one slot of a Redis
 * Cluster: all keys of a model, of a policy, of a batch, of a schedule. BullMQ's own keys are under `queuePrefix` of settings.ts.
 */
export class Keys {
  readonly models: RegistryKeys;
  readonly policies: RegistryKeys;
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix;
    this.models = new RegistryKeys(`${prefix}:models`, `${prefix}:model`);
    this.policies = new RegistryKeys(`${prefix}:policies`, `${prefix}:policy`);
  }

  /** Hash: batch id -> JSON with the model and the policy that it uses, from its creation until it is over. */
  openBatches(): string {
    return `${this.#prefix}:batches`;
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

  /** The results of a chunk as typed columns, compressed with Brotli (store/codec/result-block.ts). */
  batchResults(id: string, chunk: number): string {
    return `${this.#prefix}:batch:{${id}}:results:${chunk}`;
  }

  /** Hash: cost bucket -> how many found rows cost that; a sketch that any number of chunks add to. */
  batchCosts(id: string): string {
    return `${this.#prefix}:batch:{${id}}:costs`;
  }

  /** Hash about the rows of a plan that were answered in a span of time; what begins alike are its buckets of row keys. */
  knownRows(plan: string, epoch: number): string {
    return `${this.#prefix}:known-rows:{${plan}}:${epoch}`;
  }

  /** The one answer to a job, by the job's content key. */
  answer(jobKey: string): string {
    return `${this.#prefix}:answer:${jobKey}`;
  }

  /** The answer to an event under the id that its producer chose. */
  result(id: string): string {
    return `${this.#prefix}:result:${id}`;
  }

  /** The job of an event whose sender was told to come back for the answer. */
  pending(id: string): string {
    return `${this.#prefix}:pending:${id}`;
  }

  /** Stream of the answers to events. */
  results(): string {
    return `${this.#prefix}:results`;
  }

  /** Channel: told of every event that was answered or given up, for those who wait. */
  answered(): string {
    return `${this.#prefix}:answered`;
  }

  /** Stream: events of producers without BullMQ, see request-lane.ts. */
  requests(): string {
    return `${this.#prefix}:requests`;
  }

  /** Hash: id -> dead letter. */
  dead(): string {
    return `${this.#prefix}:{dead}`;
  }

  /** Sorted set: id of a dead letter by the time of its death. */
  deadTimes(): string {
    return `${this.#prefix}:{dead}:times`;
  }

  /** Set: names of schedules. */
  scheduleNames(): string {
    return `${this.#prefix}:schedule-names`;
  }

  /** The document of a schedule. The records of the schedule are kept while the document exists. */
  schedule(name: string): string {
    return `${this.#prefix}:schedule:{${name}}`;
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

/** Of a registry of documents with versions: models, policies. */
export class RegistryKeys {
  readonly #names: string;
  readonly #one: string;

  constructor(names: string, one: string) {
    this.#names = names;
    this.#one = one;
  }

  /** Set of all names ever pushed; one whose versions were all removed stays in it. */
  names(): string {
    return this.#names;
  }

  /** Hash: version number -> JSON about it. */
  versions(name: string): string {
    return `${this.#one}:{${name}}:versions`;
  }

  /** Hash: digest -> version number. */
  digests(name: string): string {
    return `${this.#one}:{${name}}:digests`;
  }

  /** Hash: alias -> version number. */
  aliases(name: string): string {
    return `${this.#one}:{${name}}:aliases`;
  }

  /** The last version number given; a number is never given twice. */
  counter(name: string): string {
    return `${this.#one}:{${name}}:counter`;
  }

  /** Counts the uses of a version by new batches: a removal that saw an older count looks again. */
  uses(name: string): string {
    return `${this.#one}:{${name}}:uses`;
  }

  /** A document, canonical JSON, compressed; by content, so that it cannot be overwritten by another. */
  block(name: string, digest: string): string {
    return `${this.#one}:{${name}}:${digest}`;
  }
}
