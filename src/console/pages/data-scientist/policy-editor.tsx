/** A policy as text. Each pause in typing asks the server for all faults of the policy under a model. Nothing is stored. */
import { useEffect, useState } from 'preact/hooks';
import { FaultList, Notice } from '../../parts/notice.js';
import { type ListedModel, type ListedPolicy, readPolicy, referenceOf } from '../../registry.js';
import { request } from '../../requests.js';

interface PolicyFaultLine {
  readonly path: string;
  readonly message: string;
}

const PAUSE_MS = 300;

export function PolicyEditor({
  models,
  policies,
}: {
  models: readonly ListedModel[];
  policies: readonly ListedPolicy[];
}) {
  const [text, setText] = useState('{ "schema": "elsewise.policy/v1" }');
  const [model, setModel] = useState(models[0] ? referenceOf(models[0]) : '');
  const [error, setError] = useState<unknown>(undefined);
  const open = (reference: string) =>
    reference && readPolicy(reference).then((policy) => setText(JSON.stringify(policy, undefined, 2)), setError);
  return (
    <section class="card" aria-label="Policy editor">
      <h2>Check a policy</h2>
      <div class="pair">
        <label>
          Under the model
          <select value={model} onChange={({ currentTarget }) => setModel(currentTarget.value)}>
            <option value="">none: only the form</option>
            {models.map(referenceOf).map((reference) => (
              <option key={reference}>{reference}</option>
            ))}
          </select>
        </label>
        <label>
          Begin with
          <select onChange={({ currentTarget }) => open(currentTarget.value)}>
            <option value="">an empty policy</option>
            {policies.map(referenceOf).map((reference) => (
              <option key={reference}>{reference}</option>
            ))}
          </select>
        </label>
      </div>
      <label for="policy-text">Policy document</label>
      <textarea
        id="policy-text"
        rows={16}
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      {error !== undefined && <Notice error={error} />}
      <Faults text={text} model={model} />
    </section>
  );
}

function Faults({ text, model }: { text: string; model: string }) {
  const [faults, setFaults] = useState<readonly PolicyFaultLine[] | undefined>(undefined);
  useEffect(() => {
    const ending = new AbortController();
    const timer = setTimeout(() => checkText(text, model, ending.signal).then(setFaults, () => {}), PAUSE_MS);
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [text, model]);
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
