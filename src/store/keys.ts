/**
 * Every Redis key of elsewise. The keys of one script share the hash tag in braces and lie in one slot of a Redis Cluster: all keys of a
 * model, of a policy, of a batch, of a schedule. BullMQ's own keys are under `queuePrefix` of settings.ts.
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

  /** Hash: batch id -> JSON with its model and policy, from the creation of the batch until its end. */
  openBatches(): string {
    return `${this.#prefix}:batches`;
  }

  /** Sorted set: batch id by the time of its creation in ms. */
  batchTimes(): string {
    return `${this.#prefix}:batch-times`;
  }

  /** Hash: the manifest and the totals of a batch. */
  batch(id: string): string {
    return `${this.#prefix}:batch:{${id}}`;
  }

  /** Hash: chunk index -> JSON with its rows' digest and its state. */
  batchChunks(id: string): string {
    return `${this.#prefix}:batch:{${id}}:chunks`;
  }

  /** Stream: one entry for each chunk that is done or has failed. It wakes readers that wait for results. */
  batchNews(id: string): string {
    return `${this.#prefix}:batch:{${id}}:news`;
  }

  /** The compressed input rows of a chunk. Deleted once the results are stored. */
  batchRows(id: string, chunk: number): string {
    return `${this.#prefix}:batch:{${id}}:rows:${chunk}`;
  }

  /** The results of a chunk as typed columns, compressed with Brotli (store/codec/result-block.ts). */
  batchResults(id: string, chunk: number): string {
    return `${this.#prefix}:batch:{${id}}:results:${chunk}`;
  }

  /** Hash: cost bucket -> number of found rows with that cost, a sketch to which any number of chunks add. */
  batchCosts(id: string): string {
    return `${this.#prefix}:batch:{${id}}:costs`;
  }

  /** Hash about the rows of a plan that were answered in an epoch. Its buckets of row keys have the same prefix. */
  knownRows(plan: string, epoch: number): string {
    return `${this.#prefix}:known-rows:{${plan}}:${epoch}`;
  }

  /** The beginning of all keys of known rows. */
  allKnownRows(): string {
    return `${this.#prefix}:known-rows:`;
  }

  /** The one answer to a job, by the job's content key. */
  answer(jobKey: string): string {
    return `${this.#prefix}:answer:${jobKey}`;
  }

  /** The answer to an event under the id that its producer chose. */
  result(id: string): string {
    return `${this.#prefix}:result:${id}`;
  }

  /** The job of an event whose sender was told to fetch the answer later. */
  pending(id: string): string {
    return `${this.#prefix}:pending:${id}`;
  }

  /** Stream of the answers to events. */
  results(): string {
    return `${this.#prefix}:results`;
  }

  /** Channel: a message for every event that was answered or given up, for waiting clients. */
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

  /** Hash: id of a dead letter -> its group. */
  deadGroupOf(): string {
    return `${this.#prefix}:{dead}:group-of`;
  }

  /** Sorted set, by text: `<group>:<time>:<id>` of each dead letter. */
  deadIndex(): string {
    return `${this.#prefix}:{dead}:index`;
  }

  /** Hash: group of dead letters -> JSON with its code, model, policy and latest message. */
  deadGroups(): string {
    return `${this.#prefix}:{dead}:groups`;
  }

  /** Stream: the actions of operators. */
  actions(): string {
    return `${this.#prefix}:actions`;
  }

  /** Hash: id -> JSON of a bulk operation on dead letters. */
  operations(): string {
    return `${this.#prefix}:operations`;
  }

  /** The process that works on a bulk operation. The key expires when the process dies. */
  operationLease(id: string): string {
    return `${this.#prefix}:operation:${id}:lease`;
  }

  /** Exists after a person asked to stop a bulk operation. */
  operationStop(id: string): string {
    return `${this.#prefix}:operation:${id}:stop`;
  }

  /** Hash: id -> JSON of the last heartbeat of a worker. */
  workers(): string {
    return `${this.#prefix}:workers`;
  }

  /** Exists while a worker sends heartbeats. */
  workerAlive(id: string): string {
    return `${this.#prefix}:worker:${id}`;
  }

  /** The token of a session of the console, by the hash of the session's id. */
  session(idHash: string): string {
    return `${this.#prefix}:session:${idHash}`;
  }

  /** The number of failed sign-ins from an address in a minute. */
  failedSignIns(address: string): string {
    return `${this.#prefix}:failed-sign-ins:${address}`;
  }

  /** Hash: digest, number and day of the last entry of the audit. All keys of the audit share one slot. */
  auditHead(): string {
    return `${this.#prefix}:{audit}`;
  }

  /** Hash: day -> JSON with its digests and counts. It stays when the entries of the day are dropped. */
  auditDays(): string {
    return `${this.#prefix}:{audit}:days`;
  }

  /** List: the entries of a day. */
  auditEntries(day: string): string {
    return `${this.#prefix}:{audit}:entries:${day}`;
  }

  /** Hash: digest -> JSON of the policies of a day that no registry has. */
  auditPolicies(day: string): string {
    return `${this.#prefix}:{audit}:policies:${day}`;
  }

  /** Hash: job -> the place of its entry in the list of the day, from 0. */
  auditPlaces(day: string): string {
    return `${this.#prefix}:{audit}:places:${day}`;
  }

  /** Set: the jobs of a day that have entries, as earlier versions wrote them. */
  auditJobs(day: string): string {
    return `${this.#prefix}:{audit}:jobs:${day}`;
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

  /** Sorted set: path of an input file, by the time at which it was last seen. */
  scheduleSeen(name: string): string {
    return `${this.#prefix}:schedule:{${name}}:seen`;
  }

  /** Hash: batch -> JSON about the file that its results were written to. */
  scheduleDeliveries(name: string): string {
    return `${this.#prefix}:schedule:{${name}}:deliveries`;
  }
}

/** Keys of a registry of versioned documents: models, policies. */
export class RegistryKeys {
  readonly #names: string;
  readonly #one: string;

  constructor(names: string, one: string) {
    this.#names = names;
    this.#one = one;
  }

  /** Set of all names ever pushed. A name whose versions were all removed stays in the set. */
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

  /** The last version number. A number is never given twice. */
  counter(name: string): string {
    return `${this.#one}:{${name}}:counter`;
  }

  /** Counts the uses of a version by new batches: a removal that saw an older count checks again. */
  uses(name: string): string {
    return `${this.#one}:{${name}}:uses`;
  }

  /** A compressed document, canonical JSON. The key contains the digest, so no other document can overwrite it. */
  block(name: string, digest: string): string {
    return `${this.#one}:{${name}}:${digest}`;
  }
}
