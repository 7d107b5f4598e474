/** The file that runs in the thread of a table: it decodes a Parquet file, writes results as CSV, Parquet or short lines, or
 * summarises them as a document or as a report. */
import { read } from 'node:fs';
import { promisify } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';
import { ElsewiseError } from '../../documents/error.js';
import type { ResultDocument } from '../../documents/result-document.js';
import { thresholdsOf } from '../../models/decision/common-thresholds.js';
import { targetsOf } from '../../policy/target.js';
import { ComparisonCollector } from '../../report/comparison/comparison-collector.js';
import { ReportCollector } from '../../report/html/report-collector.js';
import { type PersonResult, PersonResultReader } from '../../report/summary/person-result.js';
import { SeededSample } from '../../report/summary/seeded-sample.js';
import { SAMPLE_SEED, SummaryCollector } from '../../report/summary/summary-collector.js';
import { asBuffer } from '../../store/codec/byte-streams.js';
import { readPeople, rowLine } from '../comparison/result-rows.js';
import { ParquetSink } from '../results/parquet-sink.js';
import { createResultWriter } from '../results/result-lines.js';
import { createResultTable, tableLayout } from '../results/result-table.js';
import { type ParquetRows, readParquet } from '../rows/parquet-rows.js';
import { loadStored } from '../threads/shared-documents.js';
import type {
  ComparisonWork,
  ReadTableWork,
  ReportWork,
  SummaryWork,
  TablePart,
  TableReply,
  TableRequest,
  TableWork,
  WriteTableWork,
} from './table-messages.js';

type Step = (results: Uint8Array) => Promise<TablePart>;
type TableSteps = Readonly<Record<Exclude<TableRequest['step'], 'turn'>, Step>> & { readonly turn?: Step };

const EMPTY = new Uint8Array();
const readFile = promisify(read);

const OPEN: { readonly [W in TableWork as W['kind']]: (work: W) => TableSteps } = {
  read: readTable,
  write: writeTable,
  summarise,
  report,
  compare,
};

const steps = OPEN[(workerData as TableWork).kind](workerData as never);

parentPort!.on('message', async ({ step, results = EMPTY }: TableRequest) => {
  const reply = await steps[step]!(results).then((part): TableReply => ({ part }), refusalOf);
  const buffers = 'part' in reply && reply.part.bytes.length > 0 ? [reply.part.bytes.buffer as ArrayBuffer] : [];
  parentPort!.postMessage(reply, buffers);
});

/** Other errors end the thread: the main thread is told of its end. */
function refusalOf(error: unknown): TableReply {
  if (!(error instanceof ElsewiseError)) throw error;
  const { code, path, detail, faults } = error;
  return { refusal: { code, message: detail, path, faults } };
}

function readTable({ file, name, features }: ReadTableWork): TableSteps {
  const readAt = async (start: number, end: number) => {
    const bytes = new Uint8Array(end - start);
    await readFile(file.fd, bytes, 0, bytes.length, start);
    return bytes.buffer;
  };
  let rows: ParquetRows;
  return {
    async begin() {
      rows = await readParquet({ bytes: file.bytes, readAt }, name, features);
      return { bytes: EMPTY, warnings: rows.warnings };
    },
    async step() {
      const { done, value } = await rows.lines.next();
      return done ? { bytes: EMPTY, isEnd: true } : { bytes: ownBytes(value) };
    },
    end: async () => ({ bytes: EMPTY }),
  };
}

function writeTable({ format, model: stored, policy }: WriteTableWork): TableSteps {
  const model = loadStored(stored);
  const writer = createResultWriter(format === 'parquet' ? 'cells' : format, model, policy);
  const lines = (results: Uint8Array) =>
    asBuffer(results)
      .toString()
      .split('\n')
      .map((line) => (line === '' ? '' : writer.line(JSON.parse(line) as ResultDocument)))
      .join('');
  if (format !== 'parquet')
    return {
      begin: async () => ({ bytes: ownBytes(Buffer.from(writer.header)) }),
      step: async (results) => ({ bytes: ownBytes(Buffer.from(lines(results))) }),
      end: async () => ({ bytes: EMPTY }),
    };
  const { columns } = createResultTable(tableLayout(model, policy));
  let written: Uint8Array[] = [];
  const taken = (): TablePart => {
    const bytes = ownBytes(Buffer.concat(written));
    written = [];
    return { bytes };
  };
  const opening = ParquetSink.open(
    { write: async (bytes) => void written.push(bytes), close: async () => {} },
    columns,
  );
  return {
    begin: async () => ({ bytes: EMPTY }),
    step: async (results) => {
      await (await opening).write(Buffer.from(lines(results)));
      return taken();
    },
    end: async () => {
      await (await opening).close();
      return taken();
    },
  };
}

function summarise({ options }: SummaryWork): TableSteps {
  const [collector, reader] = [new SummaryCollector(options), new PersonResultReader()];
  return {
    begin: async () => ({ bytes: EMPTY }),
    async step(results) {
      for (const line of asBuffer(results).toString().split('\n')) {
        const person = line === '' ? undefined : reader.read(line);
        if (person) collector.add(person);
      }
      return { bytes: EMPTY };
    },
    end: async () => ({ bytes: ownBytes(Buffer.from(JSON.stringify(collector.summarise()))) }),
  };
}

function report({ options, model: stored, policy, source, software, created }: ReportWork): TableSteps {
  const loaded = loadStored(stored);
  const facts = {
    classes: loaded.classes,
    features: loaded.document.features,
    thresholds: thresholdsOf(loaded),
    bands: loaded.bands,
  };
  const collector = new ReportCollector(options, { model: facts, policy: policy.document });
  let number = 0;
  return {
    begin: async () => ({ bytes: EMPTY }),
    async step(results) {
      for (const line of asBuffer(results).toString().split('\n')) if (line !== '') collector.add(line, ++number);
      return { bytes: EMPTY };
    },
    end: async () => ({ bytes: ownBytes(Buffer.from(collector.finish({ source, software, created }).page)) }),
  };
}

/** The second side has the people of `turn`, in the same order. */
function compare({ options, policy, most }: ComparisonWork): TableSteps {
  const collector = new ComparisonCollector(options);
  const drawn = new SeededSample<PersonResult>(most, options.seed ?? SAMPLE_SEED);
  const readers = [new PersonResultReader(), new PersonResultReader()];
  let [number, isSecond, at] = [0, false, 0];
  let people: readonly PersonResult[] = [];
  const first = (person: PersonResult) => {
    number++;
    if (collector.read(person)) drawn.offer(number, () => person);
  };
  const second = (person: PersonResult) => collector.add(people[at++], person);
  return {
    begin: async () => ({ bytes: EMPTY }),
    async step(results) {
      for (const person of readPeople(readers[Number(isSecond)], results)) (isSecond ? second : first)(person);
      return { bytes: EMPTY };
    },
    async turn() {
      isSecond = true;
      people = drawn.take();
      const rows = people.map((person) => rowLine(person, targetsOf(policy))).join('');
      return { bytes: ownBytes(Buffer.from(rows)) };
    },
    end: async () => ({ bytes: ownBytes(Buffer.from(JSON.stringify(collector.summarise(drawn.offered)))) }),
  };
}

/** Bytes with memory of their own, which can be transferred. */
function ownBytes(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}
