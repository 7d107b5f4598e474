/** The operator's page: queues and workers, batches, dead letters, schedules, and the log of actions. */
import type { ComponentType } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { writeAddress } from '../../address.js';
import type { PageProps } from '../../page.js';
import { ActDialog, ActingContext, type ActionQuestion } from './acting.js';
import { ActionsView } from './actions-view.js';
import { BatchesView } from './batches-view.js';
import { LettersView } from './letters-view.js';
import { OverviewView } from './overview-view.js';
import { SchedulesView } from './schedules-view.js';

interface ViewRow {
  readonly name: string;
  readonly title: string;
  readonly View: ComponentType<{ values: Readonly<Record<string, string>> }>;
}

const VIEWS: readonly ViewRow[] = [
  { name: 'overview', title: 'Overview', View: OverviewView },
  { name: 'batches', title: 'Batches', View: BatchesView },
  { name: 'letters', title: 'Dead letters', View: LettersView },
  { name: 'schedules', title: 'Schedules', View: SchedulesView },
  { name: 'actions', title: 'Actions', View: ActionsView },
];

const TOLD_MS = 8_000;

export function OperatorPage({ session, address }: PageProps) {
  const [asked, setAsked] = useState<ActionQuestion | undefined>(undefined);
  const [told, setTold] = useState('');
  const [turn, setTurn] = useState(0);
  const open = VIEWS.find(({ name }) => name === address.values.view) ?? VIEWS[0];
  const mayAct = session.roles.includes('admin');
  const acting = useMemo(() => ({ mayAct, ask: setAsked, turn }), [mayAct, turn]);
  useEffect(() => {
    const timer = setTimeout(() => setTold(''), TOLD_MS);
    return () => clearTimeout(timer);
  }, [told]);
  const done = (words: string) => {
    setAsked(undefined);
    setTold(words);
    setTurn((before) => before + 1);
  };
  return (
    <ActingContext.Provider value={acting}>
      <div class="operator">
        <div class="head">
          <h1>Operator</h1>
          {!mayAct && <p class="quiet">Your token reads. Actions need a token with the role admin.</p>}
        </div>
        <nav class="views" aria-label="Views">
          {VIEWS.map(({ name, title }) => (
            <a
              key={name}
              href={writeAddress({ page: 'operator', values: { view: name } })}
              aria-current={name === open.name ? 'page' : undefined}
            >
              {title}
            </a>
          ))}
        </nav>
        <p class="told" role="status">
          {told}
        </p>
        <open.View values={address.values} />
        {asked && <ActDialog asked={asked} onClose={() => setAsked(undefined)} onDone={done} />}
      </div>
    </ActingContext.Provider>
  );
}
