/** The bytes of an ONNX file. A model document is untrusted: only files below the operator's directory are read. */
import { createHash } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { ElsewiseError } from '../../documents/error.js';
import type { ScorerOf } from '../../documents/scorer-document.js';
import { ScorerFault } from '../scorer-fault.js';

const PATH = 'model.parameters.scorer.file';

export interface OnnxFile {
  readonly path: string;
  /** Changes when the file is written again. */
  readonly stamp: string;
}

/** Links are resolved first, so a link out of the directory is refused. */
export async function findOnnxFile(file: string, directory: string): Promise<OnnxFile> {
  if (!directory) throw refused('the setting scoring.modelDirectory (ELSEWISE_SCORING_MODEL_DIRECTORY) is not set');
  const outside = () => refused(`no such file in the directory of the setting scoring.modelDirectory`);
  const root = await realpath(directory).catch(() => {
    throw refused('the directory of the setting scoring.modelDirectory cannot be read');
  });
  const path = await realpath(resolve(root, file)).catch(() => {
    throw outside();
  });
  if (!path.startsWith(root.endsWith(sep) ? root : root + sep)) throw outside();
  const found = await stat(path);
  if (!found.isFile()) throw outside();
  return { path, stamp: `${path} ${found.mtimeMs} ${found.size}` };
}

/** Rejects if the content differs from the document's SHA-256. */
export async function readOnnxFile({ path }: OnnxFile, { sha256 }: ScorerOf<'onnx'>): Promise<Buffer> {
  const bytes = await readFile(path).catch(({ code }: NodeJS.ErrnoException) => {
    throw refused(`the file cannot be read: ${code}`);
  });
  const digest = createHash('sha256').update(bytes).digest('hex');
  if (sha256 === undefined || digest === sha256) return bytes;
  throw new ScorerFault('version', `the SHA-256 of the file is ${digest}, the document says ${sha256}`, false, PATH);
}

function refused(message: string): ElsewiseError {
  return new ElsewiseError('scorer-refused', message, PATH);
}
