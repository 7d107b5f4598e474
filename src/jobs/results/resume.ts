/**
 * `--resume`: the progress of an interrupted run, read from its output alone. Whole rows count. An incomplete last line is cut off. A row
 * of CSV has a line per answer, and nothing tells which line is its last: the last row of CSV is answered again. The last line,
 * or the header of brief lines, names model and policy: results of different runs are never mixed in one file.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { ElsewiseError } from '../../documents/error.js';
import type { LoadedModel } from '../../models/load.js';
import type { Policy } from '../../policy/policy.js';
import { splitFields } from '../rows/csv.js';
import type { OutputFormat } from '../threads/messages.js';
import { planDigest } from '../threads/shared-documents.js';
import { briefId } from './brief-line.js';
import { createResultWriter } from './result-lines.js';

export interface ResumePoint {
  /** Rows that are kept. */
  readonly rows: number;
  /** The position of the next row. */
  readonly bytes: number;
  /** The id of the last row that is kept, as the output spells it. */
  readonly lastId: string | undefined;
  /** The id of the row behind the kept rows, which is answered again. Undefined: the output ends with the kept rows. */
  readonly againId?: string;
}

const OTHER_PLAN = 'it was made with another model, policy or option; give the same ones, or another output';
/** The header of CSV names features, those that may change, and levers. */
const OTHER_HEADER: Partial<Record<OutputFormat, string>> = {
  csv: 'its header does not fit: it was made with another model, policy or option; give the same ones, or another output',
};

/** The beginning of each line with a whole result. */
const FULL_START = '{"schema":"elsewise.result/v1","id":';

const FROM_START: ResumePoint = { rows: 0, bytes: 0, lastId: undefined };

/** Throws if the file was made with another model or policy. A missing file resumes from the start. */
export async function findResumePoint(
  path: string,
  format: OutputFormat,
  model: LoadedModel,
  policy: Policy,
): Promise<ResumePoint> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new ElsewiseError('bad-input', `cannot be read: ${error.message}`, path);
  });
  if (!file) return FROM_START;
  try {
    return await inspect(file, path, format, model, policy);
  } finally {
    await file.close();
  }
}

async function inspect(
  file: FileHandle,
  path: string,
  format: OutputFormat,
  model: LoadedModel,
  policy: Policy,
): Promise<ResumePoint> {
  const { header } = createResultWriter(format, model, policy);
  const headerLines = header === '' ? 0 : 1;
  const lines = await findLines(file, format, headerLines);
  const foreign = (what: string) => new ElsewiseError('conflict', `cannot be resumed: ${what}`, path);
  if (lines.count === 0) {
    if (!(await isTornStart(file, Buffer.from(header || FULL_START)))) throw foreign('it has no results');
    return FROM_START;
  }
  if (header !== '' && (await readText(file, 0, Buffer.byteLength(header))) !== header) {
    throw foreign(OTHER_HEADER[format] ?? OTHER_PLAN);
  }
  if (lines.count === headerLines) return { rows: 0, bytes: lines.end, lastId: undefined };
  const last = readLine[format](await readText(file, lines.lastStart, lines.end - lines.lastStart));
  if (!last) throw foreign('its last line is no result');
  if (last.plan !== undefined && last.plan !== planDigest(model.digest, policy.digest)) throw foreign(OTHER_PLAN);
  const { rows, rowStart, end } = lines;
  if (format !== 'csv') return { rows, bytes: end, lastId: last.id };
  const kept =
    rows > 1 ? readLine[format](await readText(file, lines.keptStart, rowStart - lines.keptStart)) : undefined;
  return { rows: rows - 1, bytes: rowStart, lastId: kept?.id, againId: last.id };
}

/** Whether a file without a whole line is an output that was cut off: another file would be lost. */
async function isTornStart(file: FileHandle, start: Buffer): Promise<boolean> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(start.length), 0, start.length, 0);
  return buffer.subarray(0, bytesRead).equals(start.subarray(0, bytesRead));
}

interface Lines {
  count: number;
  /** Start of the last whole line. */
  lastStart: number;
  /** Position after the last whole line. */
  end: number;
  /** Rows that have a whole line, without the header. */
  rows: number;
  /** Start of the last row. */
  rowStart: number;
  /** Start of the last line before the last row. */
  keptStart: number;
}

const LF = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;
const ZERO = 0x30;
const READ_BYTES = 1 << 18;
/** The column `answer` of CSV. The first line of a row has 1 there, or nothing. */
const ANSWER_COLUMN = 2;

/** The file was written by this program, so quotes come in pairs, and a line end within a pair is no line end. */
async function findLines(file: FileHandle, format: OutputFormat, headerLines: number): Promise<Lines> {
  const lines: Lines = { count: 0, lastStart: 0, end: 0, rows: 0, rowStart: 0, keptStart: 0 };
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  const isCsv = format === 'csv';
  let [quoted, column, answer] = [false, 0, 0];
  for (let position = 0; ; ) {
    const { bytesRead } = await file.read(buffer, 0, READ_BYTES, position);
    if (bytesRead === 0) return lines;
    for (let at = 0; at < bytesRead; at++) {
      const byte = buffer[at];
      if (isCsv && byte === QUOTE) quoted = !quoted;
      if (quoted) continue;
      if (byte === LF) {
        addLine(lines, position + at + 1, answer <= 1 && lines.count >= headerLines);
        [column, answer] = [0, 0];
      } else if (isCsv && byte === COMMA) column++;
      else if (isCsv && column === ANSWER_COLUMN && lines.count > 0) answer = 10 * answer + byte - ZERO;
    }
    position += bytesRead;
  }
}

function addLine(lines: Lines, end: number, beginsRow: boolean): void {
  if (beginsRow) {
    lines.rows++;
    lines.keptStart = lines.lastStart;
    lines.rowStart = lines.end;
  }
  lines.count++;
  lines.lastStart = lines.end;
  lines.end = end;
}

async function readText(file: FileHandle, position: number, length: number): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.toString('utf8', 0, bytesRead);
}

interface LineSummary {
  readonly id: string;
  /** Undefined: the header names model and policy. */
  readonly plan?: string;
}

/** The summary of a line; undefined if the line is no result. */
const readLine: Readonly<Record<OutputFormat, (line: string) => LineSummary | undefined>> = {
  ndjson(line) {
    try {
      const { id, model, policy } = JSON.parse(line);
      return { id, plan: planDigest(model.digest, policy.digest) };
    } catch {
      return undefined;
    }
  },
  brief(line) {
    try {
      const id = briefId(line);
      return id === undefined ? undefined : { id };
    } catch {
      return undefined;
    }
  },
  csv(line) {
    const fields: string[] = [];
    const count = splitFields(line.trimEnd(), ',', fields);
    return count > 1 ? { id: fields[0], plan: fields[count - 1] } : undefined;
  },
  cells: () => undefined, // a Parquet file is refused before, see output-file.ts
};
