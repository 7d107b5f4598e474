/**
 * THE TABLE of coded errors. A throw is a bug or bad input. Bad input is an `ElsewiseError` with a code from this table. A status such as
 * "infeasible" is a result and never thrown.
 */
export const ERROR_CODES = {
  usage: { exit: 2, retry: false, meaning: 'the command line is wrong' },
  'bad-document': { exit: 2, retry: false, meaning: 'a model, policy or job document does not fit its schema' },
  'bad-probe': { exit: 2, retry: false, meaning: 'the model does not give the scores that its probes promise' },
  'bad-row': { exit: 2, retry: false, meaning: 'a row does not fit the features of the model' },
  'bad-json': { exit: 2, retry: false, meaning: 'the text is no JSON, or is missing' },
  'too-large': { exit: 2, retry: false, meaning: 'the request is longer than the limit' },
  'bad-input': { exit: 2, retry: false, meaning: 'an input file cannot be read as rows' },
  unsupported: { exit: 2, retry: false, meaning: 'the document asks for a feature that this version does not have' },
  'not-known': { exit: 2, retry: false, meaning: 'no model, policy or batch of that name is stored' },
  damaged: { exit: 2, retry: false, meaning: 'the content in Redis is not the content that was stored' },
  conflict: { exit: 2, retry: false, meaning: 'the name belongs to different content, or is in use' },
  cancelled: { exit: 2, retry: false, meaning: 'the batch was cancelled; finished results are kept' },
  'redis-away': { exit: 3, retry: true, meaning: 'Redis cannot be reached' },
  'redis-full': { exit: 3, retry: true, meaning: 'Redis has no room for more' },
  'redis-refused': { exit: 3, retry: false, meaning: 'Redis answers, but refuses us under these settings' },
  interrupted: {
    exit: 130,
    retry: false,
    meaning: 'a signal or an output that cannot be written stopped the command; finished rows are kept',
  },
  'thread-lost': { exit: 1, retry: true, meaning: 'a solver thread died or overran and was replaced' },
  'prepare-limit': { exit: 2, retry: false, meaning: 'model and policy take longer to prepare than is allowed' },
  'scorer-unavailable': { exit: 1, retry: false, meaning: 'the scorer of a black-box model does not answer' },
  'scorer-invalid': {
    exit: 2,
    retry: false,
    meaning: 'the answer of a scorer has other shapes, versions or numbers than its model promises',
  },
  'scorer-refused': {
    exit: 2,
    retry: false,
    meaning: 'the settings allow no scorer at this address, or a runtime or file of the scorer is missing',
  },
  'too-often': { exit: 1, retry: false, meaning: 'workers took the job too often and never finished it' },
  'bad-request': {
    exit: 2,
    retry: false,
    meaning: 'the head, query or JSON of the request is malformed',
  },
  'not-authenticated': { exit: 2, retry: false, meaning: 'the request carries no known token' },
  'not-allowed': { exit: 2, retry: false, meaning: 'the token does not have the role that the route needs' },
  'no-such-route': { exit: 2, retry: false, meaning: 'the server has no route for this method and path' },
  'unsupported-type': { exit: 2, retry: false, meaning: 'the route does not accept the content type of the body' },
  'not-acceptable': { exit: 2, retry: false, meaning: 'the route has no content type that the request accepts' },
  'too-many-requests': { exit: 2, retry: true, meaning: 'the token has used up its requests for this minute' },
  'too-slow': { exit: 2, retry: true, meaning: 'the request did not arrive in time' },
  internal: { exit: 1, retry: true, meaning: 'a bug of the server; the log has the details' },
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

/** One of several faults of a document. */
export interface PlacedFault {
  readonly path: string;
  readonly message: string;
}

export class ElsewiseError extends Error {
  override readonly name = 'ElsewiseError';
  readonly code: ErrorCode;
  /** The path in the document, e.g. `policy.features.age.change`; empty if the error has no place. */
  readonly path: string;
  /** All faults of a document, as far as they are known. The message tells the first ones. Empty: the message is the only fault. */
  readonly faults: readonly PlacedFault[];

  constructor(code: ErrorCode, message: string, path = '', faults: readonly PlacedFault[] = []) {
    super(path ? `${path}: ${message}` : message);
    this.code = code;
    this.path = path;
    this.faults = faults;
  }

  /** The message without the path. */
  get detail(): string {
    return this.path ? this.message.slice(this.path.length + 2) : this.message;
  }

  get exitCode(): number {
    return ERROR_CODES[this.code].exit;
  }
}

/** An error as data: for messages, records and other threads. The message has the path. */
export interface StoredError {
  readonly code: string;
  readonly message: string;
  /** Undefined: the error has no place. */
  readonly path?: string;
  /** Undefined: the message is the only fault. */
  readonly faults?: readonly PlacedFault[];
}

/** The place of an error and its faults, as far as the error has them. */
export function placeOf(error: unknown): Pick<StoredError, 'path' | 'faults'> {
  const { path, faults } = error as Partial<ElsewiseError>;
  return { ...(path && { path }), ...(faults?.length && { faults }) };
}

/** A stored error. A code that is not in the table means a bug. */
export function storedError({ code, message, path = '', faults }: StoredError): ElsewiseError {
  const known = Object.hasOwn(ERROR_CODES, code) ? (code as ErrorCode) : 'internal';
  const detail = path && message.startsWith(`${path}: `) ? message.slice(path.length + 2) : message;
  return new ElsewiseError(known, detail, path, faults);
}
