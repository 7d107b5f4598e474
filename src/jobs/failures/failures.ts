/**
 * THE TABLE of reactions to failures, for every code: the codes of thrown errors (documents/error.ts) and the codes of rows.
 * `docs/failures.md` is this table as a page.
 *
 * retry     the failure may pass: the job is tried again a limited number of times with growing pauses, then given up
 * give up   the failure will not pass: a job becomes a dead letter, a command ends with its exit code
 * degrade   only the row suffers: the row is answered with status `not-found` and this code
 */
import { ERROR_CODES, type ErrorCode } from '../../documents/error.js';
import type { RowLoss } from '../threads/messages.js';
import { scorerFaultSection } from './scorer-faults.js';

export type FailureCode = ErrorCode | RowLoss['code'];

export interface Failure {
  readonly meaning: string;
  readonly reaction: 'retry' | 'give up' | 'degrade';
  /** The reaction of the system. */
  readonly does: string;
  /** The action of the operator. */
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
    does: 'The row is answered with status `invalid` and the path of the value. The row becomes no dead letter.',
    operator: 'Correct the row at its source and send the row again.',
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
  unsupported: {
    does: LETTER,
    operator: 'Change the model or policy, or use a version with the feature; then replay.',
  },
  'not-known': { does: LETTER, operator: 'Push the model or policy that the message names, then replay the letter.' },
  damaged: {
    does: `${LETTER} The content is not used.`,
    operator: 'Find the program that wrote into Redis. Push the model again, or enqueue the batch under another id.',
  },
  conflict: { does: LETTER, operator: 'Choose another name or id, or enqueue the batch again.' },
  cancelled: {
    does: 'Waiting chunks are dropped, running chunks are stopped, finished results are kept.',
    operator: 'Enqueue under another id to solve the rest.',
  },
  'redis-away': {
    does: 'Workers wait and reconnect with growing pauses of at most a second. Meanwhile `/readyz` is false and `/healthz` is true. Commands end with 3.',
    operator: 'Bring Redis back. Workers continue by themselves.',
  },
  'redis-full': {
    does: 'Batches wait and events are refused before Redis is full, which leaves workers room for their results. When Redis is full, workers wait and lose nothing.',
    operator: 'Let workers catch up, remove old batches, or raise `maxmemory`.',
  },
  'redis-refused': {
    does: 'Workers and commands end with 3 at the start. Jobs fail when a user or certificate is revoked later.',
    operator: 'Follow the message: correct the user, its rights, the certificate or the kind of Redis (docs/redis.md).',
  },
  interrupted: {
    does: 'Finished rows are kept whole. The results of a scheduled batch are written later, when the output can be written.',
    operator: 'Make room for the output if the disk is full. Run the command again.',
  },
  'thread-lost': {
    does: 'The thread is replaced. A row that loses its thread when it runs alone is answered with this code. A job whose model loses every thread before the first row is tried again and then becomes a dead letter.',
    operator: 'Check whether the model is too large for the memory limit of a thread. Replay the letter.',
  },
  'prepare-limit': {
    does: `${LETTER} The thread is ended and replaced. Events with the same model and policy are refused at once for a minute.`,
    operator:
      'Make the policy cheaper (fewer trees or samples of plausibility, fewer constraints), or raise `events.maxPrepareMs` or, for batches, `worker.maxPrepareMs`; then replay.',
  },
  'scorer-unavailable': {
    does: 'Requests to the scorer are repeated with growing pauses. While its circuit breaker is open, rows wait for up to `scoring.patienceMs`. Then the row is answered with status `not-found` and this code. No job fails. A model is not stored while its probes cannot be asked.',
    operator: 'Bring the scorer back; watch `elsewise_scorer_failures_total`. Send the rows with this code again.',
  },
  'scorer-invalid': {
    does: 'The request is repeated. Then the rows that wait for the answer get status `not-found` and this code. All other rows are answered normally.',
    operator:
      'Compare the scorer with its model document: outputs, classes, version, probes. Then send the rows again.',
  },
  'scorer-refused': {
    does: 'The scorer is not asked. Rows get status `not-found` and this code, and a model is refused at load.',
    operator:
      'Follow the message: add the host to `scoring.hosts`, allow private addresses, set `scoring.modelDirectory`, or install the runtime. Or refuse the model.',
  },
  'bad-request': { does: REQUEST, operator: 'The caller corrects the request.' },
  'not-authenticated': { does: REQUEST, operator: 'Give the caller a token (`elsewise token`), or correct the token.' },
  'not-allowed': { does: REQUEST, operator: 'Give the token the role that the message names, or refuse the caller.' },
  'no-such-route': { does: REQUEST, operator: 'The caller reads `/openapi.json`.' },
  'unsupported-type': { does: REQUEST, operator: 'The caller sends the content type that the message names.' },
  'not-acceptable': { does: REQUEST, operator: 'The caller accepts a content type that the message names.' },
  'too-many-requests': { does: REQUEST, operator: 'Raise `api.ratePerMinute` if the caller needs more requests.' },
  'too-slow': { does: REQUEST, operator: 'Look at the network, or raise `api.receiveMs`.' },
  internal: { does: 'The API answers 500 and logs the error with the request id.', operator: 'Report the bug.' },
  'too-often': {
    does: 'Several workers took the job and died or lost the job. The job is given up to protect other workers.',
    operator: 'Inspect the job with `dead show` before a replay: the job may be what kills the workers.',
  },
};

