/**
 * Sessions of the console. A browser signs in with a token and gets a cookie with a random id in its place: scripts see neither. The cookie
 * counts only beside a header that no other site can send without the consent of this server (CSRF), and only from pages of this server.
 * A page or a file that a browser opens by itself has no such header. The cookie counts for these too: they change nothing, the cookie is
 * `SameSite=Strict`, and other sites can neither read nor frame them. A session ends with its time, by signing out, or once the settings no longer have its token.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { ElsewiseError } from '../documents/error.js';
import { Keys } from '../store/keys.js';
import { SessionStore } from '../store/sessions/session-store.js';
import type { Store } from '../store/store.js';
import type { ApiSettings } from './settings.js';
import { type Caller, hashToken, type TokenTable } from './tokens.js';

/** The header of every request of the console. */
export const CONSOLE_HEADER = 'x-elsewise-console';
const COOKIE = 'elsewise-session';
const SAFE_METHODS = ['GET', 'HEAD'];

type SessionSettings = Pick<ApiSettings, 'sessionSeconds' | 'failedSignIns' | 'secureCookies'>;
type Headers = Pick<IncomingHttpHeaders, 'cookie' | 'origin' | 'host'> & { readonly [name: string]: unknown };

export interface SignIn {
  readonly token: string;
  /** The network address of the client. */
  readonly address: string;
  readonly origin: string | undefined;
}

export class Sessions {
  readonly #store: SessionStore;
  readonly #tokens: TokenTable;
  readonly #settings: SessionSettings;

  constructor({ redis, settings: { keyPrefix } }: Store, tokens: TokenTable, settings: SessionSettings) {
    this.#store = new SessionStore(redis, new Keys(keyPrefix));
    this.#tokens = tokens;
    this.#settings = settings;
  }

  /** The caller of a request with a cookie. Undefined: no cookie, or its session has ended. */
  async identify(method: string, headers: Headers, isPage = false): Promise<Caller | undefined> {
    const id = readCookie(headers.cookie);
    if (id === undefined) return undefined;
    if (isPage) refuseEmbedded(headers);
    else refuseForeign(method, headers);
    const token = await this.#store.tokenOf(id);
    return token === undefined ? undefined : this.#tokens.holderOf(token);
  }

  /** The caller, and the header that sets the cookie. Throws for an unknown token and after too many failures. */
  async signIn({ token, address, origin }: SignIn): Promise<{ caller: Caller; cookie: string }> {
    const { failedSignIns, sessionSeconds } = this.#settings;
    if ((await this.#store.failures(address)) >= failedSignIns)
      throw new ElsewiseError('too-many-requests', 'too many failed sign-ins: wait a minute');
    const sha256 = hashToken(token);
    const caller = this.#tokens.holderOf(sha256);
    if (!caller) {
      await this.#store.countFailure(address);
      throw new ElsewiseError('not-authenticated', 'this token is not known', 'body.token');
    }
    const id = await this.#store.create(sha256, sessionSeconds);
    return { caller, cookie: this.#cookie(id, sessionSeconds, origin) };
  }

  /** The header that clears the cookie. */
  async signOut(headers: Headers): Promise<string> {
    const id = readCookie(headers.cookie);
    if (id !== undefined) await this.#store.end(id);
    return this.#cookie('', 0, headers.origin);
  }

  #cookie(id: string, seconds: number, origin: string | undefined): string {
    const isSecure = this.#settings.secureCookies || origin?.startsWith('https:');
    const attributes = ['Path=/', 'HttpOnly', 'SameSite=Strict', `Max-Age=${seconds}`, ...(isSecure ? ['Secure'] : [])];
    return [`${COOKIE}=${id}`, ...attributes].join('; ');
  }
}

/** Refuses requests that a page of another site may have caused. A request that changes something names its page in `Origin`. */
export function refuseForeign(method: string, headers: Headers): void {
  const refuse = (text: string, name: string) => new ElsewiseError('not-allowed', text, `headers.${name}`);
  if (headers[CONSOLE_HEADER] === undefined) throw refuse('a session counts only in the console', CONSOLE_HEADER);
  const { origin, host } = headers;
  if (origin === undefined && SAFE_METHODS.includes(method)) return;
  if (!isOwnOrigin(origin, host)) throw refuse('the request does not come from a page of this server', 'origin');
}

/** Browsers tell the site that caused a request (over HTTPS, and on this machine). `none`: the person opened the address. */
function refuseEmbedded(headers: Headers): void {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return;
  throw new ElsewiseError(
    'not-allowed',
    'the request does not come from a page of this server',
    'headers.sec-fetch-site',
  );
}

function isOwnOrigin(origin: string | undefined, host: string | undefined): boolean {
  return origin !== undefined && URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();
}

function readCookie(header: string | undefined): string | undefined {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim().split('='));
  return pairs.find(([name, value]) => name === COOKIE && value)?.[1];
}
