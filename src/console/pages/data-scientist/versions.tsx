/** The versions of the registry with their aliases, and the facts about one model. */
import { useState } from 'preact/hooks';
import { type Loaded, useLoaded } from '../../loading.js';
import { type Column, DataTable } from '../../parts/data-table.js';
import { type ListedModel, type ListedPolicy, type ListedVersion, listAliases, referenceOf } from '../../registry.js';
import { ModelDetails } from './model-details.js';

const day = (time: string): string => time.slice(0, 10);

type Aliases = Loaded<ReadonlyMap<string, readonly string[]>>;

const aliasesIn = (aliases: Aliases, version: ListedVersion): string =>
  aliases.state === 'there' ? (aliases.value.get(referenceOf(version)) ?? []).join(', ') : '';

const COMMON_ENDS = [
  { title: 'Pushed', cell: ({ pushed }: ListedVersion) => day(pushed) },
  { title: 'By', cell: ({ pushedBy }: ListedVersion) => pushedBy },
] as const;

export function ModelVersions({ models }: { models: readonly ListedModel[] }) {
  const [open, setOpen] = useState<string | undefined>(undefined);
  const aliases = useLoaded((signal) => listAliases('models', models, signal), [models]);
  const columns: readonly Column<ListedModel>[] = [
    { title: 'Model', cell: (model) => <Opener of={model} open={open} onOpen={setOpen} /> },
    { title: 'Aliases', cell: (model) => aliasesIn(aliases, model) },
    { title: 'Family', cell: ({ family }) => family },
    { title: 'Features', cell: ({ features }) => features, isNumber: true },
    { title: 'Classes', cell: ({ classes }) => classes.join(', ') },
    ...COMMON_ENDS,
  ];
  return (
    <>
      <DataTable caption="Models" columns={columns} rows={models} nothing="No model was pushed yet." />
      {open && <ModelDetails key={open} reference={open} />}
    </>
  );
}

interface OpenerProps {
  readonly of: ListedVersion;
  readonly open: string | undefined;
  onOpen(reference: string | undefined): void;
}

function Opener({ of, open, onOpen }: OpenerProps) {
  const reference = referenceOf(of);
  const isOpen = reference === open;
  return (
    <button type="button" class="link" aria-expanded={isOpen} onClick={() => onOpen(isOpen ? undefined : reference)}>
      {reference}
    </button>
  );
}

export function PolicyVersions({ policies }: { policies: readonly ListedPolicy[] }) {
  const aliases = useLoaded((signal) => listAliases('policies', policies, signal), [policies]);
  const columns: readonly Column<ListedPolicy>[] = [
    { title: 'Policy', cell: referenceOf },
    { title: 'Aliases', cell: (policy) => aliasesIn(aliases, policy) },
    { title: 'Rules', cell: ({ features }) => features, isNumber: true },
    { title: 'Conditions', cell: ({ constraints }) => constraints, isNumber: true },
    { title: 'Cost', cell: ({ norm }) => norm },
    ...COMMON_ENDS,
    { title: 'Reason', cell: ({ reason }) => reason },
  ];
  return <DataTable caption="Policies" columns={columns} rows={policies} nothing="No policy was pushed yet." />;
}
