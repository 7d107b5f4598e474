/** Dead letters by group, and the bulk operations on them. A group opens as pages of letters. */
import { formatNumber } from '../../../report/numbers.js';
import { writeAddress } from '../../address.js';
import { Outcome } from '../../parts/notice.js';
import { useActing } from './acting.js';
import { type GroupLine, type GroupList, subjectOf } from './documents.js';
import { LetterGroupView } from './letter-group-view.js';
import { Operations } from './operations.js';
import { Bar, Stale } from './parts.js';
import { usePolled } from './polling.js';
import { ago, clockTime } from './times.js';

export function LettersView({ values }: { values: Readonly<Record<string, string>> }) {
  const { turn } = useActing();
  const { loaded, trouble } = usePolled<GroupList>('/v1/dead-letters/groups', [turn]);
  return (
    <>
      <Operations />
      <Stale trouble={trouble} />
      <Outcome of={loaded}>
        {(list) => {
          const open = list.groups.find(({ id }) => id === values.group);
          if (open) return <LetterGroupView key={open.id} group={open} />;
          return <Groups list={list} />;
        }}
      </Outcome>
    </>
  );
}

function Groups({ list: { groups, groupCount, letters, ungrouped } }: { list: GroupList }) {
  if (letters === 0) return <p class="card">No dead letters. Every request has its answer.</p>;
  const most = Math.max(...groups.map(({ count }) => count), 1);
  return (
    <section aria-label="Groups of dead letters">
      <p class="quiet">
        {formatNumber(letters)} dead letters in {formatNumber(groupCount)} groups
        {groupCount > groups.length && `, the largest ${formatNumber(groups.length)} below`}
        {ungrouped > 0 && `, ${formatNumber(ungrouped)} foreign entries (elsewise dead list)`}
      </p>
      <ul class="groups">
        {groups.map((group) => (
          <GroupCard key={group.id} group={group} most={most} />
        ))}
      </ul>
    </section>
  );
}

function GroupCard({ group, most }: { group: GroupLine; most: number }) {
  const { id, code, count, first, last, message, meaning } = group;
  return (
    <li class="card">
      <a class="group-count" href={writeAddress({ page: 'operator', values: { view: 'letters', group: id } })}>
        <strong>{formatNumber(count)}</strong>
        <span>
          <code>{code}</code> {meaning}
        </span>
      </a>
      <Bar shares={[{ kind: 'no', value: count }]} whole={most} />
      <p class="quiet">{subjectOf(group)}</p>
      <p class="message">{message}</p>
      <p class="quiet">
        <time dateTime={first} title={clockTime(first)}>
          first {ago(first)}
        </time>
        {' · '}
        <time dateTime={last} title={clockTime(last)}>
          last {ago(last)}
        </time>
      </p>
    </li>
  );
}
