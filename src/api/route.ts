/**
 * A route: data for the server, for the OpenAPI document and for the tests, and a function that answers. Schemas check parameters, query
 * and body before the function is called. An error that it throws becomes a problem document.
 */
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { ReadEvent } from '../jobs/events/read-event.js';
import type { NamedSchema } from './schemas.js';
import type { Service } from './service.js';
import type { ApiSettings } from './settings.js';
import type { Access, Role } from './tokens.js';

/**
 * `bytes`: text of these types, streamed. `event`: read whole, up to the limit of that name in the settings, and checked. `document`: the
 * same, passed on unchanged. `json`: JSON, checked; a few lines, unless it names a limit.
 */
export type BodySpec =
  | {
      readonly kind: 'event' | 'document';
      readonly schema: NamedSchema;
      readonly limit: keyof Pick<ApiSettings, 'bodyBytes' | 'modelBytes'>;
    }
  | { readonly kind: 'json'; readonly schema: NamedSchema; readonly limit?: 'bodyBytes' }
  | { readonly kind: 'bytes'; readonly types: Readonly<Record<string, string>> };

export interface ResponseSpec {
  readonly description: string;
  /** Content type; JSON by default. */
  readonly type?: string;
  /** Further content types, which the request may ask for. */
  readonly others?: readonly string[];
  /** The schema of JSON, or of each line of NDJSON. */
  readonly schema?: NamedSchema;
  readonly headers?: Readonly<Record<string, string>>;
  /** The response has no body. */
  readonly isEmpty?: boolean;
}

type BodyOf<B> = B extends { kind: 'event' }
  ? ReadEvent
  : B extends { kind: 'document' }
    ? Buffer
    : B extends { kind: 'json'; schema: NamedSchema<infer S> }
      ? z.output<S>
      : B extends { kind: 'bytes' }
        ? Upload
        : undefined;

export interface Upload {
  /** In pieces, as they arrive. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** The value in the route's `types` for the content type. */
  readonly name: string;
}

export interface Call<P, Q, H, B> {
  readonly params: P;
  readonly query: Q;
  readonly headers: H;
  readonly body: B;
  readonly service: Service;
  /** The name of the token; undefined for a route without authentication. */
  readonly caller: string | undefined;
  /** The roles of the token. */
  readonly roles: readonly Role[];
  /** The network address of the client, or of the proxy in front of the server. */
  readonly address: string;
  /** Aborted when no client waits for the answer: the client disconnected, or was told that Redis is unreachable. */
  readonly gone: AbortSignal;
}

export interface HttpAnswer {
  readonly status: number;
  /** An object becomes JSON. Text and bytes are sent unchanged. */
  readonly body: object | string | Uint8Array | Readable;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Route<
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
  H extends z.ZodObject = z.ZodObject,
  B extends BodySpec | undefined = BodySpec | undefined,
> {
  /** The name of the operation in the OpenAPI document. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `/v1/batches/:id`. A colon that does not follow a slash is text: `/v1/models/:name:explain`. */
  readonly path: string;
  readonly summary: string;
  readonly access: Access;
  /** A browser opens the answer by itself, as a page or a file: a session counts without the header of the console. For reading only. */
  readonly isPage?: boolean;
  /** Whether the route works without Redis. */
  readonly worksAlone?: boolean;
  readonly params?: P;
  readonly query?: Q;
  /** Header names in lower case. Other headers are ignored. */
  readonly headers?: H;
  readonly body?: B;
  readonly responses: Readonly<Record<number, ResponseSpec>>;
  answer(call: Call<z.output<P>, z.output<Q>, z.output<H>, BodyOf<B>>): Promise<HttpAnswer>;
}

/** Infers the types of a route from its schemas. */
export function defineRoute<
  P extends z.ZodObject,
  Q extends z.ZodObject,
  H extends z.ZodObject,
  const B extends BodySpec | undefined = undefined,
>(route: Route<P, Q, H, B>): Route {
  return route as unknown as Route;
}
