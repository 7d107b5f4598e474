/** The days of the record as a picture, the check of their chain with its progress, and the export. */
import { useState } from 'preact/hooks';
import { formatNumber } from '../../../report/numbers.js';
import { useLoaded } from '../../loading.js';
import { Notice, Outcome } from '../../parts/notice.js';
import { request, send } from '../../requests.js';

interface Day {
  readonly day: string;
  readonly entries: number;
  readonly records: number;
  readonly isStored: boolean;
}

interface Check {
  readonly state: 'checking' | 'holds' | 'broken';
  readonly entries: number;
  readonly records: number;
  readonly redacted?: number;
  readonly of: number;
  readonly head?: string;
  readonly dropped?: number;
  readonly fault?: string;
}

interface Span {
  readonly from: string;
  readonly to: string;
}

interface Question extends Span {
  /** A digest that was noted before. Empty: none. */
  readonly head: string;
}

export function Chain() {
  const loaded = useLoaded((signal) => request<{ days: Day[] }>('GET', '/v1/audit/days', { signal }), []);
  const [span, setSpan] = useState<Span>({ from: '', to: '' });
  const [head, setHead] = useState('');
  const [check, setCheck] = useState<Check | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const start = async () => {
    setError(undefined);
    await runCheck({ ...span, head: head.trim() }, setCheck).catch(setError);
  };
  return (
    <section class="card" aria-label="The chain">
      <h2>The chain</h2>
      <Outcome of={loaded}>{({ days }) => <Days days={days} />}</Outcome>
      <div class="pair">
        {(['from', 'to'] as const).map((end) => (
          <label key={end}>
            {end === 'from' ? 'First day' : 'Last day'}
            <input
              type="date"
              value={span[end]}
              onInput={({ currentTarget }) => setSpan({ ...span, [end]: currentTarget.value })}
            />
          </label>
        ))}
      </div>
      <label>
        Digest that was noted before (may stay empty)
        <input value={head} placeholder="sha256:..." onInput={({ currentTarget }) => setHead(currentTarget.value)} />
      </label>
      <div class="actions">
        <button type="button" class="main" disabled={check?.state === 'checking'} onClick={start}>
          Check the chain
        </button>
        <a class="button" href={`/v1/audit/export${queryOf(span)}`} download>
          Export
        </a>
      </div>
      {error !== undefined && <Notice error={error} />}
      {check && <Verdict check={check} />}
    </section>
  );
}

function Days({ days }: { days: readonly Day[] }) {
  const records = days.reduce((sum, day) => sum + day.records, 0);
  const most = Math.max(1, ...days.map((day) => day.records));
  const width = Math.min(24, 240 / Math.max(1, days.length));
  if (!days.length)
    return <p class="quiet">Nothing is recorded yet. The setting audit.enabled of workers starts the record.</p>;
  const words = `${formatNumber(records)} records on ${formatNumber(days.length)} days`;
  return (
    <figure class="days">
      <p class="figure">{formatNumber(records)}</p>
      <p class="quiet">
        records, {days[0].day} to {days[days.length - 1].day}
      </p>
      <svg viewBox="0 0 240 40" role="img" aria-label={words}>
        {days.map(({ day, records: count, isStored }, k) => (
          <rect
            key={day}
            class={isStored ? '' : 'dropped'}
            x={k * width}
            y={40 - Math.max(2, (40 * count) / most)}
            width={Math.max(0.5, width - 1)}
            height={Math.max(2, (40 * count) / most)}
          >
            <title>{`${day}: ${formatNumber(count)}`}</title>
          </rect>
        ))}
      </svg>
    </figure>
  );
}

function Verdict({ check }: { check: Check }) {
  const { state, entries, records, redacted = 0, of, head, dropped = 0, fault } = check;
  const told = `${formatNumber(records)} records in ${formatNumber(entries)} entries`;
  return (
    <>
      <progress
        max={Math.max(of, 1)}
        value={state === 'holds' ? Math.max(of, 1) : entries}
        aria-label="Progress of the check"
      />
      <div role="status">
        {state === 'checking' && <p class="quiet">Checking: {told}</p>}
        {state === 'holds' && (
          <p>
            <span class="badge yes-badge">holds</span> {told}
            {redacted > 0 && `, ${formatNumber(redacted)} of them removed`}
            {dropped > 0 && `, behind ${dropped} dropped days`}.
          </p>
        )}
        {state === 'broken' && (
          <p>
            <span class="badge no-badge">broken</span> {fault}
          </p>
        )}
        {head && state === 'holds' && (
          <p class="quiet">
            Last entry <code class="digest">{head}</code>
          </p>
        )}
      </div>
    </>
  );
}

const queryOf = (span: Span): string => {
  const given = Object.entries(span).filter(([, value]) => value !== '');
  return given.length ? `?${new URLSearchParams(given)}` : '';
};

/** Each line of the answer is a step of the check. */
async function runCheck(question: Question, onStep: (check: Check) => void): Promise<void> {
  const response = await send('GET', `/v1/audit/check${queryOf(question)}`);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let held = '';
  for (;;) {
    const { done, value } = await reader.read();
    const lines = `${held}${value ?? ''}`.split('\n');
    held = lines.pop() ?? '';
    const last = lines.filter(Boolean).at(-1);
    if (last) onStep(JSON.parse(last) as Check);
    if (done) return;
  }
}
