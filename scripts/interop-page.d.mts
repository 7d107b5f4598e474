import type { MatrixRow } from '../test/interop/matrix.js';

export function readMatrix(folder: string): MatrixRow[];
export function interopPage(rows: readonly MatrixRow[]): string;
export function writePage(): void;
