/** The row of a record solved again on the server, and the keys that differ. */
import { useState } from 'preact/hooks';
import type { RecordedAnswer } from '../../../documents/audit-document.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { Notice } from '../../parts/notice.js';
import { request } from '../../requests.js';

interface Difference {
  readonly path: string;
  readonly before?: string;
  readonly after?: string;
}

interface Replay {
  readonly verdict: 'same' | 'excused' | 'differing' | 'other-row';
  readonly excuse?: string;
  readonly differences: readonly Difference[];
  readonly faults: readonly string[];
  readonly row: 'stored' | 'result' | 'features';
  readonly software: string;
}

const VERDICTS: Readonly<Record<Replay['verdict'], readonly [word: string, text: string]>> = {
  same: ['same', 'Solved again, the row has the same answer.'],
  excused: ['may differ', 'The answers differ, and time ended one of the searches.'],
  differing: ['differs', 'Solved again, the row has another answer.'],
  'other-row': ['other row', 'The row or its target is not the input of the record: nothing was compared.'],
};
const ROWS = {
  stored: 'The row comes from the stored answer.',
  result: 'The row comes from the result that you gave.',
  features: 'The row is the row that you gave. Its digest was compared with the record.',
};

const COLUMNS: readonly Column<Difference>[] = [
  { title: 'Key', cell: ({ path }) => <code>{path}</code> },
  { title: 'In the record', cell: ({ before }) => <code>{before ?? 'nothing'}</code> },
  { title: 'Solved again', cell: ({ after }) => <code>{after ?? 'nothing'}</code> },
];

export function ReplayPanel({ record: { number, index } }: { record: RecordedAnswer }) {
  const [replay, setReplay] = useState<Replay | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const [isBusy, setBusy] = useState(false);
  const [texts, setTexts] = useState({ row: '', policy: '' });
  const start = async () => {
    setBusy(true);
    setError(undefined);
    setReplay(undefined);
    await ask({ number, index, ...texts }).then(setReplay, setError);
    setBusy(false);
  };
  return (
    <div class="replay">
      <button type="button" class="main" disabled={isBusy} onClick={start}>
        Solve again
      </button>
      <details>
        <summary>Row or policy from elsewhere</summary>
        {FIELDS.map(({ name, label }) => (
          <label key={name}>
            {label}
            <textarea
              rows={3}
              spellcheck={false}
              onInput={({ currentTarget }) => setTexts({ ...texts, [name]: currentTarget.value })}
            />
          </label>
        ))}
      </details>
      {error !== undefined && <Notice error={error} />}
      <div role="status" aria-busy={isBusy}>
        {replay && <Verdict replay={replay} />}
      </div>
    </div>
  );
}

const FIELDS = [
  { name: 'row', label: 'A result, or the values of a row (JSON)' },
  { name: 'policy', label: 'The policy document (JSON), where the policy is not stored' },
] as const;

function Verdict({ replay }: { replay: Replay }) {
  const { verdict, excuse, differences, faults, row, software } = replay;
  const [word, text] = VERDICTS[verdict];
  return (
    <>
      <p>
        <span class={`badge ${verdict === 'same' ? 'yes-badge' : 'no-badge'}`}>{word}</span> {text}{' '}
        {excuse && `(${excuse}) `}
        {ROWS[row]}
      </p>
      <p class="quiet">Solved by {software}.</p>
      {faults.length > 0 && (
        <ul>
          {faults.map((fault) => (
            <li key={fault}>{fault}</li>
          ))}
        </ul>
      )}
      {differences.length > 0 && (
        <DataTable caption="Keys that differ" columns={COLUMNS} rows={differences} nothing="" />
      )}
    </>
  );
}

interface Asked {
  readonly number: number;
  readonly index: number;
  readonly row: string;
  readonly policy: string;
}

async function ask({ number, index, row, policy }: Asked): Promise<Replay> {
  const body = { number, index, ...readRow(row), ...(policy.trim() && { policy: readJson(policy, 'policy') }) };
  return request('POST', '/v1/replays', { body });
}

function readRow(text: string): object {
  if (text.trim() === '') return {};
  const given = readJson(text, 'row') as Record<string, unknown>;
  if (given.schema === 'elsewise.result/v1') return { result: given };
  return 'features' in given ? { features: given.features, target: given.target } : { features: given };
}

function readJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`The text of the ${name} is no JSON.`);
  }
}