const FOR_ROWS: Readonly<Record<Exclude<RowLoss['code'], ErrorCode>, Failure>> = {
  overran: {
    meaning: 'the solver overran the deadline of the row by far',
    reaction: 'degrade',
    does: 'The thread is ended and replaced; the row is answered with this code.',
    operator: 'Report the model, policy and row: solvers must keep deadlines.',
  },
  failed: {
    meaning: 'the solver threw: a bug',
    reaction: 'degrade',
    does: 'The row is answered with this code, and the next row gets a new plan. A job that fails as a whole becomes a dead letter.',
    operator: 'Report the model, policy and row.',
  },
};

/** Codes thrown when a document is loaded. Within a job only the row suffers. */
const OF_ROWS: ReadonlySet<string> = new Set(['bad-row', 'scorer-unavailable', 'scorer-invalid', 'scorer-refused']);

export const FAILURES: Readonly<Record<FailureCode, Failure>> = { ...thrown(), ...FOR_ROWS };

function thrown(): Record<ErrorCode, Failure> {
  const rows = Object.entries(ERROR_CODES).map(([code, { meaning, retry }]) => {
    const reaction = retry ? 'retry' : OF_ROWS.has(code) ? 'degrade' : 'give up';
    return [code, { meaning, reaction, ...ADVICE[code as ErrorCode] }];
  });
  return Object.fromEntries(rows) as Record<ErrorCode, Failure>;
}

const PAGE_TOP = `# Failures

One row for each code of a failure. The code is in the \`reason\` of a row's result, in a dead letter
(\`elsewise dead list\`), in the state of a failed chunk and in the label \`code\` of \`elsewise_dead_letters_total\`.

- **retry**: the failure may pass. The job is tried again a limited number of times, with growing pauses, and then given up.
- **give up**: the failure will not pass. The job is not tried again. Use \`elsewise dead replay\` when the cause is gone.
- **degrade**: only the row suffers. The row is answered with the code. All other rows are answered normally.

| code | meaning | reaction | what the system does | what the operator does |
| --- | --- | --- | --- | --- |
`;

/** docs/failures.md; written by `npm run schemas`. */
export function failurePage(): string {
  const rows = Object.entries(FAILURES).map(
    ([code, { meaning, reaction, does, operator }]) =>
      `| \`${code}\` | ${meaning} | ${reaction} | ${does} | ${operator} |\n`,
  );
  return PAGE_TOP + rows.join('') + scorerFaultSection();
}
