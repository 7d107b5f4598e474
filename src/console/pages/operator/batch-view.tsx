/** One batch: figures, the timeline of its chunks, its message to the sender, and what can be done. */
import { useState } from 'preact/hooks';
import { formatNumber, formatPercent } from '../../../report/numbers.js';
import { writeAddress } from '../../address.js';
import { Notice, Outcome } from '../../parts/notice.js';
import { send } from '../../requests.js';
import { ActButton, useActing } from './acting.js';
import { ChunkTimeline } from './chunk-timeline.js';
import { type BatchLine, degradedRows } from './documents.js';
import { Badge, Bar, Figure, Progress, Stale } from './parts.js';
import { usePolled } from './polling.js';
import { clockTime, left } from './times.js';

export function BatchView({ id }: { id: string }) {
  const { turn } = useActing();
  const { loaded, trouble } = usePolled<BatchLine>(`/v1/batches/${encodeURIComponent(id)}`, [turn]);
  return (
    <>
      <p>
        <a href={writeAddress({ page: 'operator', values: { view: 'batches' } })}>All batches</a>
      </p>
      <Stale trouble={trouble} />
      <Outcome of={loaded}>{(batch) => <OpenBatch batch={batch} />}</Outcome>
    </>
  );
}

function OpenBatch({ batch }: { batch: BatchLine }) {
  const { id, state, model, policy, by, created, rows, answered, chunks, chunksDone, chunksFailed } = batch;
  return (
    <>
      <section class="card" aria-label="State">
        <div class="head">
          <h2 class="batch-name">
            {id} <Badge>{state}</Badge>
          </h2>
          <Buttons batch={batch} />
        </div>
        <p class="quiet">
          {model.name}@{model.version} · {policy.name} · added {clockTime(created)} by {by}
        </p>
        <Progress done={answered} whole={rows} />
        <p class="quiet">
          {formatNumber(answered)} of {formatNumber(rows)} rows, {formatNumber(chunksDone)} of {formatNumber(chunks)}{' '}
          chunks{chunksFailed > 0 && <span class="no">, {formatNumber(chunksFailed)} failed</span>}
        </p>
      </section>
      <div class="figures">
        <Figure value={batch.rowsPerSecond === null ? '-' : formatNumber(Math.round(batch.rowsPerSecond))}>
          rows a second
        </Figure>
        <Figure value={left(batch.secondsLeft) || '-'}>left</Figure>
        <Figure value={formatPercent(degradedRows(batch), answered)} isBad={degradedRows(batch) > 0}>
          of the rows not found
        </Figure>
        <Figure value={batch.webhook?.outcome ?? 'none'} isBad={batch.webhook?.outcome === 'failed'}>
          {webhookInWords(batch.webhook)}
        </Figure>
      </div>
      <ChunkTimeline id={id} state={state} done={chunksDone + chunksFailed} />
      <Statuses batch={batch} />
    </>
  );
}

function webhookInWords(webhook: BatchLine['webhook']): string {
  if (!webhook) return 'webhook';
  const tries = webhook.attempts ? `, attempts: ${webhook.attempts}` : '';
  return `webhook to ${webhook.host}${tries}${webhook.reason ? `, ${webhook.reason}` : ''}`;
}

function Buttons({ batch: { id, state, rows, answered, chunksFailed } }: { batch: BatchLine }) {
  const isOpen = state === 'adding' || state === 'working' || state === 'failed';
  return (
    <div class="buttons">
      {chunksFailed > 0 && state !== 'cancelled' && (
        <ActButton
          asked={{
            question: `Retry ${formatNumber(chunksFailed)} failed chunks of ${id}?`,
            effect: 'The chunks wait in the queue again. Finished chunks stay as they are.',
            verb: 'Retry failed chunks',
            body: { action: 'retry-batch', batch: id },
          }}
        >
          Retry failed chunks
        </ActButton>
      )}
      {isOpen && (
        <ActButton
          asked={{
            question: `Cancel ${id}, with ${formatNumber(rows - answered)} rows not answered?`,
            effect: 'Waiting chunks are dropped and running chunks are stopped, for good. Finished results stay.',
            verb: 'Cancel batch',
            isHarmful: true,
            body: { action: 'cancel-batch', batch: id },
          }}
        >
          Cancel batch
        </ActButton>
      )}
      <SaveButton path={`/v1/batches/${id}/results?wait=false`} accept="text/csv" file={`${id}.csv`}>
        Save results
      </SaveButton>
      <SaveButton path={`/v1/batches/${id}/summary`} accept="application/json" file={`${id}-summary.json`}>
        Save summary
      </SaveButton>
    </div>
  );
}

/** A link cannot send the header of the console, therefore the script fetches the file. */
function SaveButton(props: { path: string; accept: string; file: string; children: string }) {
  const { path, accept, file, children } = props;
  const [error, setError] = useState<unknown>(undefined);
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const content = await (await send('GET', path, { headers: { accept } })).blob();
      const link = Object.assign(document.createElement('a'), { href: URL.createObjectURL(content), download: file });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    } catch (refused) {
      setError(refused);
    }
    setBusy(false);
  };
  return (
    <>
      <button type="button" disabled={isBusy} onClick={save}>
        {children}
      </button>
      {error !== undefined && <Notice error={error} />}
    </>
  );
}

function Statuses({ batch: { counts, answered } }: { batch: BatchLine }) {
  const rows = Object.entries(counts).sort(([, one], [, other]) => other - one);
  if (rows.length === 0) return null;
  return (
    <section class="card" aria-label="Rows by status">
      <h2>Rows by status</h2>
      <table class="bars">
        <tbody>
          {rows.map(([status, count]) => (
            <tr key={status}>
              <th scope="row">{status}</th>
              <td>
                <Bar shares={[{ kind: status === 'found' ? 'yes' : 'rest', value: count }]} whole={answered} />
              </td>
              <td class="number">{formatNumber(count)}</td>
              <td class="number">{formatPercent(count, answered)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
