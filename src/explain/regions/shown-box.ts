/** Boxes as documents, and back. A document has values of listed features by name, and no infinite ends. */
import type { RegionDocument } from '../../documents/result-document.js';
import { type Feature, showValue } from '../../models/features.js';
import type { Domain } from '../../policy/domain.js';
import { fixAt, isListed, listedValues } from '../../policy/listed-values.js';

export function showBox(box: Domain, changed: readonly Feature[], maximal: boolean): RegionDocument {
  const features: RegionDocument['features'] = {};
  for (const feature of [...changed].sort((a, b) => a.index - b.index)) {
    const { name, column } = feature;
    features[name] = isListed(feature)
      ? { in: listedValues(box, feature).map((value) => showValue(feature, value)) }
      : {
          ...(box.lower[column] > -Infinity && { from: box.lower[column] }),
          ...(box.upper[column] < Infinity && { to: box.upper[column] }),
        };
  }
  return { features, proof: { kind: 'proved', maximal } };
}

type ShownValues = RegionDocument['features'][string];

/**
 * Opens a box that is fixed at an answer to the values of a document. False: the document does not name the changed features, a value is not
 * permitted (`room`), or the answer is not in the box.
 */
export function openTo(
  box: Domain,
  room: Domain,
  changed: readonly Feature[],
  answer: Float64Array,
  { features }: RegionDocument,
): boolean {
  if (Object.keys(features).length !== changed.length) return false;
  return changed.every((feature) => {
    const shown = Object.hasOwn(features, feature.name) ? features[feature.name] : undefined;
    if (!shown) return false;
    const value = answer[feature.index];
    return isListed(feature) ? openList(box, room, feature, value, shown) : openRange(box, room, feature, value, shown);
  });
}

function openList(box: Domain, room: Domain, feature: Feature, value: number, shown: ShownValues): boolean {
  if (!('in' in shown)) return false;
  const listed = listedValues(room, feature);
  const found = shown.in.map((name) => listed.find((one) => showValue(feature, one) === name));
  const values = found.filter((one) => one !== undefined);
  if (values.length !== shown.in.length || !values.includes(value)) return false;
  if (feature.kind === 'choice') openOnly(box, feature, new Set(values));
  else [box.lower[feature.column], box.upper[feature.column]] = [Math.min(...values), Math.max(...values)];
  return listedValues(box, feature).length === values.length;
}

function openRange(box: Domain, room: Domain, { column }: Feature, value: number, shown: ShownValues): boolean {
  if ('in' in shown) return false;
  const { from = -Infinity, to = Infinity } = shown;
  const isPermitted = from >= room.lower[column] && to <= room.upper[column];
  [box.lower[column], box.upper[column]] = [from, to];
  return isPermitted && from <= value && value <= to;
}

export function openOnly(domain: Domain, feature: Feature, categories: ReadonlySet<number>): void {
  const [first, ...others] = categories;
  fixAt(domain, feature, first);
  if (!others.length) return;
  domain.lower.fill(0, feature.column, feature.column + feature.width);
  for (const category of others) domain.upper[feature.column + category] = 1;
}
