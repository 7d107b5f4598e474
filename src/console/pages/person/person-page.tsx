/** The person's page: what would have had to be different, plans made to the person's wishes, and the score of other values. */
import { useEffect, useState } from 'preact/hooks';
import type { PolicyInput } from '../../../documents/policy-document.js';
import type { ResultDocument } from '../../../documents/result-document.js';
import { describeResult } from '../../../report/words.js';
import { replaceAddress } from '../../address.js';
import { useLoaded } from '../../loading.js';
import type { PageProps } from '../../page.js';
import { Notice, Outcome } from '../../parts/notice.js';
import {
  type ListedModel,
  type ListedPolicy,
  listModels,
  listPolicies,
  readPolicy,
  referenceOf,
} from '../../registry.js';
import { request } from '../../requests.js';
import { Plans } from './plans.js';
import { type Population, type RowOfFeatures, readPopulation } from './population.js';
import { RowForm } from './row-form.js';
import { overlayOf, type Wishes, WishesForm } from './wishes.js';

export function PersonPage({ address }: PageProps) {
  const loaded = useLoaded((signal) => Promise.all([listModels(signal), listPolicies(signal)]), []);
  return (
    <Outcome of={loaded}>
      {([models, policies]) => <Choice models={models} policies={policies} given={address.values} />}
    </Outcome>
  );
}

interface ChoiceProps {
  readonly models: readonly ListedModel[];
  readonly policies: readonly ListedPolicy[];
  readonly given: Readonly<Record<string, string>>;
}

function Choice({ models, policies, given }: ChoiceProps) {
  const [model, setModel] = useState(given.model ?? (models[0] ? referenceOf(models[0]) : ''));
  const [policy, setPolicy] = useState(given.policy ?? (policies[0] ? referenceOf(policies[0]) : ''));
  const loaded = useLoaded(
    async (signal) => ({
      population: await readPopulation(model, 1, signal),
      policy: policy ? await readPolicy(policy, signal) : undefined,
    }),
    [model, policy],
  );
  useEffect(() => replaceAddress({ page: 'person', values: { model, policy, id: given.id ?? '' } }), [model, policy]);
  if (!models.length) return <p>No model was pushed yet.</p>;
  return (
    <>
      <h1>What would have had to be different</h1>
      <div class="pair choice">
        <Select label="Model" value={model} options={models.map(referenceOf)} onValue={setModel} />
        <Select label="Policy" value={policy} options={['', ...policies.map(referenceOf)]} onValue={setPolicy} />
      </div>
      <Outcome of={loaded}>
        {(known) => <Person key={`${model} ${policy}`} model={model} policyName={policy} {...known} id={given.id} />}
      </Outcome>
    </>
  );
}

interface SelectProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly string[];
  onValue(value: string): void;
}

function Select({ label, value, options, onValue }: SelectProps) {
  return (
    <label>
      {label}
      <select value={value} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
        {options.map((option) => (
          <option key={option} value={option}>
            {option || 'none: every feature may change'}
          </option>
        ))}
      </select>
    </label>
  );
}

interface PersonProps {
  readonly model: string;
  readonly policyName: string;
  readonly policy: PolicyInput | undefined;
  readonly population: Population;
  readonly id: string | undefined;
}

function Person({ model, policyName, policy, population, id }: PersonProps) {
  const [row, setRow] = useState<RowOfFeatures>(population.rows[0] ?? {});
  const [wishes, setWishes] = useState<Wishes>({ features: {} });
  const [result, setResult] = useState<ResultDocument | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  const [open, setOpen] = useState(0);
  const [isBusy, setBusy] = useState(false);
  const show = (found: ResultDocument) => {
    setResult(found);
    setOpen(0);
    if (found.factual) setRow(found.factual.features as RowOfFeatures);
  };
  const ask = async (asking: Promise<ResultDocument>) => {
    setBusy(true);
    setError(undefined);
    await asking.then(show, setError);
    setBusy(false);
  };
  const make = () => {
    const target = policy?.target === undefined ? population.classes[1] : undefined;
    const body = { model, policy: policyName || undefined, features: row, target, overlay: overlayOf(wishes) };
    return ask(request('POST', '/v1/explanations?waitMs=20000', { body }));
  };
  useEffect(() => {
    if (id) ask(request('GET', `/v1/explanations/${encodeURIComponent(id)}`));
  }, [id]);
  return (
    <>
      <LoadById onId={(known) => ask(request('GET', `/v1/explanations/${encodeURIComponent(known)}`))} />
      <details class="card" open={!result}>
        <summary>The person's details</summary>
        <RowForm population={population} row={row} onChange={setRow} />
      </details>
      <WhatIf model={model} row={row} classes={population.classes} />
      {error !== undefined && <Notice error={error} />}
      <div class="person">
        <section aria-live="polite" aria-busy={isBusy}>
          {result && result.counterfactuals.length > 0 && (
            <>
              <p>
                <span class="badge no-badge">{String(result.factual?.prediction)}</span> {result.counterfactuals.length}{' '}
                of the ways to <strong>{String(result.target)}</strong>.
              </p>
              <Plans result={result} population={population} open={open} own={row} onOpen={setOpen} />
            </>
          )}
          {result && result.counterfactuals.length === 0 && <WhyNot result={result} population={population} />}
        </section>
        <WishesForm
          features={population.features}
          policy={policy}
          wishes={wishes}
          isBusy={isBusy}
          onChange={setWishes}
          onMake={make}
        />
      </div>
    </>
  );
}

function WhyNot({ result, population }: { result: ResultDocument; population: Population }) {
  return (
    <article class="card">
      <h2>{result.status === 'already' ? 'Nothing has to change' : 'Why not?'}</h2>
      <p>{describeResult(result, { subject: 'Person', features: population.features })}</p>
    </article>
  );
}

function LoadById({ onId }: { onId: (id: string) => void }) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const id = String(new FormData(event.currentTarget as HTMLFormElement).get('id')).trim();
    if (id) onId(id);
  };
  return (
    <form class="pair load" onSubmit={submit}>
      <label>
        Open an earlier explanation by its id
        <input name="id" autoComplete="off" />
      </label>
      <button type="submit">Open</button>
    </form>
  );
}

const PAUSE_MS = 150;

/** The score of the values in the form, anew after each pause in typing. */
function WhatIf({ model, row, classes }: { model: string; row: RowOfFeatures; classes: readonly string[] }) {
  const [words, setWords] = useState('');
  useEffect(() => {
    const ending = new AbortController();
    const body = { model, features: row };
    const timer = setTimeout(() => {
      request<{ prediction: string | number; scores: Record<string, number> }>('POST', '/v1/predictions', {
        body,
        signal: ending.signal,
      }).then(
        ({ prediction, scores }) => setWords(`With these details: ${prediction}${scored(scores, classes)}`),
        (error) => ending.signal.aborted || setWords((error as Error).message),
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [model, row]);
  return (
    <p class="what-if" role="status">
      {words}
    </p>
  );
}

const scored = (scores: Readonly<Record<string, number>>, classes: readonly string[]): string =>
  classes.length === 2 && scores[classes[1]] !== undefined ? ` (${classes[1]} ${scores[classes[1]].toFixed(3)})` : '';
