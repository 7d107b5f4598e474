/** The data scientist's page: the versions of the registry, the policy editor, and comparisons. */
import { useState } from 'preact/hooks';
import { useLoaded } from '../../loading.js';
import type { PageProps } from '../../page.js';
import { Outcome } from '../../parts/notice.js';
import { listModels, listPolicies } from '../../registry.js';
import { CompareForm } from './compare-form.js';
import { PolicyEditor } from './policy-editor.js';
import { ModelVersions, PolicyVersions } from './versions.js';

export function DataScientistPage({ session }: PageProps) {
  const [saves, setSaves] = useState(0);
  const models = useLoaded(listModels, []);
  const policies = useLoaded(listPolicies, []);
  const now = useLoaded(listPolicies, [saves]);
  return (
    <>
      <h1>Models and policies</h1>
      <Outcome of={models}>
        {(models) => (
          <>
            <ModelVersions models={models} />
            <Outcome of={now}>{(policies) => <PolicyVersions policies={policies} />}</Outcome>
            <Outcome of={policies}>
              {(policies) => (
                <>
                  <PolicyEditor
                    models={models}
                    policies={policies}
                    session={session}
                    onSaved={() => setSaves(saves + 1)}
                  />
                  {models.length > 0 && policies.length > 0 && <CompareForm models={models} policies={policies} />}
                </>
              )}
            </Outcome>
          </>
        )}
      </Outcome>
    </>
  );
}
