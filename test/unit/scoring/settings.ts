/** Settings of the transport for tests. */
import type { ScoringSettings } from '../../../src/scoring/open-scorer.js';
import type { ScorerProcess } from '../../support/scorers/scorer-process.js';

const CLOSED: ScoringSettings = {
  hosts: [],
  privateAddresses: false,
  tokens: {},
  modelDirectory: '',
  patienceMs: 0,
  maxResponseBytes: 1 << 19,
  rowsAtOnce: 16,
};

export const settingsWith = (change: Partial<ScoringSettings>): ScoringSettings => ({ ...CLOSED, ...change });

/** Under which a scorer of this machine may be asked. */
export function openSettings(
  { port }: Pick<ScorerProcess, 'port'>,
  change: Partial<ScoringSettings> = {},
): ScoringSettings {
  return settingsWith({ hosts: [`127.0.0.1:${port}`, `localhost:${port}`], privateAddresses: true, ...change });
}
