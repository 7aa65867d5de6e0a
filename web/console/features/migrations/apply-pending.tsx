/** Lists the pending migrations, tests them in a dry run, and applies them. */
import { Button, Checkbox } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Notice } from '../../../ui/notice.tsx';
import { SidePanel } from '../../components/frame/side-panel.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { applyMigrations, type DryRun, dryRun, type Migration } from './api.ts';
import classes from './migrations.module.css';
import { t } from './text.ts';

export function ApplyPending({
  migrations,
  onClose,
  onApplied,
}: {
  migrations: readonly Migration[];
  onClose: () => void;
  onApplied: (count: number) => void;
}) {
  const queryClient = useQueryClient();
  const [includeOlder, setIncludeOlder] = useState(false);
  const pending = migrations.filter(({ state }) => state === 'pending');
  const hasOlder = pending.some(({ isOlder }) => isOlder);
  const blocking = (['missing', 'recorded'] as const).find((each) =>
    migrations.some(({ state }) => state === each),
  );
  const isReady = blocking === undefined && (!hasOlder || includeOlder);
  const attempt = useMutation({ mutationFn: () => dryRun(includeOlder) });
  const apply = useMutation({
    mutationFn: () => applyMigrations(includeOlder),
    // The migrations also affect tables, policies and advisors, so everything is fetched again.
    onSettled: () => queryClient.invalidateQueries(),
    onSuccess: ({ applied }) => onApplied(applied.length),
  });
  return (
    <SidePanel title={t('migrations.apply-title')} onClose={onClose} wide>
      <div className={classes.details}>
        <p>{t('migrations.apply-text')}</p>
        <ol className={classes.files}>
          {pending.map(({ version, file }) => (
            <li key={version}>
              <code>{file}</code>
            </li>
          ))}
        </ol>
        {blocking === undefined ? null : (
          <Notice tone="warning">
            <p>{t(`migrations.blocked-${blocking}`)}</p>
          </Notice>
        )}
        {hasOlder ? (
          <Checkbox
            label={t('migrations.include-older')}
            description={t('migrations.include-older-why')}
            checked={includeOlder}
            onChange={(event) => setIncludeOlder(event.currentTarget.checked)}
          />
        ) : null}
        <div role="status">{attempt.data === undefined ? null : <Tried result={attempt.data} />}</div>
        {attempt.error === null ? null : <ProblemBox error={attempt.error} />}
        {apply.error === null ? null : <ProblemBox error={apply.error} />}
        <div className={`${classes.buttons} ${classes.end}`}>
          <Button
            size="sm"
            variant="default"
            title={t('migrations.dry-run-text')}
            disabled={!isReady || apply.isPending}
            loading={attempt.isPending}
            onClick={() => {
              apply.reset();
              attempt.mutate();
            }}
          >
            {t('migrations.dry-run')}
          </Button>
          <Button
            size="sm"
            disabled={!isReady || attempt.isPending}
            loading={apply.isPending}
            onClick={() => {
              attempt.reset();
              apply.mutate();
            }}
          >
            {t('migrations.apply-go')}
          </Button>
        </div>
      </div>
    </SidePanel>
  );
}

const Tried = ({ result: { tried, untried } }: { result: DryRun }) => (
  <Notice tone={untried.length === 0 ? 'success' : 'warning'}>
    <p>{t('migrations.tried', { count: tried.length })}</p>
    {untried.length === 0 ? null : <p>{t('migrations.untried', { files: untried.join(', ') })}</p>}
  </Notice>
);
