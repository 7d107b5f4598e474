/** The table of a comparison with another library: a line per row, with both decisions and both scores of each class. */
import type { LoadedModel } from '../../models/load.js';
import { predictionCell, type Table } from '../results/result-table.js';
import type { RowParity } from './row-parity.js';

export function createParityTable({ task, classes }: LoadedModel): Table<RowParity> {
  const labels = task === 'regression' ? ['prediction'] : classes.map((label) => `score ${label}`);
  const decisions = task === 'regression' ? [] : ['prediction', 'given prediction'];
  return {
    columns: [
      { name: 'id', type: 'text' },
      ...decisions.map((name) => ({ name, type: predictionCell({ task }) }) as const),
      ...labels.flatMap((name) => [
        { name, type: 'number' } as const,
        { name: `given ${name}`, type: 'number' } as const,
      ]),
      { name: 'difference', type: 'number' },
      { name: 'differs', type: 'boolean' },
    ],
    lines: ({ id, own, given, decided, givenDecision, difference, isWithin, decidesAlike }) => [
      [
        id,
        ...(task === 'regression' ? [] : [decided, givenDecision]),
        ...own.flatMap((score, k) => [score, given[k]]),
        difference,
        !isWithin || !decidesAlike,
      ],
    ],
  };
}
