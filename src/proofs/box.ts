/** A box of rows: some features vary within a domain, the others stay as they are in one point of it. */
import type { Domain } from '../policy/domain.js';

export interface Box {
  /** What features may be: those that do not vary have one value. */
  readonly domain: Domain;
  /** By feature. */
  readonly varies: Uint8Array;
  /** The point, in columns as the model reads them: missing values are NaN. */
  readonly at: Float64Array;
}
