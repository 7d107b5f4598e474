/**
 * The one table of what happens when something fails, for every code there is: those of thrown errors
 * (documents/error.ts) and those that a row can be answered with. `docs/failures.md` is this table as a page.
 *
 * retry     may get better by itself: tried again, a limited number of times, ever later; then given up
 * give up   will not get better: not tried again; a job becomes a dead letter, a command ends with its exit code
 * degrade   only the row suffers: it is answered with status `not-found` and this code, all others as if nothing had been
 */
import { ERROR_CODES, type ErrorCode } from '../../documents/error.js';
import type { RowLoss } from '../threads/messages.js';

export type FailureCode = ErrorCode | RowLoss['code'];

export interface Failure {
  readonly meaning: string;
  readonly reaction: 'retry' | 'give up' | 'degrade';
  /** What the system does. */
  readonly does: string;
  /** What the operator does. */
  readonly operator: string;
}

type Advice = Pick<Failure, 'does' | 'operator'>;

const LETTER = 'Not tried again. A request or job becomes a dead letter, a chunk marks its batch as failed.';
const REQUEST = 'The API answers with a problem document; nothing was done.';
const COMMAND = 'The command ends with its exit code; nothing was written.';

const ADVICE: Readonly<Record<ErrorCode, Advice>> = {
  usage: { does: COMMAND, operator: 'Read the message, or `--help` of the command.' },
  'bad-document': { does: LETTER, operator: 'Correct the document at the path in the message; drop the letter.' },
  'bad-probe': { does: 'The model is refused before it is stored or used.', operator: 'Export the model again.' },
  'bad-row': {
    does: 'The row is answered with status `invalid` and the path of the value; it is no dead letter.',
    operator: 'Correct the row at its source and send it again.',
  },
  'bad-json': {
    does: LETTER,
    operator: 'Correct the producer: the field `body` holds one JSON object. Drop the letter.',
  },
  'too-large': {
    does: `${LETTER} The body was not parsed, and only its beginning is kept.`,
    operator: 'Send rows one by one, or a batch; raise `requests.maxBodyBytes` if rows are that long.',
  },
  'bad-input': { does: COMMAND, operator: 'Correct the file at the line in the message and run the command again.' },
  unsupported: { does: LETTER, operator: 'Change the model or policy, or use a version that does it; then replay.' },
  'not-known': { does: LETTER, operator: 'Push the model or policy that it names, then replay the letter.' },
  damaged: {
    does: `${LETTER} Nothing of it is used.`,
    operator: 'Find out who wrote into Redis; push the model again, or enqueue the batch under another id.',
  },
  conflict: { does: LETTER, operator: 'Choose another name or id, or enqueue the batch again.' },
  cancelled: {
    does: 'Chunks that wait are dropped, running ones are stopped; what was done is kept.',
    operator: 'Enqueue under another id to have the rest done.',
  },
  'redis-away': {
    does: 'Workers wait and connect again, ever later and at most every second; `/readyz` is false meanwhile, `/healthz` true. Commands end with 3.',
    operator: 'Bring Redis back; workers go on by themselves.',
  },
  'redis-full': {
    does: 'Batches wait and events are refused before it is full, so that workers can store their results. Should it be full nevertheless, workers wait and lose nothing.',
    operator: 'Let workers catch up, remove what is not needed, or raise `maxmemory`.',
  },
  'redis-refused': {
    does: 'Workers and commands end with 3 at the start. A user or certificate that is taken away later makes jobs fail.',
    operator: 'Do what the message says: the user, its rights, the certificate or the kind of Redis (docs/redis.md).',
  },
  interrupted: {
    does: 'What was finished is kept whole. The results of a scheduled batch are written later, once that is possible.',
    operator: 'Make room where the output goes, if that was the cause; run the command again.',
  },
  'thread-lost': {
    does: 'The thread is replaced. A row that loses its thread even alone is answered with this code; a job whose model loses every thread before the first row is tried again, then becomes a dead letter.',
    operator: 'See whether the model is too large for the memory limit of a thread; replay the letter.',
  },
  'prepare-limit': {
    does: `${LETTER} The thread is ended and replaced. Events with the same model and policy are refused at once for a minute.`,
    operator:
      'Make the policy cheaper (fewer trees or samples of plausibility, fewer constraints), or raise `events.maxPrepareMs` or, for batches, `worker.maxPrepareMs`; then replay.',
  },
  'bad-request': { does: REQUEST, operator: 'The caller corrects the request.' },
  'not-authenticated': { does: REQUEST, operator: 'Give the caller a token (`elsewise token`) or correct it.' },
  'not-allowed': { does: REQUEST, operator: 'Give the token the role that the message names, or none.' },
  'no-such-route': { does: REQUEST, operator: 'The caller reads `/openapi.json`.' },
  'unsupported-type': { does: REQUEST, operator: 'The caller sends the content type that the message names.' },
  'too-many-requests': { does: REQUEST, operator: 'Raise `api.ratePerMinute` if the caller is right.' },
  'too-slow': { does: REQUEST, operator: 'Look at the network, or raise `api.receiveMs`.' },
  internal: { does: 'The API answers 500 and logs the error with the request id.', operator: 'Report it.' },
  'too-often': {
    does: 'Taken by several workers that died or lost it, and given up so that it takes no more of them along.',
    operator: 'Look at it with `dead show` before it is replayed: it may be what kills the workers.',
  },
};

const FOR_ROWS: Readonly<Record<Exclude<RowLoss['code'], ErrorCode>, Failure>> = {
  overran: {
    meaning: 'the solver did not keep the deadline of the row, by far',
    reaction: 'degrade',
    does: 'The thread is ended and replaced; the row is answered with this code.',
    operator: 'Report the model, policy and row: solvers should keep their deadlines.',
  },
  failed: {
    meaning: 'the solver threw: a bug',
    reaction: 'degrade',
    does: 'The row is answered with this code, the next one gets a new plan. A whole job that ends so becomes a dead letter.',
    operator: 'Report the model, policy and row.',
  },
};

export const FAILURES: Readonly<Record<FailureCode, Failure>> = { ...thrown(), ...FOR_ROWS };

function thrown(): Record<ErrorCode, Failure> {
  const rows = Object.entries(ERROR_CODES).map(([code, { meaning, retry }]) => {
    const reaction = retry ? 'retry' : code === 'bad-row' ? 'degrade' : 'give up';
    return [code, { meaning, reaction, ...ADVICE[code as ErrorCode] }];
  });
  return Object.fromEntries(rows) as Record<ErrorCode, Failure>;
}

const PAGE_TOP = `# Failures

What happens when something fails, by code. The code is in the \`reason\` of a row's result, in a dead letter
(\`elsewise dead list\`), in the state of a failed chunk and in the label \`code\` of \`elsewise_dead_letters_total\`.

- **retry**: may get better by itself. Tried again a limited number of times, ever later, then given up.
- **give up**: will not get better. Not tried again; \`elsewise dead replay\` does so when the cause is gone.
- **degrade**: only the row suffers. It is answered with the code, all other rows as if nothing had been.

| code | meaning | reaction | what the system does | what the operator does |
| --- | --- | --- | --- | --- |
`;

/** docs/failures.md; written by `npm run schemas`. */
export function failurePage(): string {
  const rows = Object.entries(FAILURES).map(
    ([code, { meaning, reaction, does, operator }]) =>
      `| \`${code}\` | ${meaning} | ${reaction} | ${does} | ${operator} |\n`,
  );
  return PAGE_TOP + rows.join('');
}
