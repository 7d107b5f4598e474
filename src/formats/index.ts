/** THE TABLE of formats: model files of other libraries -> model documents, without probes. A new format is one row. */
import { importCatboost } from './catboost/catboost.js';
import { importEbm } from './ebm.js';
import type { Format, FormatOptions } from './format.js';
import { importLightgbm } from './lightgbm/lightgbm.js';
import { importOnnx } from './onnx/onnx.js';
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
  ['xgboost', { precision: 'float32', takes: BOOSTER, mark: /^\{[\s\S]*learner/, read: importXgboost }],
  ['lightgbm', { precision: 'float64', takes: BOOSTER, mark: /^tree\r?\n|"name"\s*:\s*"tree"/, read: importLightgbm }],
  [
    'catboost',
    {
      precision: 'float64',
      takes: BOOSTER,
      mark: /^CBM1|"(features_info|oblivious_trees|cat_boost|model_info)"/,
      read: importCatboost,
    },
  ],
  ['onnx', { precision: 'float32', takes: BOOSTER, mark: /^\p{Cc}{2}/u, read: importOnnx }],
  ['ebm', { precision: 'float64', takes: [], mark: /"ebm"\s*:/, read: importEbm }],
  ['pmml', { precision: 'float64', takes: ['treeNodes'], mark: /<(\w+:)?PMML[\s>]/, read: importPmml }],
  ['scorecard', { precision: 'float64', takes: SCORECARD, read: importScorecard }],
]);
