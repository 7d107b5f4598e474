/** Bulk operations that run or ended a short while ago, with their progress. */
import { formatNumber } from '../../../report/numbers.js';
import { ActButton, useActing } from './acting.js';
import type { OperationLine } from './documents.js';
import { Badge, Progress } from './parts.js';
import { usePolled } from './polling.js';

const SHOWN_MS = 600_000;
const TITLES = { 'replay-letters': 'Replay', 'drop-letters': 'Drop' } as const;

export function Operations() {
  const { turn } = useActing();
  const { loaded } = usePolled<{ operations: readonly OperationLine[] }>('/v1/operations', [turn]);
  if (loaded.state !== 'there') return null;
  const shown = loaded.value.operations.filter(isRecent).slice(0, 3);
  if (shown.length === 0) return null;
  return (
    <section class="card" aria-label="Bulk operations">
      <ul class="operations">
        {shown.map((operation) => (
          <OperationRow key={operation.id} operation={operation} />
        ))}
      </ul>
    </section>
  );
}

const isRecent = ({ state, started }: OperationLine): boolean =>
  state === 'running' || Date.now() - Date.parse(started) < SHOWN_MS;

function OperationRow({ operation }: { operation: OperationLine }) {
  const { id, kind, state, total, done, stayed, by, reason } = operation;
  const title = TITLES[kind];
  return (
    <li>
      <p>
        <strong>{title}</strong> {formatNumber(done)} of {formatNumber(total)} letters
        {stayed > 0 && `, ${formatNumber(stayed)} left`} <Badge>{state}</Badge>
      </p>
      <Progress done={done} failed={stayed} whole={total} />
      <p class="quiet">
        {by}: {reason}
      </p>
      {state === 'running' && (
        <ActButton
          asked={{
            question: `Stop after ${formatNumber(done)} of ${formatNumber(total)} letters?`,
            effect: 'The other letters stay as they are.',
            verb: 'Stop',
            body: { action: 'stop-operation', operation: id },
          }}
        >
          Stop
        </ActButton>
      )}
    </li>
  );
}
