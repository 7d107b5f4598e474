/** Warnings about names in the input that the model does not know: columns of a table, or keys of objects. */
import { nameSome, nearestName } from '../../documents/nearest-name.js';

export type NamesOf = 'columns' | 'keys';

/** `missing`: the features that the input does not have. A name that is close to one of them is told first. */
export function ignoredNames(what: NamesOf, ignored: readonly string[], missing: readonly string[]): string[] {
  if (!ignored.length) return [];
  const meant = ignored.map((name) => ({ name, feature: nearestName(name, missing) }));
  const [close, far] = [true, false].map((isClose) =>
    meant.filter(({ feature }) => (feature !== undefined) === isClose),
  );
  const shown = [...close, ...far].map(({ name, feature }) =>
    feature === undefined ? name : `${name} (did you mean "${feature}"?)`,
  );
  return [`${what} that the model does not know are ignored: ${nameSome(shown)}`];
}
