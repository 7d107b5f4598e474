/**
 * The file of a delivery, from the `output` of its schedule:
 *
 *   outbox              outbox/INPUT.BATCH.ndjson
 *   outbox/*.csv        outbox/INPUT.BATCH.csv
 *   outbox/all-*.csv    outbox/all-INPUT.BATCH.csv
 *
 * `*` stands for the name of the input without its ending, and the id of the batch. The ending decides the format.
 */
import { basename, dirname, join, parse } from 'node:path';
import { ElsewiseError } from '../../documents/error.js';
import type { ResultDetail } from '../../explain/result.js';
import { lineFormat } from '../results/output-file.js';
import { FILE_ENDING } from '../rows/endings.js';

const STAR = '*';

/** Refuses an output whose files would overwrite one another, and an ending or detail that no results have. */
export function checkOutput(output: string, detail: ResultDetail): void {
  const refuse = (message: string) => new ElsewiseError('usage', `--output ${output}: ${message}`);
  const stars = output.split(STAR).length - 1;
  if (stars > 1 || dirname(output).includes(STAR)) throw refuse('give one * in the name of the file');
  if (stars === 0 && FILE_ENDING.test(output))
    throw refuse(`give a folder, or a name with *, such as ${join(dirname(output), `*${parse(output).ext}`)}`);
  lineFormat(deliveryPath(output, 'rows.csv', 'batch'), detail);
}

/** A path without * is a folder. */
export function deliveryPath(output: string, input: string, batch: string): string {
  const name = `${parse(input).name}.${batch}`;
  if (!basename(output).includes(STAR)) return join(output, `${name}.ndjson`);
  return join(
    dirname(output),
    basename(output).replace(STAR, () => name),
  );
}
