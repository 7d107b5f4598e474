/**
 * A policy as text. Each pause in typing asks the server for all faults of the policy under a model, and solves a hundred rows again: before
 * with the saved policy, after with the text. Nothing is stored until a new version is saved.
 */
import { useEffect, useState } from 'preact/hooks';
import type { ConsoleSession } from '../../page.js';
import { FaultList, Notice } from '../../parts/notice.js';
import { readPolicy } from '../../registry.js';
import { request } from '../../requests.js';
import { ComparisonView } from './comparison-view.js';
import { ReferenceSelect } from './reference-select.js';
import { RowChoice } from './row-choice.js';
import { SaveVersion } from './save-version.js';
import { useComparison } from './use-comparison.js';
import type { VersionChoice } from './version-choice.js';

interface PolicyFaultLine {
  readonly path: string;
  readonly message: string;
}

interface EditorProps extends VersionChoice {
  readonly session: ConsoleSession;
  onSaved(): void;
}

const PAUSE_MS = 300;
const EMPTY = '{ "schema": "elsewise.policy/v1" }';

export function PolicyEditor({ models, policies, first, session, onSaved }: EditorProps) {
  const [text, setText] = useState(EMPTY);
  const [model, setModel] = useState(first.model);
  const [saved, setSaved] = useState(first.policy);
  const [rows, setRows] = useState('');
  const [error, setError] = useState<unknown>(undefined);
  useEffect(() => {
    if (!saved) return setText(EMPTY);
    readPolicy(saved).then((policy) => setText(JSON.stringify(policy, undefined, 2)), setError);
  }, [saved]);
  const policy = parsed(text);
  const { faults, isCurrent } = useFaults(text, model);
  const after = { model, policy };
  // The server refuses to solve with a policy that has faults.
  const isReady = rows !== '' && model !== '' && isCurrent && faults?.length === 0 && !(saved && text === EMPTY);
  const live = useComparison(isReady ? { rows, before: saved ? { model, policy: saved } : after, after } : undefined);
  return (
    <section class="workbench" aria-label="Policy editor">
      <div class="card">
        <h2>Edit a policy</h2>
        <div class="pair">
          <ReferenceSelect
            label="Saved policy"
            none="an empty policy"
            of={policies}
            value={saved}
            onChange={setSaved}
          />
          <ReferenceSelect
            label="Under the model"
            none="none: only the form"
            of={models}
            value={model}
            onChange={setModel}
          />
        </div>
        <RowChoice model={model} onRows={setRows} />
        <label for="policy-text">Policy document</label>
        <textarea
          id="policy-text"
          rows={22}
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        {error !== undefined && <Notice error={error} />}
        <Faults faults={faults} />
        {session.roles.includes('admin') && <SaveVersion policy={policy} onSaved={onSaved} />}
      </div>
      <div>
        {(live.error !== undefined || (faults ?? []).length > 0) && (
          <p class="quiet" role="status">
            {live.answer ? 'The figures are those of the last policy that could be solved. ' : ''}
            {live.error !== undefined && (live.error as Error).message}
          </p>
        )}
        {live.answer ? (
          <ComparisonView
            of={live.answer}
            names={[saved ? `saved: ${saved}` : undefined, 'as edited']}
            isBusy={live.isBusy}
          />
        ) : (
          <p class="quiet">{live.isBusy ? 'Solving' : 'Rows that are solved with this policy appear here.'}</p>
        )}
      </div>
    </section>
  );
}

/** Undefined: the text is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Checked {
  readonly text: string;
  readonly model: string;
  readonly faults: readonly PolicyFaultLine[];
}

interface KnownFaults {
  /** Of the last check. Undefined: nothing was checked yet. */
  readonly faults: readonly PolicyFaultLine[] | undefined;
  /** Whether they are those of this text and model. */
  readonly isCurrent: boolean;
}

function useFaults(text: string, model: string): KnownFaults {
  const [checked, setChecked] = useState<Checked | undefined>(undefined);
  useEffect(() => {
    const ending = new AbortController();
    const check = () =>
      checkText(text, model, ending.signal).then(
        (faults) => setChecked({ text, model, faults }),
        () => {},
      );
    const timer = setTimeout(check, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [text, model]);
  return { faults: checked?.faults, isCurrent: checked?.text === text && checked.model === model };
}

function Faults({ faults }: { faults: readonly PolicyFaultLine[] | undefined }) {
  if (faults === undefined) return <p role="status">Checking</p>;
  return (
    <div role="status">
      <p class={faults.length ? 'no' : 'yes'}>{faults.length ? `Faults: ${faults.length}` : 'The policy is valid.'}</p>
      <FaultList faults={faults} />
    </div>
  );
}

async function checkText(text: string, model: string, signal: AbortSignal): Promise<readonly PolicyFaultLine[]> {
  let policy: unknown;
  try {
    policy = JSON.parse(text);
  } catch (error) {
    return [{ path: 'policy', message: (error as Error).message }];
  }
  const body = { policy, model: model || undefined };
  return (await request<{ faults: PolicyFaultLine[] }>('POST', '/v1/policy-checks', { body, signal })).faults;
}
