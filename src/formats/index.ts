/** THE TABLE of formats: model files of other libraries -> model documents, without probes. A new format is one row. */
import type { ModelDocument } from '../documents/model-document.js';
import { importEbm } from './ebm.js';
import { importLightgbm } from './lightgbm.js';
import { importXgboost } from './xgboost.js';

export interface Format {
  /** The precision of the library's arithmetic, which limits the agreement of our scores. */
  readonly precision: 'float32' | 'float64';
  read(bytes: Uint8Array): ModelDocument;
}

export const formats: ReadonlyMap<string, Format> = new Map([
  ['xgboost', { precision: 'float32', read: importXgboost }],
  ['lightgbm', { precision: 'float64', read: importLightgbm }],
  ['ebm', { precision: 'float64', read: importEbm }],
]);
