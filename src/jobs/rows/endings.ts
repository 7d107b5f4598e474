/** The format of a file by the ending of its name. An unknown ending is refused: its content would be guessed. */
import { extname } from 'node:path';
import { ElsewiseError } from '../../documents/error.js';

export type FileFormat = 'ndjson' | 'csv' | 'parquet';

type Endings = Readonly<Record<string, FileFormat>>;

const WRITTEN: Endings = { '.ndjson': 'ndjson', '.jsonl': 'ndjson', '.csv': 'csv', '.parquet': 'parquet' };
const READ: Endings = { ...WRITTEN, '.tsv': 'csv' };

/** A name with an ending of results. */
export const FILE_ENDING = new RegExp(
  `\\.(?:${Object.keys(WRITTEN)
    .map((ending) => ending.slice(1))
    .join('|')})$`,
  'i',
);

/** Undefined: the name has no ending. */
export function inputFormat(name: string): FileFormat | undefined {
  const ending = endingOf(name);
  if (ending !== undefined && !Object.hasOwn(READ, ending))
    throw new ElsewiseError('bad-input', refusal(ending, READ), name);
  return ending === undefined ? undefined : READ[ending];
}

/** Standard output and names without an ending are NDJSON. */
export function outputFormat(path: string): FileFormat {
  const ending = endingOf(path);
  if (ending !== undefined && !Object.hasOwn(WRITTEN, ending))
    throw new ElsewiseError('usage', `--output ${path}: ${refusal(ending, WRITTEN)}`);
  return ending === undefined ? 'ndjson' : WRITTEN[ending];
}

function endingOf(name: string): string | undefined {
  const ending = extname(name).toLowerCase();
  return /^\.[a-z]/.test(ending) ? ending : undefined;
}

function refusal(ending: string, endings: Endings): string {
  return `the ending ${ending} is not known: give one of ${Object.keys(endings).join(', ')}`;
}
