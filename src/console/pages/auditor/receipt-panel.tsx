/** A receipt checked on the server: its signature, its dates, and its row, model and policy where these are given. */
import { useState } from 'preact/hooks';
import type { ReceiptDocument } from '../../../documents/receipt-document.js';
import { Notice } from '../../parts/notice.js';
import { request } from '../../requests.js';

interface Check {
  readonly state: string;
  readonly words: string;
  readonly receipt?: ReceiptDocument;
  readonly notes: readonly string[];
  readonly faults: readonly string[];
}

export function ReceiptPanel() {
  const [check, setCheck] = useState<Check | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    setError(undefined);
    setCheck(undefined);
    await ask((name) => String(form.get(name)).trim()).then(setCheck, setError);
  };
  return (
    <section class="card" aria-label="Check a receipt">
      <h2>Check a receipt</h2>
      <form onSubmit={submit}>
        <label>
          Receipt
          <textarea name="receipt" rows={3} spellcheck={false} required />
        </label>
        <details>
          <summary>Row, model and policy of the receipt</summary>
          <label>
            The values of the row (JSON)
            <textarea name="row" rows={3} spellcheck={false} />
          </label>
          <div class="pair">
            <label>
              Model of the receipt
              <input name="model" autoComplete="off" />
            </label>
            <label>
              Policy of the receipt
              <input name="policy" autoComplete="off" />
            </label>
          </div>
        </details>
        <button type="submit" class="main">
          Check the receipt
        </button>
      </form>
      {error !== undefined && <Notice error={error} />}
      <div role="status">{check && <Verdict check={check} />}</div>
    </section>
  );
}

function Verdict({ check: { state, words, receipt, notes, faults } }: { check: Check }) {
  const isGood = state === 'valid' && faults.length === 0;
  return (
    <>
      <p>
        <span class={`badge ${isGood ? 'yes-badge' : 'no-badge'}`}>{state}</span> {words}
      </p>
      {receipt && (
        <p>
          {receipt.id}: {String(receipt.decision.prediction)}, offers: {receipt.offers.length}
        </p>
      )}
      <ul>
        {faults.map((fault) => (
          <li key={fault}>wrong: {fault}</li>
        ))}
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </>
  );
}

async function ask(textOf: (name: string) => string): Promise<Check> {
  const row = textOf('row');
  const given = row ? (JSON.parse(row) as Record<string, unknown>) : undefined;
  const features = given && 'features' in given ? given.features : given;
  const [model, policy] = [textOf('model'), textOf('policy')];
  const body = {
    receipt: textOf('receipt'),
    ...(features !== undefined && { features }),
    ...(model && { model }),
    ...(policy && { policy: policy.startsWith('{') ? JSON.parse(policy) : policy }),
  };
  return request('POST', '/v1/receipt-checks', { body });
}
