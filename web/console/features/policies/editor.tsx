/** Edits a policy with fields, SQL conditions and a preview of the statement. */
import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { Confirm } from '../../components/confirm.tsx';
import { CodeBlock } from '../../components/json-block.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { SkeletonLines } from '../../components/skeleton.tsx';
import { useDebounced } from '../../components/use-debounced.ts';
import {
  type Change,
  type Command,
  changePolicies,
  commands,
  type Policies,
  type Policy,
  policiesQuery,
  previewQuery,
  type SecuredTable,
} from './api.ts';
import classes from './editor.module.css';
import { templates } from './templates.ts';
import { t } from './text.ts';

const SqlEditor = lazy(() => import('../../components/editor/sql-editor.tsx'));

const emptyPolicy: Policy = {
  name: '',
  command: 'select',
  permissive: true,
  roles: ['authenticated'],
  using: '',
  check: '',
};

export function PolicyEditor({
  table,
  policy,
  roles,
  mayWrite,
  onClose,
}: {
  table: SecuredTable;
  policy: Policy | undefined;
  roles: readonly string[];
  mayWrite: boolean;
  onClose: () => void;
}) {
  const [initial] = useState(policy ?? emptyPolicy);
  const [draft, setDraft] = useState(initial);
  // The editor stores its own text, so it must be re-created when a template replaces the text.
  const [generation, setGeneration] = useState(0);
  const [isDropping, setDropping] = useState(false);
  const change = changeOf(policy, draft);
  const save = useChange(table, onClose);
  const drop = useChange(table, onClose);
  const name = table.schema === 'public' ? table.name : `${table.schema}.${table.name}`;
  const set = (part: Partial<Policy>): void => setDraft({ ...draft, ...part });
  const known = ['public', ...new Set([...roles, ...draft.roles.filter((role) => role !== 'public')])];
  return (
    <SidePanel
      wide
      title={t(policy === undefined ? 'policies.new-on' : 'policies.edit-on', { table: name })}
      onClose={onClose}
      isDirty={draft !== initial && !save.isPending && !drop.isPending}
    >
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (mayWrite && !save.isPending) save.mutate(change);
        }}
      >
        {mayWrite ? null : <p className={classes.dim}>{t('policies.read-only')}</p>}
        {policy === undefined ? (
          <NativeSelect
            size="sm"
            label={t('policies.template')}
            data={[
              { value: '', label: t('policies.template-none') },
              ...templates.map(({ label }) => ({ value: label, label: t(label) })),
            ]}
            onChange={(event) => {
              const template = templates.find(({ label }) => label === event.currentTarget.value);
              setDraft(template?.policy ?? emptyPolicy);
              setGeneration(generation + 1);
            }}
          />
        ) : null}
        <TextInput
          size="sm"
          label={t('policies.name')}
          required
          maxLength={63}
          autoComplete="off"
          data-autofocus
          value={draft.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
        <div className={classes.two}>
          <NativeSelect
            size="sm"
            label={t('policies.command')}
            value={draft.command}
            data={commands.map((value) => ({ value, label: t(`policies.command.${value}`) }))}
            onChange={(event) => set({ command: event.currentTarget.value as Command })}
          />
          <NativeSelect
            size="sm"
            label={t('policies.kind')}
            value={draft.permissive ? 'permissive' : 'restrictive'}
            data={[
              { value: 'permissive', label: t('policies.permissive-long') },
              { value: 'restrictive', label: t('policies.restrictive-long') },
            ]}
            onChange={(event) => set({ permissive: event.currentTarget.value === 'permissive' })}
          />
        </div>
        <fieldset className={classes.roles}>
          <legend className={classes.label}>{t('policies.roles')}</legend>
          {known.map((role) => (
            <Checkbox
              key={role}
              size="xs"
              label={role}
              checked={draft.roles.includes(role)}
              onChange={(event) =>
                set({
                  roles: event.currentTarget.checked
                    ? [...draft.roles, role]
                    : draft.roles.filter((each) => each !== role),
                })
              }
            />
          ))}
        </fieldset>
        {draft.command === 'insert' ? null : (
          <Condition
            key={`using${generation}`}
            label={t('policies.using-long')}
            value={draft.using ?? ''}
            readOnly={!mayWrite}
            onChange={(using) => set({ using })}
          />
        )}
        {draft.command === 'select' || draft.command === 'delete' ? null : (
          <Condition
            key={`check${generation}`}
            label={t('policies.check-long')}
            hint={draft.command === 'insert' ? '' : t('policies.check-empty')}
            value={draft.check ?? ''}
            readOnly={!mayWrite}
            onChange={(check) => set({ check })}
          />
        )}
        {mayWrite ? (
          <>
            <SqlPreview table={table} change={change} />
            {save.error === null ? null : <ProblemBox error={save.error} />}
            <div className={classes.buttons}>
              {policy === undefined ? null : (
                <Button size="sm" variant="light" color="red" onClick={() => setDropping(true)}>
                  {t('policies.drop')}
                </Button>
              )}
              <Button type="submit" size="sm" loading={save.isPending}>
                {t('policies.save')}
              </Button>
            </div>
          </>
        ) : null}
      </form>
      {isDropping && policy !== undefined ? (
        <Confirm
          title={t('policies.drop-title', { name: policy.name })}
          action={t('policies.drop')}
          isBusy={drop.isPending}
          error={drop.error}
          onConfirm={() => drop.mutate({ kind: 'drop', name: policy.name })}
          onClose={() => setDropping(false)}
        >
          {t('policies.drop-text')}
        </Confirm>
      ) : null}
    </SidePanel>
  );
}

