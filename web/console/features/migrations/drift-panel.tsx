/** Compares the database with the migrations, and saves changes that no migration contains as a migration. */
import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { Notice } from '../../../ui/notice.tsx';
import { SidePanel } from '../../components/frame/side-panel.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { CodeBlock } from '../../components/json-block.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { type Drift, findDrift, saveDrift } from './api.ts';
import classes from './migrations.module.css';
import { t } from './text.ts';

export function DriftPanel({ onClose }: { onClose: () => void }) {
  const { mutate, data, error, isPending } = useMutation({ mutationFn: findDrift });
  useEffect(() => mutate(), [mutate]);
  return (
    <SidePanel title={t('migrations.drift')} onClose={onClose} wide>
      <div className={classes.details}>
        <p>{t('migrations.drift-text')}</p>
        <div role="status">
          {isPending ? <p className={classes.note}>{t('migrations.drift-running')}</p> : null}
          {data?.sql === '' ? (
            <Notice tone="success">
              <p>{t('migrations.drift-none')}</p>
            </Notice>
          ) : null}
        </div>
        {isPending ? <SkeletonLines lines={6} /> : null}
        {error === null ? null : <ProblemBox error={error} />}
        {data === undefined || data.sql === '' || isPending ? null : <Changes drift={data} />}
        <div>
          <Button size="sm" variant="default" loading={isPending} onClick={() => mutate()}>
            {t('migrations.drift-again')}
          </Button>
        </div>
      </div>
    </SidePanel>
  );
}

function Changes({ drift: { sql, problem } }: { drift: Drift }) {
  const queryClient = useQueryClient();
  const [name, setName] = useState('schema_changes');
  const save = useMutation({
    mutationFn: () => saveDrift(name, sql),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['migrations'] }),
  });
  const isReady = /^[a-z0-9_]{1,100}$/.test(name);
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (isReady && !save.isPending) save.mutate();
  }
  return (
    <>
      <Notice tone="warning">
        <p>{problem === null ? t('migrations.drift-found') : t('migrations.drift-problem', { problem })}</p>
      </Notice>
      <CodeBlock text={sql} what={t('migrations.drift-sql')} isTall />
      <div role="status">
        {save.data === undefined ? null : (
          <Notice tone="success">
            <p>{t('migrations.drift-saved', save.data)}</p>
          </Notice>
        )}
      </div>
      {problem !== null || save.data !== undefined ? null : (
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
