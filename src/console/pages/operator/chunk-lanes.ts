/** The places of chunks in the timeline: a group of lanes for each worker, and a lane for each chunk that runs at the same time. */
import type { ChunkLine, RunLine } from './documents.js';

export interface PlacedChunk {
  readonly chunk: ChunkLine;
  readonly run: RunLine;
  /** From 0, within its worker. */
  readonly lane: number;
}

export interface WorkerLanes {
  readonly worker: string;
  readonly lanes: number;
  readonly chunks: readonly PlacedChunk[];
}

export interface Timeline {
  readonly workers: readonly WorkerLanes[];
  readonly from: number;
  readonly to: number;
}

/** Chunks without a run are left out. Undefined: no chunk has one. */
export function timelineOf(chunks: readonly ChunkLine[]): Timeline | undefined {
  const ran = chunks.flatMap((chunk) => (chunk.run ? [{ chunk, run: chunk.run }] : []));
  if (ran.length === 0) return undefined;
  ran.sort((one, other) => one.run.started - other.run.started);
  const names = [...new Set(ran.map(({ run }) => run.worker))];
  const workers = names.map((worker) =>
    inLanes(
      worker,
      ran.filter(({ run }) => run.worker === worker),
    ),
  );
  const to = ran.reduce((last, { run }) => Math.max(last, run.ended), 0);
  return { workers, from: ran[0].run.started, to: Math.max(to, ran[0].run.started + 1) };
}

/** Each chunk takes the first lane that is free at its start. */
function inLanes(worker: string, ran: readonly Omit<PlacedChunk, 'lane'>[]): WorkerLanes {
  const ends: number[] = [];
  const chunks = ran.map(({ chunk, run }) => {
    const free = ends.findIndex((end) => end <= run.started);
    const lane = free < 0 ? ends.length : free;
    ends[lane] = run.ended;
    return { chunk, run, lane };
  });
  return { worker, lanes: ends.length, chunks };
}
