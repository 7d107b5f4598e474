/** Two models or two policies on the same rows. */
import { useState } from 'preact/hooks';
import { Notice } from '../../parts/notice.js';
import { referenceOf } from '../../registry.js';
import { ComparisonView } from './comparison-view.js';
import { ReferenceSelect } from './reference-select.js';
import { RowChoice } from './row-choice.js';
import { useComparison } from './use-comparison.js';
import type { VersionChoice } from './version-choice.js';

type Side = { readonly model: string; readonly policy: string };

export function CompareForm({ models, policies, first }: VersionChoice) {
  const newest = { model: first.model, policy: first.policy || referenceOf(policies[0]) };
  const [sides, setSides] = useState<readonly [Side, Side]>([newest, newest]);
  const [rows, setRows] = useState('');
  const [before, after] = sides;
  const isSame = before.model === after.model && before.policy === after.policy;
  const live = useComparison(rows && !isSame ? { rows, before, after } : undefined);
  const names = [`${before.model}, ${before.policy}`, `${after.model}, ${after.policy}`] as const;
  const change = (at: number, part: Partial<Side>) =>
    setSides(sides.map((side, k) => (k === at ? { ...side, ...part } : side)) as unknown as [Side, Side]);
  return (
    <section aria-label="Compare">
      <div class="card">
        <h2>Compare two models or two policies</h2>
        <div class="pair">
          {sides.map((side, k) => (
            <fieldset key={k}>
              <legend>{k === 0 ? 'First' : 'Second'}</legend>
              <ReferenceSelect
                label="Model"
                of={models}
                value={side.model}
                onChange={(model) => change(k, { model })}
              />
              <ReferenceSelect
                label="Policy"
                of={policies}
                value={side.policy}
                onChange={(policy) => change(k, { policy })}
              />
            </fieldset>
          ))}
        </div>
        <RowChoice model={before.model} onRows={setRows} />
        {isSame && <p class="quiet">Both sides are the same: choose another version.</p>}
      </div>
      {live.error !== undefined && <Notice error={live.error} />}
      {live.answer && !isSame && <ComparisonView of={live.answer} names={names} isBusy={live.isBusy} />}
    </section>
  );
}
