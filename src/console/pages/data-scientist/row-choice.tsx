/** The choice of rows: the background of the model, a batch, or pasted text. */
import { useEffect, useState } from 'preact/hooks';
import { type Loaded, useLoaded } from '../../loading.js';
import { BACKGROUND, listBatches, PASTED, readRows } from './comparison.js';

export interface ChosenRows {
  readonly source: string;
  /** CSV or NDJSON. Empty: no rows. */
  readonly text: string;
}

/** The rows of the choice, and its fields. `onRows` gets the text once it is there. */
export function RowChoice({ model, onRows }: { model: string; onRows: (text: string) => void }) {
  const [source, setSource] = useState<string | undefined>(undefined);
  const [pasted, setPasted] = useState('');
  const batches = useLoaded((signal) => listBatches(signal).catch(() => []), []);
  const known = batches.state === 'there' ? batches.value : [];
  const chosen = source ?? known[0] ?? BACKGROUND;
  const rows = useLoaded(
    async (signal) => (chosen === PASTED || !model || batches.state !== 'there' ? '' : readRows(chosen, model, signal)),
    [chosen, model, batches.state],
  );
  const text = chosen === PASTED ? pasted : rows.state === 'there' ? rows.value : '';
  useEffect(() => onRows(text), [text]);
  return (
    <>
      <label>
        Rows
        <select value={chosen} onChange={({ currentTarget }) => setSource(currentTarget.value)}>
          {known.map((id) => (
            <option key={id} value={id}>
              100 of batch {id}
            </option>
          ))}
          <option value={BACKGROUND}>background of the model</option>
          <option value={PASTED}>pasted rows</option>
        </select>
      </label>
      {chosen === PASTED && (
        <label>
          Rows as CSV with a header, or NDJSON
          <textarea rows={5} spellcheck={false} onChange={({ currentTarget }) => setPasted(currentTarget.value)} />
        </label>
      )}
      <Missing text={text} chosen={chosen} rows={rows} />
    </>
  );
}

function Missing({ text, chosen, rows }: { text: string; chosen: string; rows: Loaded<string> }) {
  if (text || rows.state === 'loading') return null;
  if (rows.state === 'refused') return <p class="quiet">The rows cannot be read: choose other rows.</p>;
  return (
    <p class="quiet">
      {chosen === PASTED ? 'Paste rows to see what the policy does.' : 'There are no rows here: choose other rows.'}
    </p>
  );
}
