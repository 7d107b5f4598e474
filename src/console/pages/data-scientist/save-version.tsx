/** Saves a valid policy as a new version, with a reason. Only for admins: the registry takes no document from others. */
import { useState } from 'preact/hooks';
import { Notice } from '../../parts/notice.js';
import type { ListedPolicy } from '../../registry.js';
import { request } from '../../requests.js';

export function SaveVersion({ policy, onSaved }: { policy: unknown; onSaved: (saved: ListedPolicy) => void }) {
  const [reason, setReason] = useState('');
  const [error, setError] = useState<unknown>(undefined);
  const [saved, setSaved] = useState('');
  const name = (policy as { name?: string } | undefined)?.name ?? 'default';
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    try {
      const path = `/v1/policies/${encodeURIComponent(name)}?${new URLSearchParams({ reason })}`;
      const version = await request<ListedPolicy>('PUT', path, { body: policy });
      setSaved(`Saved as ${version.name}@${version.version}.`);
      setError(undefined);
      onSaved(version);
    } catch (refused) {
      setError(refused);
      setSaved('');
    }
  };
  return (
    <form class="save" onSubmit={save}>
      <label>
        Reason for a new version
        <input
          required
          maxLength={500}
          value={reason}
          onInput={({ currentTarget }) => setReason(currentTarget.value)}
        />
      </label>
      <button type="submit" class="main" disabled={policy === undefined}>
        Save as new version of {name}
      </button>
      <span role="status">{saved}</span>
      {error !== undefined && <Notice error={error} />}
    </form>
  );
}
