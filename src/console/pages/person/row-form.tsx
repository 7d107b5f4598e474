/** The row of a person: a field for each feature, pasted text, or an earlier explanation. Each edit asks the model for its score. */
import { useState } from 'preact/hooks';
import type { FeatureDocument } from '../../../documents/model-document.js';
import {
  isNumeric,
  labelOf,
  type Population,
  type RowOfFeatures,
  readField,
  readPasted,
  showValue,
} from './population.js';

interface RowFormProps {
  readonly population: Population;
  readonly row: RowOfFeatures;
  onChange(row: RowOfFeatures): void;
}

export function RowForm({ population, row, onChange }: RowFormProps) {
  const { features } = population;
  return (
    <>
      <Paste features={features} onRow={(given) => onChange({ ...row, ...given })} />
      <div class="fields">
        {features.map((feature) => (
          <Field
            key={feature.name}
            feature={feature}
            value={row[feature.name]}
            onValue={(value) => onChange({ ...row, [feature.name]: value })}
          />
        ))}
      </div>
    </>
  );
}

function Paste({ features, onRow }: { features: readonly FeatureDocument[]; onRow: (row: RowOfFeatures) => void }) {
  const [isBad, setBad] = useState(false);
  const take = (text: string) => {
    const row = text.trim() === '' ? {} : readPasted(text, features);
    setBad(row === undefined);
    if (row) onRow(row);
  };
  return (
    <details>
      <summary>Paste a row</summary>
      <label for="pasted">JSON, or CSV with its header</label>
      <textarea id="pasted" rows={4} onChange={({ currentTarget }) => take(currentTarget.value)} aria-invalid={isBad} />
      {isBad && (
        <p class="no" role="alert">
          The text is neither JSON nor a header with a line of CSV.
        </p>
      )}
    </details>
  );
}

interface FieldProps {
  readonly feature: FeatureDocument;
  readonly value: RowOfFeatures[string] | undefined;
  onValue(value: RowOfFeatures[string]): void;
}

function Field({ feature, value, onValue }: FieldProps) {
  const id = `field-${feature.name}`;
  const text = value === null || value === undefined ? '' : String(value);
  const take = ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLSelectElement }) =>
    onValue(readField(feature, currentTarget.value));
  const choices =
    feature.type === 'boolean' ? ['true', 'false'] : feature.type === 'categorical' ? feature.categories : [];
  return (
    <div>
      <label for={id}>
        {labelOf(feature)} {feature.unit && <span class="quiet">{feature.unit}</span>}
      </label>
      {isNumeric(feature) ? (
        <input id={id} type="number" step="any" value={text} onInput={take} />
      ) : (
        <select id={id} value={text} onChange={take}>
          <option value="">unknown</option>
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {showValue(feature.type === 'boolean' ? choice === 'true' : choice)}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}
