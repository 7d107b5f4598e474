/** The person's page: what would have had to be different, plans made to the person's wishes, and the score of other values. */
import { useEffect, useState } from 'preact/hooks';
import type { OverlayInput, PolicyInput } from '../../../documents/policy-document.js';
import type { ResultDocument } from '../../../documents/result-document.js';
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
import { LetterLink } from './letter-link.js';
import { notesOf, type OpenedAnswer, openAnswer } from './opened-answer.js';
import { Plans } from './plans.js';
import { classLabel, type Population, type RowOfFeatures, readPopulation } from './population.js';
import { ReceiptLink } from './receipt-link.js';
import { RowForm } from './row-form.js';
import { WhatIf } from './what-if.js';
import { WhyNot } from './why-not.js';
import { overlayOf, type Wishes, WishesForm } from './wishes.js';

export function PersonPage({ address }: PageProps) {
  const { values } = address;
  const loaded = useLoaded(async (signal) => {
    const [models, policies] = await Promise.all([listModels(signal), listPolicies(signal)]);
    const model = values.model ?? (models[0] ? referenceOf(models[0]) : '');
    const policy = values.policy ?? (await fittingPolicy(model, policies, signal));
    return { models, policies, given: { ...values, model, policy } };
  }, []);
  return <Outcome of={loaded}>{(choice) => <Choice {...choice} />}</Outcome>;
}

/** So many policies are looked at. */
const MOST_POLICIES = 20;

/** The first policy whose features are all features of the model. Empty: none of the first ones is. */
async function fittingPolicy(model: string, policies: readonly ListedPolicy[], signal?: AbortSignal): Promise<string> {
  if (!model) return '';
  const { features } = await readPopulation(model, 0, signal);
  const known = new Set(features.map(({ name }) => name));
  for (const reference of policies.slice(0, MOST_POLICIES).map(referenceOf)) {
    const policy = await readPolicy(reference, signal);
    if (Object.keys(policy.features ?? {}).every((name) => known.has(name))) return reference;
  }
  return '';
}

interface ChoiceProps {
  readonly models: readonly ListedModel[];
  readonly policies: readonly ListedPolicy[];
  readonly given: Readonly<Record<string, string>> & { readonly model: string; readonly policy: string };
}

