/** The log of actions: who did what, when and why. */
import { type Column, DataTable } from '../../parts/data-table.js';
import { Outcome } from '../../parts/notice.js';
import { useActing } from './acting.js';
import type { ActionLine, Page } from './documents.js';
import { useOpenedPages } from './pages-of.js';
import { Badge, Pager, Stale } from './parts.js';
import { usePolled } from './polling.js';
import { clockTime } from './times.js';

const COLUMNS: readonly Column<ActionLine>[] = [
  { title: 'Time', cell: ({ at }) => clockTime(at), isNumber: true },
  { title: 'By', cell: ({ by, via }) => (via === 'command' ? `${by} (command)` : by) },
  { title: 'Action', cell: ({ action }) => action.replace('-', ' ') },
  { title: 'Target', cell: ({ target }) => <code>{target}</code> },
  { title: 'Reason', cell: ({ reason }) => reason || <span class="quiet">none given</span> },
  { title: 'Outcome', cell: ({ outcome }) => <Badge>{outcome}</Badge> },
  { title: 'Effect', cell: ({ detail }) => detail },
];

export function ActionsView() {
  const { turn } = useActing();
  const pages = useOpenedPages('/v1/actions');
  const { loaded, trouble } = usePolled<Page<'actions', ActionLine>>(pages.address, [turn]);
  return (
    <>
      <Stale trouble={trouble} />
      <Outcome of={loaded}>
        {({ actions, next }) => (
          <>
            <DataTable caption="Log of actions" columns={COLUMNS} rows={actions} nothing="No action is on record." />
            <Pager pages={pages} next={next} label="Pages of the log" />
          </>
        )}
      </Outcome>
    </>
  );
}
