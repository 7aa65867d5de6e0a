/**
 * Shows a change as SQL, together with the data that the change would delete. After the review, runs the change and can
 * save it as a migration.
 */
import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Notice } from '../../../../ui/notice.tsx';
import { SkeletonLines } from '../../../components/frame/skeleton.tsx';
import { CodeBlock } from '../../../components/json-block.tsx';
import { focusNew } from '../../../components/keyboard/focus-new.ts';
import { MigrationFields, useMigrationChoice } from '../../../components/migration-choice.tsx';
import { ProblemBox } from '../../../components/problem-box.tsx';
import { applyChanges, previewQuery, type SchemaChange, type Warning } from './api.ts';
import { suggestedName } from './drafts.ts';
import classes from './forms.module.css';
import { IndexBuilds, useIndexBuilds } from './index-builds.tsx';
import { t } from './text.ts';

export function Review({
  changes,
  onBack,
  onDone,
}: {
  changes: readonly SchemaChange[];
  onBack: () => void;
  onDone: () => void;
}) {
  const queryClient = useQueryClient();
  const { data: preview, error } = useQuery(previewQuery(changes));
  const migration = useMigrationChoice(suggestedName(changes));
  const [typed, setTyped] = useState('');
  const run = useMutation({
    mutationFn: () =>
      applyChanges(changes, {
        ...(typed === '' ? {} : { confirmed: typed }),
        ...(preview?.hasSecrets === true ? {} : migration.body),
      }),
    onSuccess: async () => {
      // The change may affect all data that was read from the schema, so everything is fetched again.
      await queryClient.invalidateQueries();
      onDone();
    },
  });
  if (error !== null) {
    return (
      <div className={classes.form}>
        <ProblemBox error={error} />
        <Buttons onBack={onBack} isBusy={false} isReady={false} />
      </div>
    );
  }
  if (preview === undefined) return <SkeletonLines lines={6} />;
  const isReady =
    (preview.hasSecrets || migration.isReady) && (preview.confirm === null || typed === preview.confirm);

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (isReady && !run.isPending) run.mutate();
  }

  return (
    <form className={classes.form} onSubmit={submit}>
      {preview.warnings.map((warning) => (
        <Notice key={JSON.stringify(warning)} tone={toneOf(warning)}>
          <p>{textOf(warning)}</p>
          {warning.cascade === true ? <p>{t('review.cascade')}</p> : null}
        </Notice>
      ))}
      <CodeBlock text={preview.statements.map((each) => `${each};`).join('\n\n')} what={t('review.sql')} />
      {preview.hasSecrets ? <p>{t('review.secret')}</p> : <MigrationFields choice={migration} />}
      {preview.confirm === null ? null : (
        <TextInput
          size="sm"
          label={t('confirm.type', { text: preview.confirm })}
          value={typed}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
      {run.isPending
        ? changes
            .filter(buildsIndex)
            .map((change) => <RunningBuild key={JSON.stringify(change)} change={change} />)
        : null}
      {run.error === null ? null : <ProblemBox error={run.error} />}
      <Buttons
        onBack={onBack}
        isBusy={run.isPending}
        isReady={isReady}
        isDanger={preview.confirm !== null}
        isFocused={preview.confirm === null && preview.warnings.length === 0}
      />
    </form>
  );
}

type IndexChange = Extract<SchemaChange, { kind: 'create_index' | 'add_constraint' }>;

/** Whether the change builds an index, which can take minutes. */
const buildsIndex = (change: SchemaChange): change is IndexChange =>
  change.kind === 'create_index' ||
  (change.kind === 'add_constraint' && ['primary key', 'unique'].includes(change.constraint.kind));

function RunningBuild({ change: { schema, table } }: { change: IndexChange }) {
  return <IndexBuilds builds={useIndexBuilds({ schema, table }, { isExpected: true })} />;
}

function Buttons({
  onBack,
  isBusy,
  isReady,
  isDanger = false,
  isFocused = false,
}: {
  onBack: () => void;
  isBusy: boolean;
  isReady: boolean;
  isDanger?: boolean;
  /** Whether the button that runs the change receives focus, because the change doesn't affect existing data. */
  isFocused?: boolean;
}) {
  return (
    <div className={classes.buttons}>
      <Button variant="default" size="sm" onClick={onBack}>
        {t('review.back')}
      </Button>
      <Button
        ref={isFocused ? focusNew : undefined}
        type="submit"
        size="sm"
        loading={isBusy}
        disabled={!isReady}
        {...(isDanger ? { color: 'red' } : {})}
      >
        {t('review.apply')}
      </Button>
    </div>
  );
}

const dangers: ReadonlySet<Warning['kind']> = new Set([
  'rows',
  'type',
  'secrets',
  'exposed',
  'closed_schema',
]);

const toneOf = ({ kind, fault }: Warning): 'warning' | 'danger' =>
  dangers.has(kind) || fault !== undefined ? 'danger' : 'warning';

function textOf(warning: Warning): string {
  const { kind, on, column = '', role = '', rows, exact, changed, fault } = warning;
  const values = { on, column, role, rows: rows ?? 0 };
  const about = exact || rows === null ? '' : ` (${t('review.about')})`;
  if (kind !== 'converted') return t(`review.${kind}`, values) + about;
  if (fault !== undefined) return t('review.converted-fault', { column, fault });
  return changed === null || changed === undefined
    ? t('review.converted-unknown', values) + about
    : t('review.converted', { ...values, changed });
}
