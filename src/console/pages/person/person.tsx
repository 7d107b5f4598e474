/** A person's values, the answer about the values, and the wishes for new plans. */
import { useLayoutEffect, useState } from 'preact/hooks';
import type { OverlayInput, PolicyInput } from '../../../documents/policy-document.js';
import type { ResultDocument } from '../../../documents/result-document.js';
import { Notice } from '../../parts/notice.js';
import { request } from '../../requests.js';
import { Answer, type ShownAnswer } from './answer.js';
import { type KeptRow, rowFor } from './kept-row.js';
import type { OpenedAnswer } from './opened-answer.js';
import type { Population, RowOfFeatures } from './population.js';
import { RowForm } from './row-form.js';
import { WhatIf } from './what-if.js';
import { overlayOf, type Wishes, WishesForm } from './wishes.js';

interface PersonProps {
  readonly model: string;
  readonly policyName: string;
  readonly policy: PolicyInput | undefined;
  readonly population: Population;
  readonly opened: OpenedAnswer | undefined;
  /** The values of the form, which stay when another model or policy is chosen. */
  readonly kept: { current: KeptRow | undefined };
  onOpen(id: string): void;
}

export function Person({ model, policyName, policy, population, opened, kept, onOpen }: PersonProps) {
  const factual = opened?.result.factual?.features as RowOfFeatures | undefined;
  const [row, setShownRow] = useState<RowOfFeatures>(
    factual ?? rowFor(population.features, kept.current) ?? population.rows[0] ?? {},
  );
  const [wishes, setWishes] = useState<Wishes>({ features: {} });
  const [shown, setShown] = useState<ShownAnswer | undefined>(
    opened && {
      result: opened.result,
      isItsModel: opened.model !== undefined,
      isItsPolicy: opened.policy !== undefined,
    },
  );
  const [error, setError] = useState<unknown>(undefined);
  const [isBusy, setBusy] = useState(false);
  /** The values are kept at once: an effect would run only after the next picture. */
  const keep = (values: RowOfFeatures) => {
    kept.current = { features: population.features, row: values };
  };
  const setRow = (values: RowOfFeatures) => {
    keep(values);
    setShownRow(values);
  };
  useLayoutEffect(() => keep(row), []);
  const show = (result: ResultDocument, overlay: OverlayInput | undefined) => {
    setShown({ result, overlay, isItsModel: true, isItsPolicy: true });
    if (result.factual) setRow(result.factual.features as RowOfFeatures);
  };
  const make = async () => {
    const target = policy?.target === undefined ? population.classes[1] : undefined;
    const overlay = overlayOf(wishes);
    const body = { model, policy: policyName || undefined, features: row, target, overlay };
    setBusy(true);
    setError(undefined);
    const asking = request<ResultDocument>('POST', '/v1/explanations?waitMs=20000', { body });
    await asking.then((result) => show(result, overlay), setError);
    setBusy(false);
  };
  return (
    <>
      <details class="card" open={!shown}>
        <summary>The person's details</summary>
        <RowForm population={population} row={row} onChange={setRow} />
        <LoadById onId={onOpen} />
      </details>
      {error !== undefined && <Notice error={error} />}
      <WhatIf model={model} row={row} population={population} />
      <div class="person">
        <section aria-live="polite" aria-busy={isBusy}>
          {shown && <Answer {...{ ...shown, population, policyName, policy, row }} />}
        </section>
        <WishesForm
          features={population.features}
          policy={policy}
          wishes={wishes}
          isBusy={isBusy}
          onChange={setWishes}
          onMake={make}
        />
      </div>
    </>
  );
}

function LoadById({ onId }: { onId: (id: string) => void }) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const id = String(new FormData(event.currentTarget as HTMLFormElement).get('id')).trim();
    if (id) onId(id);
  };
  return (
    <form class="pair load" onSubmit={submit}>
      <label>
        Open an earlier explanation by its id
        <input name="id" autoComplete="off" />
      </label>
      <button type="submit">Open</button>
    </form>
  );
}
