/** The person's page: what would have had to be different, plans made to the person's wishes, and the score of other values. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { type PageAddress, replaceAddress } from '../../address.js';
import { useLoaded } from '../../loading.js';
import type { PageProps } from '../../page.js';
import { Notice, Outcome } from '../../parts/notice.js';
import { type ListedPolicy, listModels, listPolicies, readPolicy, referenceOf } from '../../registry.js';
import { fittingPolicy } from './fitting-policy.js';
import type { KeptRow } from './kept-row.js';
import { notesOf, type OpenedAnswer, openAnswer, type Registry } from './opened-answer.js';
import { Person } from './person.js';
import { readPopulation } from './population.js';

export function PersonPage({ address }: PageProps) {
  const loaded = useLoaded((signal) => readChoice(address.values, signal), [address]);
  return <Outcome of={loaded}>{(choice) => <Choice {...choice} />}</Outcome>;
}

/** The lists, and the answer, the model and the policy of an address. */
async function readChoice(values: PageAddress['values'], signal: AbortSignal): Promise<ChoiceProps> {
  const [models, policies] = await Promise.all([listModels(signal), listPolicies(signal)]);
  const first = await tryToOpen(values.id, { models, policies });
  const found = first.opened && choiceOf(first.opened, policies);
  const model = found?.model ?? values.model ?? (models[0] ? referenceOf(models[0]) : '');
  const policy = found?.policy ?? values.policy ?? (await fittingPolicy(model, policies, signal));
  return { models, policies, first: { ...first, model, policy } };
}

/** The state of the page that a person chooses. */
interface Chosen {
  readonly model: string;
  readonly policy: string;
  readonly opened?: OpenedAnswer;
  /** The reason why an answer was not opened. */
  readonly error?: unknown;
}

async function tryToOpen(id: string | undefined, registry: Registry): Promise<Pick<Chosen, 'opened' | 'error'>> {
  if (!id) return {};
  return openAnswer(id, registry).then(
    (opened) => ({ opened }),
    (error) => ({ error }),
  );
}

/** The model and the policy of an answer. For a policy that is not in the registry: the newest version of its name. */
function choiceOf({ result, model, policy }: OpenedAnswer, policies: readonly ListedPolicy[]): Partial<Chosen> {
  const named = policy ?? policies.find(({ name }) => name === result.policy.name);
  return { ...(model && { model: referenceOf(model) }), ...(named && { policy: referenceOf(named) }) };
}

interface ChoiceProps extends Registry {
  readonly first: Chosen;
}

function Choice({ models, policies, first }: ChoiceProps) {
  const [chosen, setChosen] = useState(first);
  const kept = useRef<KeptRow | undefined>(undefined);
  const { model, policy, opened, error } = chosen;
  const open = async (id: string) => {
    const found = await tryToOpen(id, { models, policies });
    setChosen((before) => ({
      ...before,
      error: undefined,
      ...found,
      ...(found.opened && choiceOf(found.opened, policies)),
    }));
  };
  const changeModel = async (reference: string) => {
    const [own, others] = [true, false].map((isOwn) =>
      policies.filter((one) => (referenceOf(one) === policy) === isOwn),
    );
    setChosen({ model: reference, policy: await fittingPolicy(reference, [...own, ...others]) });
  };
  const changePolicy = (reference: string) => setChosen({ model, policy: reference });
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
          <Person
            key={`${model} ${policy} ${id}`}
            {...{ model, policyName: policy, opened, kept, ...known }}
            onOpen={open}
          />
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
