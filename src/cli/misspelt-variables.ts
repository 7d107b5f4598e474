/** A long-running command tells of misspelt environment variables once, at its start: they would be ignored without a word. */
import { misspeltVariables } from '../config.js';

export function tellMisspeltVariables(): void {
  for (const sentence of misspeltVariables()) process.stderr.write(`elsewise: ${sentence}\n`);
}
