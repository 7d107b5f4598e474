/**
 * The one table of coded errors. A throw is a bug or bad input: bad input is an `ElsewiseError` with a code from
 * this table; a status such as "infeasible" is a result and never thrown.
 */
export const ERROR_CODES = {
  usage: { exit: 2, retry: false, meaning: 'the command line is wrong' },
  'bad-document': { exit: 2, retry: false, meaning: 'a model, policy or job document does not fit its schema' },
  'bad-probe': { exit: 2, retry: false, meaning: 'the model does not give the scores that its probes promise' },
  'bad-row': { exit: 2, retry: false, meaning: 'a row does not fit the features of the model' },
  'bad-json': { exit: 2, retry: false, meaning: 'what should be JSON is not, or is missing' },
  'too-large': { exit: 2, retry: false, meaning: 'a request is longer than what is accepted' },
  'bad-input': { exit: 2, retry: false, meaning: 'an input file cannot be read as rows' },
  unsupported: { exit: 2, retry: false, meaning: 'the document asks for something this version does not do' },
  'not-known': { exit: 2, retry: false, meaning: 'no model, policy or batch of that name is stored' },
  damaged: { exit: 2, retry: false, meaning: 'what Redis holds is not what was stored there' },
  conflict: { exit: 2, retry: false, meaning: 'the name is taken by different content, or in use' },
  cancelled: { exit: 2, retry: false, meaning: 'the batch was cancelled; what was done before is kept' },
  'redis-away': { exit: 3, retry: true, meaning: 'Redis cannot be reached' },
  'redis-full': { exit: 3, retry: true, meaning: 'Redis has no room for more' },
  'redis-refused': { exit: 3, retry: false, meaning: 'Redis is there, but not for us as we are set up' },
  interrupted: {
    exit: 130,
    retry: false,
    meaning: 'stopped by a signal, or its output cannot be written any further; what was finished is kept',
  },
  'thread-lost': { exit: 1, retry: true, meaning: 'a solver thread died or overran and was replaced' },
  'prepare-limit': { exit: 2, retry: false, meaning: 'model and policy take longer to prepare than is allowed' },
  'too-often': { exit: 1, retry: false, meaning: 'taken again and again and never finished' },
  'bad-request': {
    exit: 2,
    retry: false,
    meaning: 'the head, query or JSON of the request is not as this server takes it',
  },
  'not-authenticated': { exit: 2, retry: false, meaning: 'the request carries no token that is known' },
  'not-allowed': { exit: 2, retry: false, meaning: 'the token does not have the role that this needs' },
  'no-such-route': { exit: 2, retry: false, meaning: 'the server has nothing under this method and path' },
  'unsupported-type': { exit: 2, retry: false, meaning: 'the body has a content type that is not taken here' },
  'too-many-requests': { exit: 2, retry: true, meaning: 'the token has used up its requests for this minute' },
  'too-slow': { exit: 2, retry: true, meaning: 'the request did not arrive in time' },
  internal: { exit: 1, retry: true, meaning: 'a bug of the server, which has logged it' },
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

export class ElsewiseError extends Error {
  override readonly name = 'ElsewiseError';
  readonly code: ErrorCode;
  /** Where in the document, e.g. `policy.features.age.direction`; empty when it is not about a place. */
  readonly path: string;

  constructor(code: ErrorCode, message: string, path = '') {
    super(path ? `${path}: ${message}` : message);
    this.code = code;
    this.path = path;
  }

  /** The message without the path. */
  get detail(): string {
    return this.path ? this.message.slice(this.path.length + 2) : this.message;
  }

  get exitCode(): number {
    return ERROR_CODES[this.code].exit;
  }
}

/** An error as it was stored: a code and a message. A code that is not in the table stands for a bug. */
export function storedError(code: string, message: string): ElsewiseError {
  return new ElsewiseError(Object.hasOwn(ERROR_CODES, code) ? (code as ErrorCode) : 'internal', message);
}
