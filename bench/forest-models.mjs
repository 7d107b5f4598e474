/** The tree ensembles of the bench, which train_forests.py trains with scikit-learn and XGBoost. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importXgboost } from '../dist/formats/xgboost/xgboost.js';
import { cacheOf, provideTrained } from './trained-models.mjs';

/** As the trainer names them; a run can be asked for some of them before any is trained. */
export const FORESTS = [
  'credit-rf',
  'credit-rf5',
  'credit-gb',
  'credit-xgb8',
  'cancer-gb',
  'cancer-rf',
  'small',
  'bulk',
  'wide',
];

/** What XGBoost saved of 500 trees of depth 8, to be imported. */
export const LARGE = join(cacheOf('forests'), 'large.xgboost.json');

export const provideForests = () =>
  provideTrained({ kind: 'forests', trainer: 'train_forests.py', names: FORESTS, finish: joinDocument });

/** What XGBoost saved has neither types nor classes nor a background: those are told in about.json. */
function joinDocument(folder) {
  const saved = join(folder, 'model.xgboost.json');
  if (!existsSync(saved)) return;
  const about = JSON.parse(readFileSync(join(folder, 'about.json'), 'utf8'));
  writeFileSync(join(folder, 'model.json'), `${JSON.stringify({ ...importXgboost(readFileSync(saved)), ...about })}\n`);
}
