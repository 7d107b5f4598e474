/** The choice of a version from the registry. */
import { type ListedVersion, referenceOf } from '../../registry.js';

interface SelectProps {
  readonly label: string;
  /** The words for no version. Omitted: a version must be chosen. */
  readonly none?: string;
  readonly of: readonly ListedVersion[];
  readonly value: string;
  onChange(reference: string): void;
}

export function ReferenceSelect({ label, none, of, value, onChange }: SelectProps) {
  return (
    <label>
      {label}
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        {none !== undefined && <option value="">{none}</option>}
        {of.map(referenceOf).map((reference) => (
          <option key={reference}>{reference}</option>
        ))}
      </select>
    </label>
  );
}
