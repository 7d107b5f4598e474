/**
 * What a route is: data for the server, for the OpenAPI document and for the tests, and a function that answers. Parameters,
 * query and body are checked by their schemas before it is called; an error it throws becomes a problem document.
 */
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { ReadEvent } from '../jobs/events/read-event.js';
import type { NamedSchema } from './schemas.js';
import type { Service } from './service.js';
import type { ApiSettings } from './settings.js';
import type { Access } from './tokens.js';

/**
 * `bytes`: text of these types, streamed; `event`: read whole, up to the limit of that name in the settings, and checked; `document`: the
 * same, given on as it came.
 */
export type BodySpec =
  | {
      readonly kind: 'event' | 'document';
      readonly schema: NamedSchema;
      readonly limit: keyof Pick<ApiSettings, 'bodyBytes' | 'modelBytes'>;
    }
  | { readonly kind: 'bytes'; readonly types: Readonly<Record<string, string>> };

export interface ResponseSpec {
  readonly description: string;
  /** Content type; JSON unless given. */
  readonly type?: string;
  /** Of JSON, or of each line of NDJSON. */
  readonly schema?: NamedSchema;
  readonly headers?: Readonly<Record<string, string>>;
}

type BodyOf<B> = B extends { kind: 'event' }
  ? ReadEvent
  : B extends { kind: 'document' }
    ? Buffer
    : B extends { kind: 'bytes' }
      ? Upload
      : undefined;

export interface Upload {
  /** In pieces, as they arrive. */
  readonly bytes: AsyncIterable<Uint8Array>;
  /** What `types` of the route has for its content type. */
  readonly name: string;
}

export interface Call<P, Q, H, B> {
  readonly params: P;
  readonly query: Q;
  readonly headers: H;
  readonly body: B;
  readonly service: Service;
  /** The name of the token; of a route that asks for none, undefined. */
  readonly caller: string | undefined;
  /** Aborted when no client waits for the answer: the client is gone, or was told that Redis is away. */
  readonly gone: AbortSignal;
}

export interface HttpAnswer {
  readonly status: number;
  /** An object becomes JSON; text is sent as it is. */
  readonly body: object | string | Readable;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Route<
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
  H extends z.ZodObject = z.ZodObject,
  B extends BodySpec | undefined = BodySpec | undefined,
> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `/v1/batches/:id` */
  readonly path: string;
  readonly summary: string;
  readonly access: Access;
  /** Whether it works while Redis is away. */
  readonly worksAlone?: boolean;
  readonly params?: P;
  readonly query?: Q;
  /** Names in lower case; others are ignored. */
  readonly headers?: H;
  readonly body?: B;
  readonly responses: Readonly<Record<number, ResponseSpec>>;
  answer(call: Call<z.output<P>, z.output<Q>, z.output<H>, BodyOf<B>>): Promise<HttpAnswer>;
}

/** Keeps the types of a route within it, where they matter. */
export function defineRoute<
  P extends z.ZodObject,
  Q extends z.ZodObject,
  H extends z.ZodObject,
  const B extends BodySpec | undefined = undefined,
>(route: Route<P, Q, H, B>): Route {
  return route as unknown as Route;
}
