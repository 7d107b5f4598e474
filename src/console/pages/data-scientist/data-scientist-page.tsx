/** The data scientist's page: the models and policies of the registry. */
import { useLoaded } from '../../loading.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { Outcome } from '../../parts/notice.js';
import { type ListedModel, type ListedPolicy, listModels, listPolicies } from '../../registry.js';
import { PolicyEditor } from './policy-editor.js';

const day = (time: string): string => time.slice(0, 10);

const MODEL_COLUMNS: readonly Column<ListedModel>[] = [
  { title: 'Name', cell: ({ name }) => name },
  { title: 'Version', cell: ({ version }) => version, isNumber: true },
  { title: 'Family', cell: ({ family }) => family },
  { title: 'Features', cell: ({ features }) => features, isNumber: true },
  { title: 'Classes', cell: ({ classes }) => classes.join(', ') },
  { title: 'Pushed', cell: ({ pushed }) => day(pushed) },
];

const POLICY_COLUMNS: readonly Column<ListedPolicy>[] = [
  { title: 'Name', cell: ({ name }) => name },
  { title: 'Version', cell: ({ version }) => version, isNumber: true },
  { title: 'Rules', cell: ({ features }) => features, isNumber: true },
  { title: 'Conditions', cell: ({ constraints }) => constraints, isNumber: true },
  { title: 'Cost', cell: ({ norm }) => norm },
  { title: 'Pushed', cell: ({ pushed }) => day(pushed) },
];

export function DataScientistPage() {
  const loaded = useLoaded((signal) => Promise.all([listModels(signal), listPolicies(signal)]), []);
  return (
    <>
      <h1>Models and policies</h1>
      <Outcome of={loaded}>
        {([models, policies]) => (
          <>
            <DataTable caption="Models" columns={MODEL_COLUMNS} rows={models} nothing="No model was pushed yet." />
            <DataTable
              caption="Policies"
              columns={POLICY_COLUMNS}
              rows={policies}
              nothing="No policy was pushed yet."
            />
            <PolicyEditor models={models} policies={policies} />
          </>
        )}
      </Outcome>
    </>
  );
}
