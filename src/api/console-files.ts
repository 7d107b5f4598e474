/**
 * The files of the console, read once at the start of the server. The build wrote each file three times: plain, and compressed with
 * Brotli and gzip. The names of scripts and styles hold a hash of their content, so browsers may keep them forever.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ElsewiseError } from '../documents/error.js';
import type { HttpAnswer } from './route.js';

const PAGE = 'index.html';
const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};
/** In the order of preference: content encoding and ending of the file. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/** Nothing from elsewhere, no inline code, no frames. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

export class ConsoleFiles {
  readonly #files: ReadonlyMap<string, Buffer>;

  /** Without the folder there is no console. */
  constructor(folder: URL) {
    const path = fileURLToPath(folder);
    const names = existsSync(path) ? readdirSync(path) : [];
    this.#files = new Map(names.map((name) => [name, readFileSync(new URL(name, folder))]));
  }

  page(acceptEncoding: string | undefined): HttpAnswer {
    return this.#answer(PAGE, acceptEncoding, 'no-cache');
  }

  asset(name: string, acceptEncoding: string | undefined): HttpAnswer {
    return this.#answer(name, acceptEncoding, 'public, max-age=31536000, immutable');
  }

  #answer(name: string, acceptEncoding: string | undefined, cacheControl: string): HttpAnswer {
    const type = TYPES[name.split('.').at(-1) ?? ''];
    const plain = this.#files.get(name);
    if (!plain || !type) throw new ElsewiseError('not-known', 'the console has no such file');
    const accepted = (acceptEncoding ?? '').split(',').map((one) => one.split(';')[0].trim());
    const packed = ENCODINGS.find(([coding, ending]) => accepted.includes(coding) && this.#files.has(name + ending));
    const headers = {
      'content-security-policy': CONTENT_SECURITY_POLICY,
      'cache-control': cacheControl,
      vary: 'accept-encoding',
      ...(packed && { 'content-encoding': packed[0] }),
    };
    return { status: 200, type, headers, body: packed ? this.#files.get(name + packed[1])! : plain };
  }
}
