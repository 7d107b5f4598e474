/** The records of one row by its id, or of a day, a page at a time. */
import { useEffect, useState } from 'preact/hooks';
import type { AuditLine } from '../../../documents/audit-document.js';
import { Notice } from '../../parts/notice.js';
import { send } from '../../requests.js';
import { ListedLine, placeOf } from './listed-line.js';

interface Search {
  readonly id: string;
  readonly day: string;
  /** The number of the last entry of the page before. */
  readonly after: number;
}

/** Entries of a page. A chunk of a batch is one entry with many records. */
const ENTRIES = 10;
const RECORDS = 50;

interface FindProps {
  readonly given: string;
  readonly open: AuditLine | undefined;
  onFind(id: string): void;
  onOpen(record: AuditLine): void;
}

export function FindRecords({ given, open, onFind, onOpen }: FindProps) {
  const [search, setSearch] = useState<Search | undefined>(given ? { id: given, day: '', after: 0 } : undefined);
  const [found, setFound] = useState<readonly AuditLine[] | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  useEffect(() => {
    if (!search) return;
    const ending = new AbortController();
    setError(undefined);
    readRecords(search, ending.signal).then(
      (records) => {
        setFound(records);
        if (search.id && records.length) onOpen(records[records.length - 1]);
      },
      (refused) => ending.signal.aborted || setError(refused),
    );
    return () => ending.abort();
  }, [search]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const values = new FormData(event.currentTarget as HTMLFormElement);
    const [id, day] = [String(values.get('id')).trim(), String(values.get('day'))];
    onFind(id);
    setSearch({ id, day, after: 0 });
  };
  return (
    <section class="card" aria-label="Find an answer">
      <h2>Find an answer</h2>
      <form class="pair find" onSubmit={submit}>
        <label>
          Id of the row
          <input name="id" defaultValue={given} autoComplete="off" />
        </label>
        <label>
          Day (UTC)
          <input name="day" type="date" />
        </label>
        <button type="submit" class="main">
          Find
        </button>
      </form>
      {error !== undefined && <Notice error={error} />}
      <div role="status">
        {found && <p class="quiet">{found.length === 0 ? 'No record was found.' : wordsOf(found.length)}</p>}
      </div>
      {found && found.length > 0 && (
        <ul class="records">
          {found.slice(0, RECORDS).map((line) => (
            <li key={placeOf(line)}>
              <button type="button" aria-pressed={line === open} onClick={() => onOpen(line)}>
                <ListedLine line={line} />
              </button>
            </li>
          ))}
        </ul>
      )}
      {found && search && found.length > 0 && !search.id && (
        <button type="button" onClick={() => setSearch({ ...search, after: found[found.length - 1].number })}>
          Next page
        </button>
      )}
    </section>
  );
}

const wordsOf = (count: number): string =>
  count > RECORDS ? `${count} records on this page, the first ${RECORDS} are shown.` : `Records: ${count}`;

async function readRecords({ id, day, after }: Search, signal: AbortSignal): Promise<AuditLine[]> {
  const query = new URLSearchParams({
    limit: String(id ? RECORDS : ENTRIES),
    after: String(after),
    ...(id && { id }),
    ...(day && { from: day, to: day }),
  });
  const text = await (await send('GET', `/v1/audit?${query}`, { signal })).text();
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as AuditLine);
}
