/** The stored result of a record. Undefined: the result has expired, or another result has its place. */
import type { RecordedAnswer } from '../../documents/audit-document.js';
import { inputDigest } from '../../documents/digest.js';
import type { ResultDocument } from '../../documents/result-document.js';
import type { Store } from '../../store/store.js';

/** A result is of the record if row, target, model and policy are the same. */
function isOfRecord(
  { id, factual, target, model, policy }: ResultDocument,
  { record, model: ofModel, policy: ofPolicy }: RecordedAnswer,
): boolean {
  const input = factual && inputDigest(factual.features, target);
  return (
    id === record.id && input === record.input && model.digest === ofModel.digest && policy.digest === ofPolicy.digest
  );
}

/** `findAnswer`: the stored answer to an event by its id, as JSON. */
export async function resultOfRecord(
  store: Store,
  record: RecordedAnswer,
  findAnswer: (id: string) => Promise<string | undefined>,
): Promise<ResultDocument | undefined> {
  const text = record.source === 'batch' ? await lineOfBatch(store, record) : await findAnswer(record.record.id);
  const result = text ? (JSON.parse(text) as ResultDocument) : undefined;
  return result && isOfRecord(result, record) ? result : undefined;
}

/** The job of a chunk is `batch@generation:chunk`. The records of an entry have the order of the rows. */
async function lineOfBatch(store: Store, { job, batch, index }: RecordedAnswer): Promise<string | undefined> {
  const chunk = Number(job.slice(job.lastIndexOf(':') + 1));
  if (batch === undefined || !Number.isSafeInteger(chunk)) return undefined;
  const [found] = await store.batches.chunks(batch, chunk, 1);
  if (found?.state !== 'done') return undefined;
  return (await store.results.chunkResults(batch, chunk, found.results)).toString().split('\n')[index];
}
