/** Figures of a batch by groups of people, in the words of the report, and the report itself. */
import { useState } from 'preact/hooks';
import type { Grouping, GroupSummary, SummaryDocument } from '../../../documents/summary-document.js';
import { costsInWords, sharesInWords } from '../../../report/html/difference-words.js';
import { formatFigure, formatNumber, formatPercent } from '../../../report/numbers.js';
import { nameInWords } from '../../../report/words.js';
import { useLoaded } from '../../loading.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { Outcome } from '../../parts/notice.js';
import { request } from '../../requests.js';
import { readPopulation } from '../person/population.js';

interface ListedBatch {
  readonly id: string;
  readonly state: string;
  readonly rows: number;
  readonly model: { readonly name: string; readonly version: number };
}

export function GroupFigures() {
  const loaded = useLoaded(
    (signal) => request<{ batches: ListedBatch[] }>('GET', '/v1/batches?limit=100', { signal }),
    [],
  );
  return (
    <section class="card" aria-label="Figures by group">
      <h2>Figures by group</h2>
      <Outcome of={loaded}>
        {({ batches }) => (batches.length ? <Batches batches={batches} /> : <p class="quiet">No batch is stored.</p>)}
      </Outcome>
    </section>
  );
}

function Batches({ batches }: { batches: readonly ListedBatch[] }) {
  const [id, setId] = useState(batches[0].id);
  const batch = batches.find((one) => one.id === id)!;
  const { name, version } = batch.model;
  const loaded = useLoaded((signal) => readPopulation(`${name}@${version}`, 0, signal), [name, version]);
  return (
    <>
      <label>
        Batch
        <select onChange={({ currentTarget }) => setId(currentTarget.value)}>
          {batches.map((one) => (
            <option key={one.id} value={one.id}>
              {one.id} ({formatNumber(one.rows)} rows, {one.state})
            </option>
          ))}
        </select>
      </label>
      <Outcome of={loaded}>
        {({ features }) => <Groups key={id} id={id} names={features.map((one) => one.name)} />}
      </Outcome>
    </>
  );
}

function Groups({ id, names }: { id: string; names: readonly string[] }) {
  const [by, setBy] = useState<readonly string[]>([]);
  const query = by.length ? `?${new URLSearchParams({ by: by.join(',') })}` : '';
  const toggle = (name: string) => setBy(by.includes(name) ? by.filter((one) => one !== name) : [...by, name]);
  return (
    <>
      <fieldset class="chips">
        <legend>Groups by</legend>
        {names.map((name) => (
          <label key={name}>
            <input type="checkbox" checked={by.includes(name)} onChange={() => toggle(name)} />
            {nameInWords(name)}
          </label>
        ))}
      </fieldset>
      <p>
        <a class="button" href={`/v1/batches/${id}/report${query}`} target="_blank" rel="noopener">
          Open the report
        </a>
      </p>
      <Figures path={`/v1/batches/${id}/summary${query}`} />
    </>
  );
}

function Figures({ path }: { path: string }) {
  const loaded = useLoaded((signal) => request<SummaryDocument>('GET', path, { signal }), [path]);
  return (
    <Outcome of={loaded}>
      {({ results, statuses, proofs, cost, groups, smallestGroup }) => (
        <>
          <div class="figures">
            <Figure value={formatNumber(results)} words="results" />
            <Figure value={formatNumber(statuses.found)} words="with an answer" kind="yes" />
            <Figure
              value={formatNumber(statuses.infeasible)}
              words="without a way within the policy (proved)"
              kind="no"
            />
            <Figure value={formatPercent(proofs.optimal, statuses.found)} words="of the answers proved cheapest" />
            <Figure value={cost ? formatFigure(cost.median) : '–'} words="median cost" />
          </div>
          {groups.map((grouping) => (
            <Group key={grouping.feature} grouping={grouping} smallest={smallestGroup} />
          ))}
        </>
      )}
    </Outcome>
  );
}

function Figure({ value, words, kind = '' }: { value: string; words: string; kind?: string }) {
  return (
    <div>
      <strong class={kind}>{value}</strong>
      <span class="quiet">{words}</span>
    </div>
  );
}

const COLUMNS: readonly Column<GroupSummary>[] = [
  { title: 'Group', cell: ({ name }) => name },
  { title: 'People', cell: ({ people }) => formatNumber(people), isNumber: true },
  {
    title: 'No way, proved',
    cell: ({ noRecourse: { people, of } }) => (of ? formatPercent(people, of) : '–'),
    isNumber: true,
  },
  { title: '95 % interval', cell: ({ noRecourse }) => intervalOf(noRecourse), isNumber: true },
  { title: 'Median cost', cell: ({ cost }) => (cost ? formatFigure(cost.median) : '–'), isNumber: true },
  {
    title: 'Cost, 95 % interval',
    cell: ({ cost }) => (cost?.low == null ? '–' : `${formatFigure(cost.low)} to ${formatFigure(cost.high!)}`),
    isNumber: true,
  },
];

const intervalOf = ({ of, low, high }: GroupSummary['noRecourse']): string =>
  of ? `${(100 * low).toFixed(1)} to ${(100 * high).toFixed(1)} %` : '–';

function Group({ grouping, smallest }: { grouping: Grouping; smallest: number }) {
  const { feature, groups, suppressed } = grouping;
  const nothing = `No group has at least ${smallest} people without the target.`;
  return (
    <div class="group">
      <DataTable caption={`By ${nameInWords(feature)}`} columns={COLUMNS} rows={groups} nothing={nothing} />
      {groups.length > 1 && (
        <>
          <p>{sharesInWords(grouping)}</p>
          <p>{costsInWords(grouping)}</p>
        </>
      )}
      {suppressed.length > 0 && <p class="quiet">Too few people for figures: {suppressed.join(', ')}.</p>}
    </div>
  );
}
