/** THE TABLE of formats: model files of other libraries -> model documents, without probes. A new format is one row. */
import { importEbm } from './ebm.js';
import type { Format } from './format.js';
import { importLightgbm } from './lightgbm.js';
import { importScorecard } from './scorecards/scorecard.js';
import { importXgboost } from './xgboost.js';

export const formats: ReadonlyMap<string, Format> = new Map<string, Format>([
  ['xgboost', { precision: 'float32', read: importXgboost }],
  ['lightgbm', { precision: 'float64', read: importLightgbm }],
  ['ebm', { precision: 'float64', read: importEbm }],
  [
    'scorecard',
    {
      precision: 'float64',
      takes: ['baseScore', 'cutOff', 'pointsToDouble', 'odds', 'oddsPoints', 'specialCodes'],
      read: importScorecard,
    },
  ],
]);
