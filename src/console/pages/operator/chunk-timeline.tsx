/** When each chunk ran, how long, on which worker, and which were tried again. The failed chunks stand below as a table. */
import { formatCount, formatNumber, formatSeconds } from '../../../report/numbers.js';
import { useLoaded } from '../../loading.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { Outcome } from '../../parts/notice.js';
import { request } from '../../requests.js';
import { type PlacedChunk, type Timeline, timelineOf } from './chunk-lanes.js';
import type { BatchLine, ChunkLine, Page } from './documents.js';
import { Key } from './parts.js';
import { clockTime } from './times.js';

/** More chunks than a picture can show. */
const MOST_CHUNKS = 3_000;
const MOST_LISTED = 50;
const WIDTH = 1_000;
const LANE = { height: 14, gap: 2 };
const NARROWEST = 1.5;

interface TimelineProps {
  readonly id: string;
  readonly state: BatchLine['state'];
  /** Ended chunks: the timeline is loaded again when the number changes. */
  readonly done: number;
}

/** While a batch works, the picture follows in a hundred steps. */
const stepOf = ({ state, done }: TimelineProps): string => (state === 'working' ? `${Math.floor(done / 10)}` : state);

export function ChunkTimeline(props: TimelineProps) {
  const loaded = useLoaded((signal) => loadChunks(props.id, signal), [props.id, stepOf(props)]);
  return (
    <section class="card" aria-label="Chunks">
      <h2>Chunks</h2>
      <Outcome of={loaded}>{(chunks) => <Chunks chunks={chunks} />}</Outcome>
    </section>
  );
}

async function loadChunks(id: string, signal: AbortSignal): Promise<ChunkLine[]> {
  const chunks: ChunkLine[] = [];
  let address: string | undefined = `/v1/batches/${encodeURIComponent(id)}/chunks`;
  while (address !== undefined && chunks.length < MOST_CHUNKS) {
    const page: Page<'chunks', ChunkLine> = await request('GET', address, { signal });
    chunks.push(...page.chunks);
    address = page.next;
  }
  return chunks;
}

function Chunks({ chunks }: { chunks: readonly ChunkLine[] }) {
  const timeline = timelineOf(chunks);
  const failed = chunks.filter(({ state }) => state === 'failed');
  const waiting = chunks.filter(({ state }) => state === 'waiting').length;
  return (
    <>
      {timeline ? <Picture timeline={timeline} /> : <p class="quiet">No chunk has ended yet.</p>}
      <p class="legend quiet">
        <Key of="yes">done</Key> <Key of="no">failed</Key> <Key of="again">tried again</Key>
        {waiting > 0 && <span>{formatNumber(waiting)} chunks wait</span>}
        {chunks.length >= MOST_CHUNKS && <span>the first {formatNumber(chunks.length)} chunks</span>}
      </p>
      {failed.length > 0 && (
        <DataTable
          caption={`Failed chunks: ${formatNumber(failed.length)}`}
          columns={FAILED_COLUMNS}
          rows={failed.slice(0, MOST_LISTED)}
          nothing=""
        />
      )}
    </>
  );
}

function Picture({ timeline }: { timeline: Timeline }) {
  const { workers, from, to } = timeline;
  const count = workers.reduce((sum, { chunks }) => sum + chunks.length, 0);
  const words = `${formatCount(count, 'chunk')} on ${formatCount(workers.length, 'worker')} in ${formatSeconds(to - from)}`;
  return (
    <figure class="timeline">
      {workers.map(({ worker, lanes, chunks }) => (
        <div key={worker}>
          <p class="quiet">{worker}</p>
          <svg
            viewBox={`0 0 ${WIDTH} ${lanes * (LANE.height + LANE.gap)}`}
            preserveAspectRatio="none"
            height={lanes * (LANE.height + LANE.gap)}
            role="img"
            aria-label={`${worker}: ${formatNumber(chunks.length)} chunks`}
          >
            {chunks.map((placed) => (
              <ChunkMark key={placed.chunk.chunk} placed={placed} from={from} to={to} />
            ))}
          </svg>
        </div>
      ))}
      <figcaption>
        <span>{clockTime(from)}</span>
        <span>{words}</span>
        <span>{clockTime(to)}</span>
      </figcaption>
    </figure>
  );
}

function ChunkMark({ placed: { chunk, run, lane }, from, to }: { placed: PlacedChunk; from: number; to: number }) {
  const scale = WIDTH / (to - from);
  const x = (run.started - from) * scale;
  const width = Math.max(NARROWEST, (run.ended - run.started) * scale - 1);
  const kind = chunk.state === 'failed' ? 'no' : 'yes';
  const tries = run.attempts > 1 ? `, attempts: ${run.attempts}` : '';
  const y = lane * (LANE.height + LANE.gap);
  return (
    <g>
      <title>{`chunk ${chunk.chunk}: ${chunk.rows} rows in ${formatSeconds(run.ended - run.started)}${tries}`}</title>
      <rect class={kind} x={x} y={y} width={width} height={LANE.height} rx={1} />
      {run.attempts > 1 && <rect class="again" x={x} y={y + LANE.height - 4} width={width} height={4} />}
    </g>
  );
}

const FAILED_COLUMNS: readonly Column<ChunkLine>[] = [
  { title: 'Chunk', cell: ({ chunk }) => formatNumber(chunk), isNumber: true },
  { title: 'Rows from', cell: ({ firstRow }) => formatNumber(firstRow), isNumber: true },
  { title: 'Attempts', cell: ({ run }) => run?.attempts ?? '', isNumber: true },
  { title: 'Code', cell: ({ code }) => <code>{code}</code> },
  { title: 'Reason', cell: ({ message }) => message },
];
