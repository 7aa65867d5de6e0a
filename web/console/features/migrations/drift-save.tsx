/** Saves the differences as a migration. In production, offers the SQL for copying. */
import { Button, Checkbox, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Notice } from '../../../ui/notice.tsx';
import { CodeBlock } from '../../components/json-block.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { type Drift, migrationsQuery, saveDrift } from './api.ts';
import classes from './migrations.module.css';
import { t } from './text.ts';

export function DriftSave({ drift, writesFiles }: { drift: Drift; writesFiles: boolean }) {
  const { sql, undo, problem, canUndo } = drift;
  if (sql === null) return null;
  return (
    <>
      {problem === null ? null : (
        <Notice tone="warning">
          <p>{t('migrations.drift-problem', { problem })}</p>
        </Notice>
      )}
      <p className={classes.label}>{t('migrations.drift-sql')}</p>
      {writesFiles ? null : <p className={classes.note}>{t('migrations.drift-copy')}</p>}
      <CodeBlock text={sql.trim()} what={t('migrations.drift-sql')} isTall />
      {problem === null && writesFiles ? <SaveForm sql={sql} canUndo={canUndo} /> : null}
      {undo === null || undo === '' ? null : (
        <details>
          <summary>{t('migrations.drift-undo')}</summary>
          <p className={classes.note}>{t('migrations.drift-undo-text')}</p>
          <CodeBlock text={undo.trim()} what={t('migrations.drift-undo')} isTall />
        </details>
      )}
    </>
  );
}

function SaveForm({ sql, canUndo }: { sql: string; canUndo: boolean }) {
  const queryClient = useQueryClient();
  const [name, setName] = useState('schema_changes');
  const [withDown, setWithDown] = useState(false);
  const save = useMutation({
    mutationFn: () => saveDrift(name, sql, withDown),
    // The last comparison stays visible beside the message until the panel compares again.
    onSuccess: () => queryClient.invalidateQueries({ queryKey: migrationsQuery.queryKey, exact: true }),
  });
  const isReady = /^[a-z0-9_]{1,100}$/.test(name);
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (isReady && !save.isPending) save.mutate();
  }
  return (
    <>
      <div role="status">
        {save.data === undefined ? null : (
          <Notice tone="success">
            <p>{t('migrations.drift-saved', save.data)}</p>
          </Notice>
        )}
      </div>
      {save.data !== undefined ? null : (
        <form className={classes.details} onSubmit={submit}>
          <TextInput
            size="sm"
            label={t('migrations.drift-name')}
            value={name}
            error={isReady ? undefined : t('migrations.drift-bad')}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          {canUndo ? (
            <Checkbox
              label={t('migrations.drift-down')}
              checked={withDown}
              onChange={(event) => setWithDown(event.currentTarget.checked)}
            />
          ) : null}
          {save.error === null ? null : <ProblemBox error={save.error} />}
          <div>
            <Button type="submit" size="sm" loading={save.isPending} disabled={!isReady}>
              {t('migrations.drift-save')}
            </Button>
          </div>
        </form>
      )}
    </>
  );
}
