/** Failures between elsewise and Redis, each in one line with advice. redis-words.ts distinguishes them. */
import { ElsewiseError, type ErrorCode } from '../../documents/error.js';
import { type AddressSettings, locate, showAddress } from './redis-address.js';
import { isSaid, type Word } from './redis-words.js';

interface KnownFailure {
  readonly when: readonly Word[];
  readonly code: ErrorCode;
  readonly advice: string;
  /** Only for connections with TLS. Elsewhere the same text has another cause. */
  readonly isTls?: true;
}

const CREDENTIALS = 'redis://user:password@host, ELSEWISE_STORE_USERNAME, ELSEWISE_STORE_PASSWORD or ..._PASSWORD_FILE';
const OWN_CERTIFICATE = 'ELSEWISE_STORE_CERT_FILE and ELSEWISE_STORE_KEY_FILE';
/** The connection ended without a reason. */
export const BROKEN: readonly Word[] = ['tlsCut', 'reset', 'closed'];
const ANOTHER = 'start it, or name another one by --redis or REDIS_URL';
const refused = (word: Word, advice: string): KnownFailure => ({ when: [word], code: 'redis-refused', advice });
const away = (when: readonly Word[], advice: string): KnownFailure => ({ when, code: 'redis-away', advice });

/** The first matching entry counts, so specific entries come first. */
const KNOWN: readonly KnownFailure[] = [
  refused('wrongPassword', `check user name and password (${CREDENTIALS})`),
  refused('noPassword', `it asks for a password: give one by ${CREDENTIALS}`),
  refused(
    'protectedMode',
    'it takes connections from its own machine only: give it a password or users with an ACL, then set protected-mode no',
  ),
  refused('notPermitted', 'let the user do this, see the ACL in docs/redis.md'),
  refused(
    'unknownAuthority',
    'the authority of its certificate is unknown: name the authority by ELSEWISE_STORE_CA_FILE',
  ),
  refused(
    'otherHost',
    'its certificate is for another host: use the name in the certificate, or give that name by ELSEWISE_STORE_SERVER_NAME',
  ),
  refused('expired', 'renew its certificate, or set the clock'),
  refused('noCertificate', `it asks for a client certificate that it knows: ${OWN_CERTIFICATE}`),
  refused('noTls', 'it does not speak TLS on that port: write redis instead of rediss, or use its TLS port'),
  refused('noRedis', 'the server on that port is not Redis: check host and port'),
  refused('noCluster', 'it is no Cluster: write redis:// instead of redis+cluster://'),
  refused(
    'otherSlot',
    'it is a node of a Cluster: write redis+cluster://, or all keys of a queue must be under a prefix in braces',
  ),
  refused('noSentinel', 'it is no Sentinel: write redis:// instead of redis+sentinel://'),
  away(['noSentinels'], 'start them, or check their addresses, password and the name of the master'),
  away(['clusterDown'], 'the Cluster does not serve all slots: see redis-cli --cluster check'),
  {
    when: ['full'],
    code: 'redis-full',
    advice: 'it is full: wait until workers have made room, or raise its maxmemory',
  },
  away(['noDisk'], 'it cannot write to its disk and takes no more data: make room, or see its log'),
  {
    ...away(BROKEN, `start it, or, if it runs, give it a client certificate that it knows: ${OWN_CERTIFICATE}`),
    isTls: true,
  },
  {
    ...away(['silent'], 'start it, or, if it is there without TLS on that port, write redis instead of rediss'),
    isTls: true,
  },
  away(BROKEN, 'start it, or, if it is there, check whether it wants TLS (rediss://) or another port'),
  away(['gaveUp', 'redirected', 'noNode'], ANOTHER),
  away(['unreachable', 'silent'], ANOTHER),
];

/** An error of the connection, or a refusal, as a coded error. Other errors are returned unchanged. */
export function asRedisFailure(settings: AddressSettings, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ElsewiseError) return error;
  const text = textOf(error);
  const { isEncrypted } = locate(settings);
  const known = KNOWN.find(({ when, isTls }) => isSaid(text, when) && (isEncrypted || !isTls));
  return known ? failure(settings, error, known) : error;
}

/** A coded error for any failure to connect to Redis. */
export function connectFailure(settings: AddressSettings, error: Error): ElsewiseError {
  const coded = asRedisFailure(settings, error);
  if (coded instanceof ElsewiseError) return coded;
  return failure(settings, error, away([], 'check that it is Redis, and its log'));
}

function failure(settings: AddressSettings, error: Error, { code, advice }: KnownFailure): ElsewiseError {
  const verb = code === 'redis-away' ? 'reach' : 'use';
  const place = showAddress(locate(settings));
  return new ElsewiseError(code, `cannot ${verb} Redis at ${place} (${reasonOf(error)}): ${advice}`);
}

/** A denial without details gets the command and its key from the client. */
function reasonOf(error: Error): string {
  const cause = lastError(error);
  const reason = (cause.message || codeOf(cause) || cause.name).split('\n')[0].trim().replace(/\.$/, '');
  const { command } = cause as { command?: { name: string; args: unknown[] } };
  if (!command || !isSaid(reason, ['notPermitted'])) return reason;
  const key = command.args.find((arg) => typeof arg === 'string' && arg.includes(':'));
  return `${reason}; the command was ${command.name.toUpperCase()}${key ? ` ${key}` : ''}`;
}

function textOf(error: Error): string {
  const cause = lastError(error);
  return [error.name, error.message, codeOf(error) ?? '', cause.message, codeOf(cause) ?? ''].join(' ');
}

/** For a Cluster: the error of its last node. */
export function lastError(error: Error): Error {
  return (error as { lastNodeError?: Error }).lastNodeError ?? error;
}

function codeOf(error: Error): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
