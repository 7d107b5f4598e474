/**
 * Two models or policies on the same rows, as a stream. The first side is a file of results, or a run. The second side is a run over the rows
 * of the first, or over the input where its model has other features. Both runs share the threads. Memory holds the people between the two
 * sides, and nobody else.
 */
import { ElsewiseError } from '../../documents/error.js';
import type { LoadedModel } from '../../models/load.js';
import type { Policy } from '../../policy/policy.js';
import { targetsOf } from '../../policy/target.js';
import type { ComparisonCollector } from '../../report/comparison/comparison-collector.js';
import { type PersonResult, PersonResultReader } from '../../report/summary/person-result.js';
import { type BulkJob, type BulkOutput, runBulk } from '../bulk/bulk.js';
import { Conveyor } from '../bulk/conveyor.js';
import type { ByteSource } from '../rows/streams.js';
import { ResultLines } from '../verify/result-lines.js';
import { readPeople, rowLine } from './result-rows.js';

export interface ComparedSide {
  readonly model: LoadedModel;
  readonly policy: Policy;
}

export interface ComparisonJob extends Pick<BulkJob, 'pool' | 'table' | 'signal' | 'onWarning' | 'onProgress'> {
  readonly before: ComparedSide;
  readonly after: ComparedSide;
  readonly collector: ComparisonCollector;
  /** Results of the first side, or rows that the first side solves. */
  readonly source: { readonly results: ByteSource } | { openRows(): Promise<ByteSource> };
}

/** Parts of lines between the runs. */
const PARTS = 4;
const LINES = 200;

export async function compareSides(job: ComparisonJob): Promise<{ readonly interrupted: boolean }> {
  const people = new PeopleInOrder(firstSide(job));
  const hasOwnRows = 'openRows' in job.source && job.before.model.digest !== job.after.model.digest;
  try {
    await (hasOwnRows ? solveInput(job, people) : solveRowsOf(job, people));
  } finally {
    await people.close();
  }
  return { interrupted: job.signal?.aborted ?? false };
}

/** The results of the first side in parts of whole lines. */
function firstSide(job: ComparisonJob): AsyncGenerator<Uint8Array> {
  return 'results' in job.source ? storedParts(job.source.results, job.before) : solvedParts(job, job.source.openRows);
}

async function* storedParts(results: ByteSource, { model, policy }: ComparedSide): AsyncGenerator<Uint8Array> {
  const lines = new ResultLines(results);
  const head = await lines.head();
  if (head && (head.model.digest !== model.digest || head.policy.digest !== policy.digest))
    throw new ElsewiseError(
      'conflict',
      'the first result is of another model or policy: give the model, the policy and the options of the run that made the results',
      results.name,
    );
  for (;;) {
    const part = await lines.take(LINES);
    if (part.length === 0) return;
    yield part;
  }
}

async function* solvedParts(job: ComparisonJob, open: () => Promise<ByteSource>): AsyncGenerator<Uint8Array> {
  const conveyor = new Conveyor<Uint8Array>(PARTS);
  const write = async (bytes: Uint8Array) => {
    if (!(await conveyor.put(bytes))) throw new ElsewiseError('interrupted', 'the second run has ended');
  };
  const output = outputTo(write, async () => conveyor.end());
  const run = open().then((input) => runBulk({ ...job, ...job.before, kind: 'explain', input, output }));
  run.catch(() => {}).finally(() => conveyor.end()); // reported below
  try {
    yield* conveyor;
    await run;
  } finally {
    conveyor.end();
  }
}

const outputTo = (write: (bytes: Uint8Array) => Promise<void>, close: () => Promise<void>): BulkOutput => ({
  format: 'ndjson',
  header: '',
  open: async () => ({ write, close }),
});

/** The second side solves the rows that the results of the first side repeat. */
async function solveRowsOf({ source: _, ...job }: ComparisonJob, people: PeopleInOrder): Promise<void> {
  const { after, before, collector } = job;
  const targets = targetsOf(before.policy.document);
  const open: PersonResult[] = [];
  async function* rows(): AsyncGenerator<Uint8Array> {
    for (let part = await people.part(); part; part = await people.part()) {
      const asked = part.filter((person) => collector.read(person));
      open.push(...asked);
      yield Buffer.from(asked.map((person) => rowLine(person, targets)).join(''));
    }
  }
  const reader = new PersonResultReader();
  const write = async (bytes: Uint8Array) => {
    for (const person of readPeople(reader, bytes)) collector.add(open.shift()!, person);
  };
  const input = { name: 'rows.ndjson', bytes: rows(), size: undefined };
  const onWarning = undefined; // the rows are made here
  await runBulk({ ...job, ...after, onWarning, table: {}, kind: 'explain', input, output: outputTo(write, nothing) });
}

/** The second side solves the input by itself. */
async function solveInput({ source, ...job }: ComparisonJob, people: PeopleInOrder): Promise<void> {
  const { after, collector } = job;
  const reader = new PersonResultReader();
  let open: PersonResult[] = [];
  const write = async (bytes: Uint8Array) => {
    for (const person of readPeople(reader, bytes)) {
      if (open.length === 0) open = (await people.part()) ?? [];
      const before = open.shift();
      if (!before) throw new ElsewiseError('conflict', 'the second model reads more rows than the first');
      collector.read(before);
      collector.add(before, person);
    }
  };
  const input = await (source as { openRows(): Promise<ByteSource> }).openRows();
  await runBulk({ ...job, ...after, kind: 'explain', input, output: outputTo(write, nothing) });
}

const nothing = async (): Promise<void> => {};

class PeopleInOrder {
  readonly #parts: AsyncGenerator<Uint8Array>;
  readonly #reader = new PersonResultReader();

  constructor(parts: AsyncGenerator<Uint8Array>) {
    this.#parts = parts;
  }

  /** The next people, at least one; undefined at the end. */
  async part(): Promise<PersonResult[] | undefined> {
    for (;;) {
      const { done, value } = await this.#parts.next();
      if (done) return undefined;
      const people = [...readPeople(this.#reader, value)];
      if (people.length) return people;
    }
  }

  async close(): Promise<void> {
    await this.#parts.return(undefined);
  }
}