/** Removes empty conditions, and conditions that the policy's command doesn't support. */
function changeOf(previous: Policy | undefined, draft: Policy): Change {
  const text = (value: string | null): string | null =>
    value === null || value.trim() === '' ? null : value;
  const policy: Policy = {
    ...draft,
    using: draft.command === 'insert' ? null : text(draft.using),
    check: draft.command === 'select' || draft.command === 'delete' ? null : text(draft.check),
  };
  return previous === undefined
    ? { kind: 'create', policy }
    : { kind: 'replace', previous: previous.name, policy };
}

export function useChange(table: SecuredTable, onDone: () => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (change: Change) => changePolicies(table, change),
    onSuccess: ({ tables }) => {
      queryClient.setQueryData<Policies>(policiesQuery.queryKey, (previous) =>
        previous === undefined ? previous : { ...previous, tables },
      );
      void queryClient.invalidateQueries({ queryKey: ['rows-as'] });
      void queryClient.invalidateQueries({ queryKey: ['tables'] });
      onDone();
    },
  });
}

function Condition({
  label,
  hint = '',
  value,
  readOnly,
  onChange,
}: {
  label: string;
  hint?: string;
  value: string;
  readOnly: boolean;
  onChange: (value: string) => void;
}) {
  return (
    <div>
      <p className={classes.label}>{label}</p>
      <div className={classes.condition}>
        <Suspense fallback={<SkeletonLines lines={2} />}>
          <SqlEditor value={value} label={label} readOnly={readOnly} onChange={onChange} />
        </Suspense>
      </div>
      {hint === '' ? null : <p className={classes.dim}>{hint}</p>}
    </div>
  );
}

function SqlPreview({ table, change }: { table: SecuredTable; change: Change }) {
  const [settled, setSettled] = useState(() => JSON.stringify(change));
  const [text, setText] = useDebounced(settled, setSettled);
  const wanted = JSON.stringify(change);
  if (wanted !== text) setText(wanted);
  const isWhole =
    change.kind !== 'drop' &&
    change.kind !== 'security' &&
    change.policy.name !== '' &&
    change.policy.roles.length > 0;
  const { data, error } = useQuery({
    ...previewQuery(table, JSON.parse(settled) as Change),
    enabled: isWhole && settled === wanted,
  });
  if (!isWhole) return null;
  if (error !== null && settled === wanted) return <ProblemBox error={error} />;
  return data === undefined ? null : (
    <div>
      <p className={classes.label}>{t('policies.sql')}</p>
      <CodeBlock text={data} what={t('policies.sql')} />
    </div>
  );
}