function Choice({ models, policies, given }: ChoiceProps) {
  const [model, setModel] = useState(given.model);
  const [policy, setPolicy] = useState(given.policy);
  const [opened, setOpened] = useState<OpenedAnswer | undefined>(undefined);
  const [error, setError] = useState<unknown>(undefined);
  /** Chooses the model and the policy of an earlier answer, by their digests. */
  const open = async (id: string) => {
    setError(undefined);
    try {
      const found = await openAnswer(id, { models, policies });
      if (found.model) setModel(referenceOf(found.model));
      if (found.policy) setPolicy(referenceOf(found.policy));
      setOpened(found);
    } catch (fault) {
      setError(fault);
    }
  };
  useEffect(() => {
    if (given.id) open(given.id);
  }, [given.id]);
  const changeModel = async (reference: string) => {
    const fitting = await fittingPolicy(reference, policies);
    setOpened(undefined);
    setPolicy(fitting);
    setModel(reference);
  };
  const changePolicy = (reference: string) => {
    setOpened(undefined);
    setPolicy(reference);
  };
  const loaded = useLoaded(
    async (signal) => ({
      population: await readPopulation(model, 1, signal),
      policy: policy ? await readPolicy(policy, signal) : undefined,
    }),
    [model, policy],
  );
  const id = opened?.result.id ?? '';
  useEffect(() => replaceAddress({ page: 'person', values: { model, policy, id } }), [model, policy, id]);
  if (!models.length) return <p>No model was pushed yet.</p>;
  return (
    <>
      <h1>What would have had to be different</h1>
      <div class="pair choice">
        <Select label="Model" value={model} options={models.map(referenceOf)} onValue={changeModel} />
        <Select label="Policy" value={policy} options={['', ...policies.map(referenceOf)]} onValue={changePolicy} />
      </div>
      {error !== undefined && <Notice error={error} />}
      {opened &&
        notesOf(opened).map((note) => (
          <p key={note} class="card" role="status">
            {note}
          </p>
        ))}
      <Outcome of={loaded}>
        {(known) => (
          <Person key={`${model} ${policy} ${id}`} {...{ model, policyName: policy, opened, ...known }} onOpen={open} />
        )}
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
  readonly opened: OpenedAnswer | undefined;
  onOpen(id: string): void;
}

/** A result, the wishes that this page asked with, and whether the chosen policy is that of the result. */
interface Shown {
  readonly result: ResultDocument;
  readonly isItsPolicy: boolean;
  readonly overlay?: OverlayInput;
}

function Person({ model, policyName, policy, population, opened, onOpen }: PersonProps) {
  const factual = opened?.result.factual?.features as RowOfFeatures | undefined;
  const [row, setRow] = useState<RowOfFeatures>(factual ?? population.rows[0] ?? {});
  const [wishes, setWishes] = useState<Wishes>({ features: {} });
  const [shown, setShown] = useState<Shown | undefined>(
    opened && { result: opened.result, isItsPolicy: opened.policy !== undefined },
  );
  const [error, setError] = useState<unknown>(undefined);
  const [isBusy, setBusy] = useState(false);
  const show = (result: ResultDocument, overlay: OverlayInput | undefined) => {
    setShown({ result, overlay, isItsPolicy: true });
    if (result.factual) setRow(result.factual.features as RowOfFeatures);
  };
  const make = async () => {
    const target = policy?.target === undefined ? population.classes[1] : undefined;
    const overlay = overlayOf(wishes);
    const body = { model, policy: policyName || undefined, features: row, target, overlay };
    setBusy(true);
    setError(undefined);
    const asking = request<ResultDocument>('POST', '/v1/explanations?waitMs=20000', { body });
    await asking.then((result) => show(result, overlay), setError);
    setBusy(false);
  };
  return (
    <>
      <details class="card" open={!shown}>
        <summary>The person's details</summary>
        <RowForm population={population} row={row} onChange={setRow} />
        <LoadById onId={onOpen} />
      </details>
      {error !== undefined && <Notice error={error} />}
      <WhatIf model={model} row={row} population={population} />
      <div class="person">
        <section aria-live="polite" aria-busy={isBusy}>
          {shown && (
            <Answer {...{ ...shown, population, policyName, policy: shown.isItsPolicy ? policy : undefined, row }} />
          )}
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

interface AnswerProps
  extends Pick<Shown, 'result' | 'overlay'>,
    Pick<PersonProps, 'population' | 'policyName' | 'policy'> {
  readonly row: RowOfFeatures;
}

/** `policy`: that of the result. Undefined: not known. */
function Answer({ result, overlay, population, policyName, policy, row }: AnswerProps) {
  const [open, setOpen] = useState(0);
  useEffect(() => setOpen(0), [result]);
  const { id, counterfactuals: plans, factual, target, model } = result;
  const said = classLabel(population, factual?.prediction);
  const wanted = typeof target === 'string' ? classLabel(population, target) : 'the target';
  return (
    <>
      <div class="answer-head">
        <div>
          <p class="quiet reference">
            Answer {id} · {model.name}
            {model.version === null ? '' : `, version ${model.version}`}
          </p>
          <p>
            <span class={`badge ${result.status === 'already' ? 'yes-badge' : 'no-badge'}`}>{said}</span>{' '}
            {plans.length > 0 && waysTo(plans.length, wanted)}
          </p>
          {factual && <ReceiptLink id={id} />}
        </div>
        {factual && <LetterLink id={id} {...(overlay && { policy: policyName, overlay })} />}
      </div>
      {plans.length > 0 ? (
        <Plans {...{ result, population, policy, open: Math.min(open, plans.length - 1), own: row }} onOpen={setOpen} />
      ) : (
        <WhyNot {...{ result, population, overlay, policy }} />
      )}
    </>
  );
}

const COUNTS = ['', 'This way', 'Two ways', 'Three ways'];
const waysTo = (count: number, target: string): string =>
  `${COUNTS[count] ?? `${count} ways`} would have led to ${target}.`;

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
