/** A box of rows: some features vary within a domain, the others keep their values at one point of the domain. */
import type { Domain } from '../policy/domain.js';

export interface Box {
  /** The permitted values. A feature that does not vary has one value. */
  readonly domain: Domain;
  /** By feature. */
  readonly varies: Uint8Array;
  /** The point, in columns as the model reads them: missing values are NaN. */
  readonly at: Float64Array;
}
