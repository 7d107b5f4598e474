/** SIGINT and SIGTERM as an AbortSignal: the first asks to finish, the second ends the process at once. */

export const INTERRUPTED_EXIT_CODE = 130;

/** Commands that run in this process. The process listens once, for all of them. */
const running: AbortController[] = [];
let isAsked = false;

export function interruptSignal(): AbortSignal {
  if (running.length === 0) for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, interrupt);
  const controller = new AbortController();
  running.push(controller);
  return controller.signal;
}

function interrupt(): void {
  if (isAsked) process.exit(INTERRUPTED_EXIT_CODE);
  isAsked = true;
  for (const controller of running) controller.abort();
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
