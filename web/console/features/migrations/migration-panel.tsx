/** Shows a migration's SQL and problems, and explains how to repair the migration's state. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Notice } from '../../../ui/notice.tsx';
import { useMay } from '../../api/session.ts';
import { Confirm } from '../../components/confirm.tsx';
import { DiffBlock } from '../../components/diff-block.tsx';
import { SidePanel } from '../../components/frame/side-panel.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { CodeBlock } from '../../components/json-block.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { type Migration, migrationQuery, migrationsQuery, repairMigration, revertMigration } from './api.ts';
import classes from './migrations.module.css';
import { t } from './text.ts';

export function MigrationPanel({
  migration,
  isNewest,
  onClose,
}: {
  migration: Migration | undefined;
  /** Whether this is the newest applied migration. */
  isNewest: boolean;
  onClose: () => void;
}) {
  const mayRead = useMay('secrets');
  if (migration === undefined)
    return (
      <SidePanel title={t('migrations.list')} onClose={onClose}>
        <p>{t('migrations.gone')}</p>
      </SidePanel>
    );
  const { version, name, state } = migration;
  return (
    <SidePanel title={`${version} ${name}`} onClose={onClose} wide>
      <div className={classes.details}>
        {state === 'changed' || state === 'missing' ? (
          <Notice tone="warning">
            <p>{t(`migrations.${state}-why`)}</p>
          </Notice>
        ) : null}
        {state === 'recorded' ? <p className={classes.note}>{t('migrations.recorded-why')}</p> : null}
        <Repair migration={migration} />
        {migration.hasDown && state !== 'pending' ? <Revert version={version} isNewest={isNewest} /> : null}
        {mayRead ? <Text migration={migration} /> : <p className={classes.note}>{t('migrations.secret')}</p>}
      </div>
    </SidePanel>
  );
}

function Text({ migration: { version, state } }: { migration: Migration }) {
  const { data, error } = useQuery(migrationQuery(version));
  if (error !== null) return <ProblemBox error={error} />;
  if (data === undefined) return <SkeletonLines lines={8} />;
  const texts = [
    ['migrations.sql-file', data.file],
    // If the file hasn't changed since it was applied, it contains the same statements as the database's history.
    ['migrations.sql-applied', state === 'applied' ? null : data.applied],
    ['migrations.down', data.down],
  ] as const;
  const shown = texts.filter(([, text]) => text !== null);
  return (
    <>
      {state !== 'changed' || data.lines === null ? null : (
        <div>
          <p className={classes.label}>{t('migrations.sql-diff')}</p>
          <DiffBlock lines={data.lines} label={t('migrations.sql-diff')} />
        </div>
      )}
      {shown.length === 0 ? <p className={classes.note}>{t('migrations.no-sql')}</p> : null}
      {shown.map(([id, text]) => (
        <div key={id}>
          <p className={classes.label}>{t(id)}</p>
          <CodeBlock text={text?.trim() ?? ''} what={t(id)} />
        </div>
      ))}
    </>
  );
}

function Repair({ migration: { version, state } }: { migration: Migration }) {
  const queryClient = useQueryClient();
  const mayWrite = useMay('write');
  const [isAsking, setAsking] = useState(false);
  const status = state === 'pending' ? 'applied' : 'reverted';
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => repairMigration(version, status),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: migrationsQuery.queryKey });
      setAsking(false);
    },
  });
  if (!mayWrite) return null;
  return (
    <div>
      <Button size="xs" variant="default" onClick={() => setAsking(true)}>
        {t(`migrations.mark-${status}`)}
      </Button>
      {isAsking ? (
        <Confirm
          title={`${t(`migrations.mark-${status}`)}: ${version}`}
          action={t(`migrations.mark-${status}`)}
          isMild
          isBusy={isPending}
          error={error}
          onConfirm={() => mutate()}
          onClose={() => setAsking(false)}
        >
          <p>{t(`migrations.mark-${status}-text`)}</p>
        </Confirm>
      ) : null}
    </div>
  );
}

/** Runs the down script, which can delete data, so the version must be typed. */
function Revert({ version, isNewest }: { version: string; isNewest: boolean }) {
  const queryClient = useQueryClient();
  const mayWrite = useMay('write');
  const [isAsking, setAsking] = useState(false);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => revertMigration(version),
    onSuccess: async () => {
      // The script also affects tables, policies and advisors, so everything is fetched again.
      await queryClient.invalidateQueries();
      setAsking(false);
    },
  });
  if (!mayWrite) return null;
  if (!isNewest) return <p className={classes.note}>{t('migrations.down-newest')}</p>;
  return (
    <div>
      <Button size="xs" variant="default" color="red" onClick={() => setAsking(true)}>
        {t('migrations.down-run')}
      </Button>
      {isAsking ? (
        <Confirm
          title={`${t('migrations.down-run')}: ${version}`}
          action={t('migrations.down-run')}
          typed={version}
          isBusy={isPending}
          error={error}
          onConfirm={() => mutate()}
          onClose={() => setAsking(false)}
        >
          <p>{t('migrations.down-text')}</p>
        </Confirm>
      ) : null}
    </div>
  );
}
