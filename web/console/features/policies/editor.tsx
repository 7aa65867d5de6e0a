/** Edits a policy with fields, SQL conditions and a preview of the statement. */
import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { namesQuery } from '../../api/queries.ts';
import { Fact, Facts } from '../../components/facts.tsx';
import { SidePanel } from '../../components/frame/side-panel.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { lazyPart } from '../../components/lazy-part.ts';
import { MigrationFields, migrationName, useMigrationChoice } from '../../components/migration-choice.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { type Change, type Command, commands, type Policy, type SecuredTable } from './api.ts';
import { ConfirmChange, SqlPreview, useChange } from './change.tsx';
import { Comparison } from './comparison.tsx';
import classes from './editor.module.css';
import { TemplateChoice } from './template-fields.tsx';
import { t } from './text.ts';

const SqlEditor = lazyPart(() => import('../../components/editor/sql-editor.tsx'));

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
  const [asking, setAsking] = useState<'drop' | 'off'>();
  const change = changeOf(policy, draft);
  const save = useChange(table, onClose);
  const migration = useMigrationChoice(
    migrationName(policy === undefined ? 'create_policy' : 'change_policy', table.name, draft.name),
  );
  const name = table.schema === 'public' ? table.name : `${table.schema}.${table.name}`;
  const set = (part: Partial<Policy>): void => setDraft({ ...draft, ...part });
  const fill = (filled: Policy | undefined): void => {
    setDraft(filled ?? emptyPolicy);
    setGeneration(generation + 1);
  };
  const known = ['public', ...new Set([...roles, ...draft.roles.filter((role) => role !== 'public')])];
  return (
    <SidePanel
      wide
      title={t(policy === undefined ? 'policies.new-on' : 'policies.edit-on', { table: name })}
      onClose={onClose}
      isDirty={draft !== initial && !save.isPending}
    >
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (mayWrite && migration.isReady && !save.isPending)
            save.mutate({ change, migration: migration.body });
        }}
      >
        {mayWrite ? null : <p className={classes.dim}>{t('policies.read-only')}</p>}
        {policy === undefined ? <TemplateChoice table={table} onFill={fill} /> : null}
        {mayWrite ? (
          <>
            <TextInput
              size="sm"
              label={t('policies.name')}
              required
              maxLength={63}
              autoComplete="off"
              data-autofocus={policy !== undefined || undefined}
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
          </>
        ) : (
          <PolicyFacts policy={initial} />
        )}
        {draft.command === 'insert' ? null : (
          <Condition
            key={`using${generation}`}
            table={table}
            label={t('policies.using-long')}
            value={draft.using ?? ''}
            readOnly={!mayWrite}
            onChange={(using) => set({ using })}
          />
        )}
        {draft.command === 'select' || draft.command === 'delete' ? null : (
          <Condition
            key={`check${generation}`}
            table={table}
            label={t('policies.check-long')}
            hint={draft.command === 'insert' ? '' : t('policies.check-empty')}
            value={draft.check ?? ''}
            readOnly={!mayWrite}
            onChange={(check) => set({ check })}
          />
        )}
        {mayWrite ? (
          <>
            <Comparison table={table} change={change} />
            <SqlPreview table={table} change={change} />
            <MigrationFields choice={migration} />
            {save.error === null ? null : <ProblemBox error={save.error} />}
            <div className={classes.buttons}>
              {policy === undefined ? null : (
                <>
                  <Button size="sm" variant="light" color="red" onClick={() => setAsking('drop')}>
                    {t('policies.drop')}
                  </Button>
                  <Button size="sm" variant="default" onClick={() => setAsking('off')}>
                    {t('policies.turn-off-one')}
                  </Button>
                </>
              )}
              <Button type="submit" size="sm" loading={save.isPending} disabled={!migration.isReady}>
                {t('policies.save')}
              </Button>
            </div>
          </>
        ) : null}
      </form>
      {asking === undefined || policy === undefined ? null : (
        <ConfirmChange
          table={table}
          change={{ kind: asking, name: policy.name }}
          {...(asking === 'drop'
            ? {
                title: t('policies.drop-title', { name: policy.name }),
                action: t('policies.drop'),
                text: t('policies.drop-text'),
                migration: migrationName('drop_policy', table.name, policy.name),
              }
            : {
                title: t('policies.turn-off-one-title', { name: policy.name }),
                action: t('policies.turn-off-one'),
                text: t('policies.turn-off-one-text'),
                migration: migrationName('turn_off_policy', table.name, policy.name),
              })}
          onDone={onClose}
          onClose={() => setAsking(undefined)}
        />
      )}
    </SidePanel>
  );
}

/** Shows the parts of a policy that the operator can't edit. */
function PolicyFacts({ policy: { name, command, permissive, roles } }: { policy: Policy }) {
  return (
    <Facts>
      <Fact label={t('policies.name')}>{name}</Fact>
      <Fact label={t('policies.command')}>{t(`policies.command.${command}`)}</Fact>
      <Fact label={t('policies.kind')}>
        {t(permissive ? 'policies.permissive-long' : 'policies.restrictive-long')}
      </Fact>
      <Fact label={t('policies.roles')}>{roles.join(', ')}</Fact>
    </Facts>
  );
}

/** Returns the change without empty conditions and without conditions that the policy's command doesn't support. */
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

function Condition({
  table: { schema, name },
  label,
  hint = '',
  value,
  readOnly,
  onChange,
}: {
  table: SecuredTable;
  label: string;
  hint?: string;
  value: string;
  readOnly: boolean;
  onChange: (value: string) => void;
}) {
  const { data: names } = useQuery({ ...namesQuery, enabled: !readOnly });
  return (
    <div>
      <p className={classes.label}>{label}</p>
      <div className={classes.condition} data-readonly={readOnly || undefined}>
        <Suspense fallback={<SkeletonLines lines={2} />}>
          <SqlEditor
            value={value}
            label={label}
            names={names}
            own={{ schema, table: name }}
            readOnly={readOnly}
            onChange={onChange}
          />
        </Suspense>
      </div>
      {hint === '' ? null : <p className={classes.dim}>{hint}</p>}
    </div>
  );
}
