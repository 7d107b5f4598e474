/** A comparison that follows its inputs. A newer question ends the request before, and the last answer stays until the next one is there. */
import { useEffect, useState } from 'preact/hooks';
import type { ComparisonDocument } from '../../../documents/comparison-document.js';
import { type AskedSide, askComparison } from './comparison.js';

export interface LiveComparison {
  readonly answer: ComparisonDocument | undefined;
  readonly error: unknown;
  readonly isBusy: boolean;
}

const PAUSE_MS = 200;

/** Undefined: there is no question at present. */
export interface LiveQuestion {
  readonly rows: string;
  readonly before: AskedSide;
  readonly after: AskedSide;
}

export function useComparison(question: LiveQuestion | undefined): LiveComparison {
  const [live, setLive] = useState<LiveComparison>({ answer: undefined, error: undefined, isBusy: false });
  useEffect(() => {
    setLive((last) => ({ ...last, isBusy: false }));
    if (!question) return;
    const ending = new AbortController();
    const ask = () => {
      setLive(({ answer, error }) => ({ answer, error, isBusy: true }));
      askComparison(question.rows, question.before, question.after, ending.signal).then(
        (answer) => setLive({ answer, error: undefined, isBusy: false }),
        (error) => ending.signal.aborted || setLive(({ answer }) => ({ answer, error, isBusy: false })),
      );
    };
    const timer = setTimeout(ask, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [JSON.stringify(question)]);
  return live;
}
