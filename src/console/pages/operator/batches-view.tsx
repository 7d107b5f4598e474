/** The batches of the store, with a search, a page at a time; or one of them. */
import { useEffect, useState } from 'preact/hooks';
import { formatNumber, formatPercent } from '../../../report/numbers.js';
import { writeAddress } from '../../address.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { Outcome } from '../../parts/notice.js';
import { useActing } from './acting.js';
import { BatchView } from './batch-view.js';
import { BATCH_STATES, type BatchLine, degradedRows, type Page } from './documents.js';
import { useOpenedPages } from './pages-of.js';
import { Badge, Pager, Progress, Stale } from './parts.js';
import { usePolled } from './polling.js';
import { ago, left } from './times.js';

const ROWS = 25;
/** From the last key to the request. */
const PAUSE_MS = 250;

const COLUMNS: readonly Column<BatchLine>[] = [
  { title: 'Batch', cell: ({ id }) => <a href={batchAddress(id)}>{id}</a> },
  { title: 'State', cell: ({ state }) => <Badge>{state}</Badge> },
  {
    title: 'Progress',
    cell: (batch) => <Progress done={batch.answered} failed={lostRows(batch)} whole={batch.rows} />,
  },
  { title: 'Rows', cell: ({ rows }) => formatNumber(rows), isNumber: true },
  { title: 'Left', cell: ({ secondsLeft }) => left(secondsLeft), isNumber: true },
  { title: 'Not found', cell: (batch) => formatPercent(degradedRows(batch), batch.answered), isNumber: true },
  { title: 'Model', cell: ({ model }) => `${model.name}@${model.version}` },
  { title: 'Policy', cell: ({ policy }) => policy.name },
  { title: 'Added', cell: ({ created }) => ago(created), isNumber: true },
  { title: 'By', cell: ({ by }) => by },
];

const batchAddress = (id: string): string => writeAddress({ page: 'operator', values: { view: 'batches', id } });

/** About the rows of failed chunks: all chunks but the last have the same size. */
const lostRows = ({ rows, chunks, chunksFailed }: BatchLine): number =>
  chunks > 0 ? (rows * chunksFailed) / chunks : 0;

export function BatchesView({ values }: { values: Readonly<Record<string, string>> }) {
  return values.id ? <BatchView key={values.id} id={values.id} /> : <BatchTable />;
}

function BatchTable() {
  const { turn } = useActing();
  const [search, setSearch] = useState('');
  const [state, setState] = useState('');
  const query = new URLSearchParams({ limit: String(ROWS), ...(search && { search }), ...(state && { state }) });
  const pages = useOpenedPages(`/v1/batches?${query}`);
  const { loaded, trouble } = usePolled<Page<'batches', BatchLine>>(pages.address, [turn]);
  return (
    <>
      <Filters onSearch={setSearch} state={state} onState={setState} />
      <Stale trouble={trouble} />
      <Outcome of={loaded}>
        {({ batches, next }) => (
          <>
            <DataTable
              caption="Batches"
              columns={COLUMNS}
              rows={batches}
              nothing={next ? 'No match among these batches. Older batches may match.' : 'No batch is stored.'}
            />
            <Pager pages={pages} next={next} label="Pages of batches" />
          </>
        )}
      </Outcome>
    </>
  );
}

interface FilterProps {
  onSearch(text: string): void;
  readonly state: string;
  onState(state: string): void;
}

function Filters({ onSearch, state, onState }: FilterProps) {
  const [text, setText] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => onSearch(text.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <search class="filters">
      <label>
        Search
        <input
          type="search"
          value={text}
          placeholder="batch, model, policy or sender"
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <label>
        State
        <select value={state} onChange={({ currentTarget }) => onState(currentTarget.value)}>
          <option value="">all</option>
          {BATCH_STATES.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
    </search>
  );
}
