/** The version of this package. */
import { readFileSync } from 'node:fs';
import { PACKAGE } from '../places.js';

export function packageVersion(): string {
  return (JSON.parse(readFileSync(PACKAGE, 'utf8')) as { version: string }).version;
}
