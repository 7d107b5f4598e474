/** Words about the state of a page, read aloud by screen readers when they change. */
import type { ComponentChildren } from 'preact';
import type { Loaded } from '../loading.js';
import { inWords, RefusedRequest } from '../requests.js';

interface FaultLine {
  readonly path: string;
  readonly message: string;
}

export function FaultList({ faults }: { faults: readonly FaultLine[] }) {
  return (
    <ul>
      {faults.map(({ path, message }) => (
        <li key={path + message}>
          <code>{path}</code> {message}
        </li>
      ))}
    </ul>
  );
}

/** An error with all its faults. */
export function Notice({ error }: { error: unknown }) {
  const faults = error instanceof RefusedRequest ? (error.problem.faults ?? []) : [];
  return (
    <div class="notice" role="alert">
      <p>{inWords(error)}</p>
      {faults.length > 1 && <FaultList faults={faults} />}
    </div>
  );
}

/** Loading, the error, or the content. */
export function Outcome<T>({ of, children }: { of: Loaded<T>; children: (value: T) => ComponentChildren }) {
  if (of.state === 'loading')
    return (
      <p class="quiet" role="status">
        Loading
      </p>
    );
  if (of.state === 'refused') return <Notice error={of.error} />;
  return <>{children(of.value)}</>;
}
