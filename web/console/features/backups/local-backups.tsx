/** Backups in the data folder, which a developer creates with one press. */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Copyable } from '../../../ui/copyable.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { useMay } from '../../api/session.ts';
import { Fact, Facts } from '../../components/facts.tsx';
import { Card } from '../../components/frame/card.tsx';
import { ownCommand } from '../../components/keyboard/own-command.ts';
import { ProblemBox } from '../../components/problem-box.tsx';
import { backupsQuery, type LocalBackupsOverview, runBackup } from './api.ts';
import { BackupList } from './backup-list.tsx';
import classes from './page.module.css';
import { t } from './text.ts';

export function LocalRun({ local }: { local: LocalBackupsOverview }) {
  const mayWrite = useMay('write');
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: runBackup,
    onSettled: () => queries.invalidateQueries({ queryKey: backupsQuery.queryKey, exact: true }),
  });
  if (!mayWrite) return null;
  return (
    <>
      {error === null ? null : <ProblemBox error={error} />}
      <Button size="xs" loading={local.running || isPending} onClick={() => mutate()}>
        {t('backups.run')}
      </Button>
    </>
  );
}

export function LocalBackupCards({ local }: { local: LocalBackupsOverview }) {
  const { folder, keyFile, running, ended, problem } = local;
  const key = `PLINTH_BACKUP_KEY="$(cat ${quoted(keyFile)})"`;
  const commands = [
    [
      t('backups.restore-newest'),
      `${key} ${ownCommand(`restore --from ${quoted(folder)} --data-dir restored`)}`,
    ],
    [t('backups.restore-start'), ownCommand('start --data-dir restored')],
  ] as const;
  return (
    <>
      <div role="status">
        {running ? (
          <Notice tone="info">
            <p>{t('backups.running')}</p>
          </Notice>
        ) : null}
      </div>
      {problem === null ? null : (
        <div className={classes.noticed}>
          <Notice tone="danger" title={t('backups.problem')}>
            <p>{problem}</p>
          </Notice>
        </div>
      )}
      <BackupList state={`local ${ended}`} text={t('backups.local-text')} />
      <Card title={t('backups.restore')} text={t('backups.restore-text')}>
        <Facts layout="stacked">
          <Fact label={t('backups.local-folder')}>
            <Copyable value={folder} what={t('backups.local-folder')} />
          </Fact>
          {commands.map(([label, command]) => (
            <Fact key={label} label={label}>
              <Copyable value={command} what={label} />
            </Fact>
          ))}
        </Facts>
      </Card>
    </>
  );
}

/** Quotes a path for a shell. */
const quoted = (path: string): string => `'${path.replaceAll("'", "'\\''")}'`;
