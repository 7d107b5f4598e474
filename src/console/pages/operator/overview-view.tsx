/** Queues with their last minutes, and workers by heartbeat. */
import { useRef } from 'preact/hooks';
import { formatNumber } from '../../../report/numbers.js';
import { writeAddress } from '../../address.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { Outcome } from '../../parts/notice.js';
import { ActButton, useActing } from './acting.js';
import type { QueueLine, QueueList, WorkerLine } from './documents.js';
import { Badge, Bar, Figure, Key, Sparkline, Stale } from './parts.js';
import { usePolled } from './polling.js';
import { ago, queueTitle, spanInWords } from './times.js';

/** Values of the small pictures: some minutes. */
const KEPT = 60;

export function OverviewView() {
  const { turn } = useActing();
  const queues = usePolled<QueueList>('/v1/queues', [turn]);
  const workers = usePolled<{ workers: readonly WorkerLine[] }>('/v1/workers', [turn]);
  const alive = workers.loaded.state === 'there' ? workers.loaded.value.workers.filter(({ isGone }) => !isGone) : [];
  return (
    <>
      <Stale trouble={queues.trouble ?? workers.trouble} />
      <Outcome of={queues.loaded}>{(list) => <Queues list={list} workers={alive.length} />}</Outcome>
      <Outcome of={workers.loaded}>
        {({ workers: rows }) => (
          <DataTable caption="Workers" columns={WORKER_COLUMNS} rows={rows} nothing="No worker has reported yet." />
        )}
      </Outcome>
    </>
  );
}

const sum = (queues: readonly QueueLine[], key: 'waiting' | 'active' | 'delayed'): number =>
  queues.reduce((total, queue) => total + queue[key], 0);

function Queues({ list: { queues, deadLetters }, workers }: { list: QueueList; workers: number }) {
  const history = useHistory(queues);
  const most = Math.max(1, ...queues.map(sizeOf));
  return (
    <>
      <div class="figures">
        <Figure value={formatNumber(sum(queues, 'waiting') + sum(queues, 'delayed'))}>jobs wait</Figure>
        <Figure value={formatNumber(sum(queues, 'active'))}>jobs run</Figure>
        <Figure value={formatNumber(workers)} isBad={workers === 0}>
          workers live
        </Figure>
        <Figure value={formatNumber(deadLetters)} isBad={deadLetters > 0}>
          <a href={writeAddress({ page: 'operator', values: { view: 'letters' } })}>dead letters</a>
        </Figure>
      </div>
      <section class="card" aria-label="Queues">
        <h2>Queues</h2>
        <ul class="queues">
          {queues.map((queue) => (
            <QueueRow key={queue.name} queue={queue} values={history.get(queue.name) ?? []} most={most} />
          ))}
        </ul>
        <p class="legend quiet">
          <Key of="busy">run</Key> <Key of="rest">wait</Key> <Key of="no">failed, not yet recorded</Key>
        </p>
      </section>
    </>
  );
}

const sizeOf = ({ waiting, active, delayed, failed }: QueueLine): number => waiting + active + delayed + failed;

/** The sizes that this page has seen, by queue. */
function useHistory(queues: readonly QueueLine[]): ReadonlyMap<string, readonly number[]> {
  const seen = useRef({ of: queues, values: new Map<string, number[]>() });
  const { of, values } = seen.current;
  if (of !== queues || values.size === 0) {
    for (const queue of queues)
      values.set(queue.name, [...(values.get(queue.name) ?? []), queue.waiting + queue.active].slice(-KEPT));
    seen.current.of = queues;
  }
  return values;
}

function QueueRow({ queue, values, most }: { queue: QueueLine; values: readonly number[]; most: number }) {
  const { name, waiting, active, delayed, failed, isPaused, canPause } = queue;
  const title = queueTitle(name);
  const shares = [
    { kind: 'busy', value: active },
    { kind: 'rest', value: waiting + delayed },
    { kind: 'no', value: failed },
  ] as const;
  return (
    <li>
      <div class="queue-name">
        <strong>{title}</strong>
        {isPaused && <Badge>paused</Badge>}
        <code class="quiet">{name}</code>
      </div>
      <Sparkline values={values} />
      <div>
        <Bar shares={shares} whole={most} />
        <p class="counts">
          <span>
            <b>{formatNumber(waiting)}</b> wait
          </span>
          <span>
            <b>{formatNumber(active)}</b> run
          </span>
          <span>
            <b>{formatNumber(delayed)}</b> delayed
          </span>
          <span class={failed ? 'no' : undefined}>
            <b>{formatNumber(failed)}</b> failed
          </span>
        </p>
      </div>
      <div class="queue-act">{canPause && <PauseButton name={name} title={title} isPaused={isPaused} />}</div>
    </li>
  );
}

function PauseButton({ name, title, isPaused }: { name: string; title: string; isPaused: boolean }) {
  const [verb, effect] = isPaused
    ? ['Resume', 'Workers take jobs from this queue again.']
    : ['Pause', 'Workers take no further jobs from this queue. Jobs under way continue, and new jobs wait.'];
  const action = isPaused ? 'resume-queue' : 'pause-queue';
  return (
    <ActButton asked={{ question: `${verb} the queue “${title}”?`, effect, verb, body: { action, queue: name } }}>
      {verb}
    </ActButton>
  );
}

const WORKER_COLUMNS: readonly Column<WorkerLine>[] = [
  {
    title: 'Worker',
    cell: ({ host, pid, isGone }) => (
      <>
        {host} <span class="quiet">process {pid}</span> {isGone && <Badge>gone</Badge>}
      </>
    ),
  },
  { title: 'Seen', cell: ({ seen }) => ago(seen), isNumber: true },
  { title: 'Threads', cell: ({ threads }) => threads, isNumber: true },
  { title: 'Queues', cell: ({ queues }) => queues.map(queueTitle).join(', ') },
  { title: 'Jobs', cell: ({ jobCount, jobs, isGone }) => (isGone ? '' : <Jobs count={jobCount} jobs={jobs} />) },
  { title: 'Up', cell: ({ started, seen }) => spanInWords(Date.parse(seen) - Date.parse(started)), isNumber: true },
  { title: 'Version', cell: ({ version }) => version },
];

function Jobs({ count, jobs }: { count: number; jobs: WorkerLine['jobs'] }) {
  if (count === 0) return <span class="quiet">idle</span>;
  return (
    <details>
      <summary>{formatNumber(count)}</summary>
      <ul class="jobs">
        {jobs.map(({ id, since }) => (
          <li key={id}>
            <code>{id}</code> <span class="quiet">{spanInWords(Date.now() - Date.parse(since))}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
