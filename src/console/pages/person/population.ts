/** What the page knows of the model: its features for people, and the distribution of their values. */
import type { BandDocument } from '../../../documents/decision/decision-document.js';
import type { FeatureDocument, RowValue } from '../../../documents/model-document.js';
import { formatNumber } from '../../../report/numbers.js';
import { withUnit } from '../../../report/units.js';
import { nameInWords } from '../../../report/words.js';
import { request } from '../../requests.js';

export type RowOfFeatures = Readonly<Record<string, RowValue>>;

export interface FeatureShares {
  readonly min?: number;
  readonly max?: number;
  readonly shares?: readonly number[];
  readonly values?: Readonly<Record<string, number>>;
}

export interface Population {
  readonly features: readonly FeatureDocument[];
  readonly classes: readonly string[];
  readonly classLabels?: Readonly<Record<string, string>>;
  /** By class: the score at which the decision changes. */
  readonly thresholds?: Readonly<Record<string, number>>;
  /** The bands of scores, best first. */
  readonly bands?: readonly BandDocument[];
  readonly background: Readonly<Record<string, FeatureShares>>;
  readonly rows: readonly RowOfFeatures[];
}

export function readPopulation(reference: string, rows: number, signal?: AbortSignal): Promise<Population> {
  const [name, version = 'latest'] = reference.split('@');
  return request('GET', `/v1/models/${encodeURIComponent(name)}/versions/${version}/population?rows=${rows}`, {
    signal,
  });
}

export const labelOf = ({ name, label }: FeatureDocument): string => {
  const words = nameInWords(name, label);
  return words.charAt(0).toUpperCase() + words.slice(1);
};

export const classLabel = ({ classLabels = {} }: Population, name: string | number | undefined): string =>
  typeof name === 'number' ? formatNumber(name) : (classLabels[name ?? ''] ?? name ?? '');

/** `2,320 EUR/month`, `yes`, `rent` */
export function showValue(value: RowValue | undefined, unit = ''): string {
  if (value === null || value === undefined) return 'unknown';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'number' ? withUnit(formatNumber(value), unit) : value;
}

export const isNumeric = ({ type }: FeatureDocument): boolean => type === 'continuous' || type === 'integer';

/** The text of a field -> the value of a row. Text that is no value is sent as it is: the server names the fault. */
export function readField(feature: FeatureDocument, text: string): RowValue {
  if (text === '') return null;
  if (feature.type === 'boolean') return text === 'true';
  return isNumeric(feature) && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** A row from pasted text: JSON, or a header and a line of CSV. Undefined: the text is neither. */
export function readPasted(text: string, features: readonly FeatureDocument[]): RowOfFeatures | undefined {
  try {
    const value = JSON.parse(text) as Record<string, unknown>;
    return ('features' in value ? value.features : value) as RowOfFeatures;
  } catch {
    return readCsvRow(text, features);
  }
}

function readCsvRow(text: string, features: readonly FeatureDocument[]): RowOfFeatures | undefined {
  const [header, line] = text.trim().split(/\r?\n/);
  if (line === undefined) return undefined;
  const sign = header.includes(';') ? ';' : header.includes('\t') ? '\t' : ',';
  const cells = line.split(sign);
  const named = header.split(sign).map((name, k) => [name.trim(), (cells[k] ?? '').trim()] as const);
  const known = features.flatMap((feature) =>
    named.filter(([name]) => name === feature.name).map(([name, cell]) => [name, readField(feature, cell)] as const),
  );
  return known.length ? Object.fromEntries(known) : undefined;
}
