/** The facts about a version of a model: its probes, and its features with the range of the background. */
import type { FeatureDocument, ModelDocument } from '../../../documents/model-document.js';
import { useLoaded } from '../../loading.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { Histogram } from '../../parts/histogram.js';
import { Outcome } from '../../parts/notice.js';
import { readModel } from '../../registry.js';
import { type FeatureShares, labelOf, type Population, readPopulation, showValue } from '../person/population.js';

export function ModelDetails({ reference }: { reference: string }) {
  const loaded = useLoaded(
    (signal) => Promise.all([readModel(reference, signal), readPopulation(reference, 0, signal)]),
    [reference],
  );
  return (
    <Outcome of={loaded}>
      {([document, population]) => (
        <>
          <p>{probesInWords(document)}</p>
          <DataTable
            caption={`Features of ${reference}`}
            columns={columnsOf(population)}
            rows={population.features}
            nothing=""
          />
        </>
      )}
    </Outcome>
  );
}

/** The registry takes no model that misses its probes. */
function probesInWords({ probes }: ModelDocument): string {
  if (!probes) return 'The model has no probes: parity with the library of its training was not checked.';
  const tolerance = probes.precision === 'float32' ? '0.0001' : '0.000001';
  return `The model reproduced ${probes.rows.length} probes of its library when it was pushed, within ${tolerance}.`;
}

const columnsOf = ({ background }: Population): readonly Column<FeatureDocument>[] => [
  { title: 'Feature', cell: labelOf },
  { title: 'Type', cell: ({ type }) => type },
  { title: 'Range', cell: (feature) => rangeOf(feature, background[feature.name]) },
  {
    title: 'Background',
    cell: (feature) => {
      const shares = background[feature.name];
      if (!shares?.shares) return '';
      return <Histogram of={shares} marks={[]} label={`Distribution of ${labelOf(feature)}`} />;
    },
  },
];

function rangeOf({ unit }: FeatureDocument, shares: FeatureShares | undefined): string {
  if (shares?.values) return Object.keys(shares.values).join(', ');
  if (shares?.min === undefined) return 'not known';
  return `${showValue(shares.min)} to ${showValue(shares.max, unit)}`;
}
