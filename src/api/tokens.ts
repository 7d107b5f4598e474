/**
 * Authentication. A token is 256 random bits that only the caller has. The configuration holds the SHA-256 of the token. A bearer token is
 * compared with every known hash in constant time: the time reveals neither the position in the list nor a common prefix. A fast hash
 * suffices, because 256 random bits cannot be guessed.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { ElsewiseError } from '../documents/error.js';
import type { ApiSettings } from './settings.js';

export type TokenEntry = ApiSettings['tokens'][number];
export type Role = TokenEntry['roles'][number];

export const ROLES = ['submit', 'read', 'audit', 'admin'] as const satisfies readonly Role[];

/** The requirement of a route: a role, any token (`known`), or nothing. */
export type Access = Role | 'known' | 'anyone';

export interface Caller {
  readonly name: string;
  readonly roles: readonly Role[];
  readonly ratePerMinute?: number;
}

const PREFIX = 'elsewise_';
const BEARER = /^Bearer +([\x21-\x7e]{1,512})$/i;
/** The caller of a server without tokens, which serves the loopback only. */
const ANYONE: Caller = { name: 'anyone', roles: ['admin'] };

export function createToken(): string {
  return `${PREFIX}${randomBytes(32).toString('base64url')}`;
}

export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

interface KnownToken {
  readonly caller: Caller;
  readonly hash: Buffer;
}

export class TokenTable {
  readonly #entries: readonly KnownToken[];
  readonly #isOpen: boolean;

  /** `isOpen`: every caller has all rights without a token. */
  constructor(tokens: readonly TokenEntry[], isOpen: boolean) {
    refuseTwins(tokens);
    this.#isOpen = isOpen;
    this.#entries = tokens.map(({ sha256, ...caller }) => ({ caller, hash: Buffer.from(sha256, 'hex') }));
  }

  /** Identifies a caller by the header `Authorization`. Undefined: unknown token. */
  identify(authorization: string | undefined): Caller | undefined {
    if (this.#isOpen) return ANYONE;
    const token = BEARER.exec(authorization ?? '')?.[1];
    return token === undefined ? undefined : this.holderOf(hashToken(token));
  }

  /** The caller with the token of this SHA-256. Undefined: the settings have no such token, or no longer. */
  holderOf(sha256: string): Caller | undefined {
    const hash = Buffer.from(sha256, 'hex');
    return this.#entries.filter((entry) => timingSafeEqual(entry.hash, hash))[0]?.caller;
  }
}

/** An admin has all rights. */
export function mayDo(caller: Caller, access: Access): boolean {
  return access === 'anyone' || access === 'known' || caller.roles.includes(access) || caller.roles.includes('admin');
}

function refuseTwins(tokens: readonly TokenEntry[]): void {
  for (const key of ['name', 'sha256'] as const) {
    const values = tokens.map((token) => token[key]);
    const twin = tokens.find((token, i) => values.indexOf(token[key]) !== i);
    if (twin) throw new ElsewiseError('usage', `two tokens have the ${key} of "${twin.name}"`, 'api.tokens');
  }
}
