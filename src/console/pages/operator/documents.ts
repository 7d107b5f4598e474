/** The documents of the operator's routes, as far as the page reads them, and what follows from them. */
export interface QueueLine {
  readonly name: string;
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  readonly failed: number;
  readonly isPaused: boolean;
  readonly canPause: boolean;
}

export interface QueueList {
  readonly queues: readonly QueueLine[];
  readonly deadLetters: number;
}

export interface WorkerLine {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly started: string;
  readonly seen: string;
  readonly threads: number;
  readonly queues: readonly string[];
  readonly jobs: readonly { readonly queue: string; readonly id: string; readonly since: string }[];
  readonly jobCount: number;
  readonly isGone: boolean;
}

export const BATCH_STATES = ['adding', 'working', 'done', 'failed', 'cancelled'] as const;

export interface BatchLine {
  readonly id: string;
  readonly state: (typeof BATCH_STATES)[number];
  readonly created: string;
  readonly by: string;
  readonly model: { readonly name: string; readonly version: number };
  readonly policy: { readonly name: string };
  readonly rows: number;
  readonly answered: number;
  readonly counts: Readonly<Record<string, number>>;
  readonly chunks: number;
  readonly chunksDone: number;
  readonly chunksFailed: number;
  readonly rowsPerSecond: number | null;
  readonly secondsLeft: number | null;
  readonly webhook?: {
    readonly host: string;
    readonly outcome: string;
    readonly at?: string;
    readonly attempts?: number;
    readonly reason?: string;
  };
}

export interface RunLine {
  readonly started: number;
  readonly ended: number;
  readonly worker: string;
  readonly attempts: number;
}

export interface ChunkLine {
  readonly chunk: number;
  readonly firstRow: number;
  readonly rows: number;
  readonly state: 'waiting' | 'done' | 'failed';
  readonly run?: RunLine;
  readonly code?: string;
  readonly message?: string;
}

export interface GroupLine {
  readonly id: string;
  readonly code: string;
  readonly model: string | null;
  readonly policy: string | null;
  readonly count: number;
  readonly first: string;
  readonly last: string;
  readonly message: string;
  readonly meaning: string;
  readonly advice: string;
}

export interface GroupList {
  readonly letters: number;
  readonly ungrouped: number;
  readonly groupCount: number;
  readonly groups: readonly GroupLine[];
}

export interface LetterLine {
  readonly id: string;
  readonly source: string;
  readonly at: string;
  readonly attempts: number;
  readonly message: string;
  readonly canReplay: boolean;
}

export interface OperationLine {
  readonly id: string;
  readonly kind: 'replay-letters' | 'drop-letters';
  readonly state: 'running' | 'done' | 'stopped' | 'failed';
  readonly total: number;
  readonly done: number;
  readonly stayed: number;
  readonly started: string;
  readonly by: string;
  readonly reason: string;
}

export interface ScheduleLine {
  readonly name: string;
  readonly cron: string;
  readonly timeZone: string;
  readonly model: string;
  readonly policy?: string;
  readonly input: string;
  readonly isPaused: boolean;
  readonly next?: string;
  readonly runs: readonly ScheduleRunLine[];
}

export interface ScheduleRunLine {
  readonly id: string;
  readonly kind: string;
  readonly outcome: 'running' | 'added' | 'nothing-new' | 'failed';
  readonly rows: number;
  readonly failure?: { readonly message: string };
}

export interface ActionLine {
  readonly id: string;
  readonly action: string;
  readonly target: string;
  readonly by: string;
  readonly via: string;
  readonly reason: string;
  readonly at: string;
  readonly outcome: 'begun' | 'done' | 'failed';
  readonly detail: string;
}

export type Page<K extends string, T> = { readonly [key in K]: readonly T[] } & { readonly next?: string };

/** Rows that got no answer within their budget. */
export const degradedRows = ({ counts }: BatchLine): number => counts['not-found'] ?? 0;

export const subjectOf = ({ model, policy }: GroupLine): string =>
  [model ?? 'any model', policy ?? 'no policy named'].join(' · ');
