/**
 * The one table of coded errors. A throw is a bug or bad input: bad input is an `ElsewiseError` with a code from
 * this table; a status such as "infeasible" is a result and never thrown.
 */
export const ERROR_CODES = {
  usage: { exit: 2, retry: false, meaning: 'the command line is wrong' },
  'bad-document': { exit: 2, retry: false, meaning: 'a model, policy or job document does not fit its schema' },
  'bad-probe': { exit: 2, retry: false, meaning: 'the model does not give the scores that its probes promise' },
  'bad-row': { exit: 2, retry: false, meaning: 'a row does not fit the features of the model' },
  'bad-input': { exit: 2, retry: false, meaning: 'an input file cannot be read as rows' },
  unsupported: { exit: 2, retry: false, meaning: 'the document asks for something this version does not do' },
  'not-known': { exit: 2, retry: false, meaning: 'no model, policy or batch of that name is stored' },
  conflict: { exit: 2, retry: false, meaning: 'the name is taken by different content' },
  cancelled: { exit: 2, retry: false, meaning: 'the batch was cancelled; what was done before is kept' },
  'redis-away': { exit: 3, retry: true, meaning: 'Redis cannot be reached' },
  interrupted: { exit: 130, retry: false, meaning: 'stopped by a signal; what was finished is kept' },
  'thread-lost': { exit: 1, retry: true, meaning: 'a solver thread died or overran and was replaced' },
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

  get exitCode(): number {
    return ERROR_CODES[this.code].exit;
  }
}
