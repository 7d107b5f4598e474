/**
 * Requests to the API of the same server. The browser adds the cookie of the session. The header shows that a page of the console sends
 * the request: other sites cannot send the header.
 */

/** The problem document of a refused request. */
export interface ProblemBody {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly path: string;
  readonly faults?: readonly { readonly path: string; readonly message: string }[];
}

export class RefusedRequest extends Error {
  constructor(readonly problem: ProblemBody) {
    super(problem.detail);
  }
}

export interface RequestOptions {
  /** An object is sent as JSON. Text needs its content type in `headers`. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

const HEADERS = { 'x-elsewise-console': '1' };
const UNREACHABLE = { status: 0, code: 'unreachable', detail: 'The server cannot be reached.', path: '' };

type Listener = () => void;
const listeners = new Set<Listener>();

/** Called when the server no longer knows the session. Returns the function that ends this. */
export function onSignedOut(listener: Listener): Listener {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The body of the answer as JSON. Throws `RefusedRequest`. */
export async function request<T>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
  const response = await send(method, path, options);
  return (response.status === 204 ? undefined : await response.json()) as T;
}

/** The answer itself, for other content than JSON. Throws `RefusedRequest`. */
export async function send(method: string, path: string, options: RequestOptions = {}): Promise<Response> {
  const { body, headers, signal } = options;
  const isText = typeof body === 'string' || body === undefined;
  const response = await fetch(path, {
    method,
    signal,
    headers: { ...HEADERS, ...(isText ? {} : { 'content-type': 'application/json' }), ...headers },
    body: isText ? (body as string | undefined) : JSON.stringify(body),
    credentials: 'same-origin',
  }).catch((error: unknown) => {
    if ((error as Error).name === 'AbortError') throw error;
    throw new RefusedRequest(UNREACHABLE);
  });
  if (response.ok) return response;
  if (response.status === 401) for (const listener of listeners) listener();
  throw new RefusedRequest(await problemOf(response));
}

async function problemOf(response: Response): Promise<ProblemBody> {
  const nothing = {
    status: response.status,
    code: 'unknown',
    detail: `The server answered ${response.status}.`,
    path: '',
  };
  return response.json().catch(() => nothing);
}

/** The text of an error for people. */
export function inWords(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
