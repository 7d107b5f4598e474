/** The name and version of this program, for records. */
import { readFileSync } from 'node:fs';
import { PACKAGE } from '../../places.js';

const { name, version } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as { name: string; version: string };

/** `0.1.0` */
export const VERSION = version;

export const SOFTWARE = `${name} ${version}`;
