/** The data scientist's page: the versions of the registry, the policy editor, and comparisons. */
import { useState } from 'preact/hooks';
import { useLoaded } from '../../loading.js';
import type { PageProps } from '../../page.js';
import { Outcome } from '../../parts/notice.js';
import { listPolicies } from '../../registry.js';
import { CompareForm } from './compare-form.js';
import { PolicyEditor } from './policy-editor.js';
import { readVersions } from './version-choice.js';
import { ModelVersions, PolicyVersions } from './versions.js';

export function DataScientistPage({ session }: PageProps) {
  const [saves, setSaves] = useState(0);
  const versions = useLoaded(readVersions, []);
  const now = useLoaded(listPolicies, [saves]);
  return (
    <>
      <h1>Models and policies</h1>
      <Outcome of={versions}>
        {(choice) => (
          <>
            <ModelVersions models={choice.models} />
            <Outcome of={now}>{(policies) => <PolicyVersions policies={policies} />}</Outcome>
            <PolicyEditor {...choice} session={session} onSaved={() => setSaves(saves + 1)} />
            {choice.models.length > 0 && choice.policies.length > 0 && <CompareForm {...choice} />}
          </>
        )}
      </Outcome>
    </>
  );
}
