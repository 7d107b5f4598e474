/** The letters of one group in pages, with a selection; and the bulk actions on the group or the selection. */
import { useState } from 'preact/hooks';
import { formatNumber } from '../../../report/numbers.js';
import { writeAddress } from '../../address.js';
import { useLoaded } from '../../loading.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { Outcome } from '../../parts/notice.js';
import { request } from '../../requests.js';
import { ActButton, type ActionQuestion, useActing } from './acting.js';
import { type GroupLine, type LetterLine, type Page, subjectOf } from './documents.js';
import { useOpenedPages } from './pages-of.js';
import { Pager } from './parts.js';
import { clockTime } from './times.js';

export function LetterGroupView({ group }: { group: GroupLine }) {
  const { mayAct, turn } = useActing();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const pages = useOpenedPages(`/v1/dead-letters?group=${group.id}`);
  const loaded = useLoaded(
    (signal) => request<Page<'letters', LetterLine>>('GET', pages.address, { signal }),
    [pages.address, turn, group.count],
  );
  const toggle = (id: string) => setChosen((before) => toggled(before, id));
  return (
    <>
      <p>
        <a href={writeAddress({ page: 'operator', values: { view: 'letters' } })}>All groups</a>
      </p>
      <section class="card" aria-label="Group">
        <h2>
          {formatNumber(group.count)} <code>{group.code}</code> {group.meaning}
        </h2>
        <p class="quiet">{subjectOf(group)}</p>
        <p class="message">{group.message}</p>
        {group.advice && <p>{group.advice}</p>}
        <div class="buttons">
          <LetterButtons
            count={group.count}
            body={{ group: group.id, until: group.last, count: group.count }}
            words="all"
          />
          {chosen.size > 0 && (
            <LetterButtons count={chosen.size} body={{ ids: [...chosen], count: chosen.size }} words="the chosen" />
          )}
        </div>
      </section>
      <Outcome of={loaded}>
        {({ letters, next }) => (
          <>
            <DataTable
              caption="Letters, newest first"
              columns={[...(mayAct ? [choiceColumn(chosen, toggle)] : []), ...COLUMNS]}
              rows={letters}
              nothing="No letter of this page is left."
            />
            <Pager pages={pages} next={next} label="Pages of letters" />
          </>
        )}
      </Outcome>
    </>
  );
}

function toggled(chosen: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(chosen);
  if (!next.delete(id)) next.add(id);
  return next;
}

const EFFECTS = {
  'replay-letters': {
    verb: 'Replay',
    effect:
      'The requests go back to their source, and workers take them like new ones. Letters that cannot be replayed stay.',
  },
  'drop-letters': {
    verb: 'Drop',
    effect: 'The letters are deleted for good. Their requests stay unanswered.',
  },
} as const;

function LetterButtons({ count, body, words }: { count: number; body: object; words: string }) {
  const askedFor = (action: keyof typeof EFFECTS): ActionQuestion => ({
    question: `${EFFECTS[action].verb} ${lettersInWords(count)}?`,
    effect: EFFECTS[action].effect,
    verb: `${EFFECTS[action].verb} ${lettersInWords(count)}`,
    isHarmful: action === 'drop-letters',
    body: { action, ...body },
  });
  return (
    <>
      <ActButton asked={askedFor('replay-letters')}>{`Replay ${words} ${formatNumber(count)}`}</ActButton>
      <ActButton asked={askedFor('drop-letters')}>{`Drop ${words} ${formatNumber(count)}`}</ActButton>
    </>
  );
}

const lettersInWords = (count: number): string => `${formatNumber(count)} dead ${count === 1 ? 'letter' : 'letters'}`;

const choiceColumn = (chosen: ReadonlySet<string>, toggle: (id: string) => void): Column<LetterLine> => ({
  title: 'Choose',
  cell: ({ id }) => (
    <input type="checkbox" aria-label={`Choose ${id}`} checked={chosen.has(id)} onChange={() => toggle(id)} />
  ),
});

const COLUMNS: readonly Column<LetterLine>[] = [
  { title: 'Died', cell: ({ at }) => clockTime(at), isNumber: true },
  { title: 'Letter', cell: ({ id }) => <Request key={id} id={id} /> },
  { title: 'From', cell: ({ source }) => source },
  { title: 'Attempts', cell: ({ attempts }) => attempts, isNumber: true },
  { title: 'Reason', cell: ({ message }) => message },
  { title: 'Replay', cell: ({ canReplay }) => (canReplay ? 'possible' : <span class="no">only drop</span>) },
];

/** The request may hold personal data: it is loaded when a person opens it. */
function Request({ id }: { id: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="letter" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <code>{id}</code>
      </summary>
      {isOpen && <Body id={id} />}
    </details>
  );
}

function Body({ id }: { id: string }) {
  const loaded = useLoaded(
    (signal) => request<{ body: string | null }>('GET', `/v1/dead-letters/${encodeURIComponent(id)}`, { signal }),
    [id],
  );
  return <Outcome of={loaded}>{({ body }) => <pre>{body ?? 'The request had no body.'}</pre>}</Outcome>;
}
