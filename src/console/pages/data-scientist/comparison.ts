/** Comparisons as the server makes them, and the rows that are compared. */
import type { ComparisonDocument } from '../../../documents/comparison-document.js';
import { request, send } from '../../requests.js';
import { readPopulation } from '../person/population.js';

/** A policy: a reference to the registry, or a document. */
export interface AskedSide {
  readonly model: string;
  readonly policy: unknown;
}

export function askComparison(
  rows: string,
  before: AskedSide,
  after: AskedSide,
  signal: AbortSignal,
): Promise<ComparisonDocument> {
  return request('POST', '/v1/comparisons', { body: { rows, before, after }, signal });
}

/** The rows for a page: `background`, `pasted` or the id of a batch. */
export const BACKGROUND = ':background';
export const PASTED = ':pasted';
const ROWS = 100;

export async function listBatches(signal: AbortSignal): Promise<string[]> {
  const { batches } = await request<{ batches: { id: string; answered: number }[] }>('GET', '/v1/batches', { signal });
  return batches.filter(({ answered }) => answered > 0).map(({ id }) => id);
}

/** Up to a hundred rows as NDJSON, drawn by a fixed seed. Empty: there are none. */
export async function readRows(source: string, model: string, signal: AbortSignal): Promise<string> {
  if (source !== BACKGROUND)
    return (await send('GET', `/v1/batches/${encodeURIComponent(source)}/rows?rows=${ROWS}`, { signal })).text();
  const { rows } = await readPopulation(model, ROWS, signal);
  return rows.map((features, k) => `${JSON.stringify({ id: `background-${k + 1}`, features })}\n`).join('');
}
