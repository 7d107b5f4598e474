/** Everything that a report shows. */
import type { SummaryDocument } from '../../documents/summary-document.js';
import type { AcceptBand } from './charts/recourse-map.js';
import type { Labels } from './labels.js';
import type { PeopleRows } from './people.js';

export interface Report {
  readonly summary: SummaryDocument;
  readonly labels: Labels;
  readonly people: PeopleRows;
  /** The scores that the target needs, if known. */
  readonly band: AcceptBand | undefined;
  /** The unit of costs: `units of the MAD`. Empty: not known. */
  readonly costUnit: string;
  /** The name of the results. */
  readonly source: string;
  /** The version of this package. */
  readonly software: string;
  readonly created: Date;
  readonly seed: number;
}
