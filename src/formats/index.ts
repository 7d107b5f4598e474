/** THE TABLE of formats: model files of other libraries -> model documents, without probes. A new format is one row. */
import { importCatboost } from './catboost/catboost.js';
import { importEbm } from './ebm.js';
import type { Format, FormatOptions } from './format.js';
import { importLightgbm } from './lightgbm/lightgbm.js';
import { importPmml } from './pmml/pmml.js';
import { importScorecard } from './scorecards/scorecard.js';
import { importXgboost } from './xgboost/xgboost.js';

const BOOSTER: readonly (keyof FormatOptions)[] = ['output', 'treeNodes'];
const SCORECARD: readonly (keyof FormatOptions)[] = [
  'baseScore',
  'cutOff',
  'pointsToDouble',
  'odds',
  'oddsPoints',
  'specialCodes',
];

export const formats: ReadonlyMap<string, Format> = new Map<string, Format>([
  ['xgboost', { precision: 'float32', takes: BOOSTER, read: importXgboost }],
  ['lightgbm', { precision: 'float64', takes: BOOSTER, read: importLightgbm }],
  ['catboost', { precision: 'float64', takes: BOOSTER, read: importCatboost }],
  ['ebm', { precision: 'float64', takes: [], read: importEbm }],
  ['pmml', { precision: 'float64', takes: ['treeNodes'], read: importPmml }],
  ['scorecard', { precision: 'float64', takes: SCORECARD, read: importScorecard }],
]);
