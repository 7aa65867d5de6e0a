/**
 * The backups page. The page shows the state of backups, the last verification, the list of backups, and how to
 * restore a backup.
 */
import { Button } from '@mantine/core';
import { IconDatabaseExport } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Copyable } from '../../../ui/copyable.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { useMay } from '../../api/session.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Fact, Facts } from '../../components/facts.tsx';
import { Card, Cards } from '../../components/frame/card.tsx';
import { PageHead } from '../../components/frame/page.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { CodeBlock } from '../../components/json-block.tsx';
import { ownCommand } from '../../components/keyboard/own-command.ts';
import { Moment } from '../../components/moment.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import {
  type Backups,
  type BackupsOverview,
  backupsQuery,
  runBackup,
  type Verification,
  verifyBackup,
} from './api.ts';
import { BackupList } from './backup-list.tsx';
import { secondsText } from './durations.ts';
import { LocalBackupCards, LocalRun } from './local-backups.tsx';
import classes from './page.module.css';
import { t } from './text.ts';

export function BackupsPage() {
  const { data, error } = useQuery(backupsQuery);
  return (
    <>
      <PageHead title={t('backups.title')}>
        {data?.overview == null ? null : <Actions overview={data.overview} />}
        {data?.local == null ? null : <LocalRun local={data.local} />}
      </PageHead>
      <Cards>
        {error === null ? null : <ProblemBox error={error} />}
        {data === undefined ? (
          error === null ? (
            <SkeletonLines lines={10} />
          ) : null
        ) : data.overview === null ? (
          <>
            {data.local === null ? null : <LocalBackupCards local={data.local} />}
            <NotSetUp missing={data.missing} />
          </>
        ) : (
          <>
            <Status overview={data.overview} />
            <VerificationCard verification={data.overview.verification} />
            <BackupList state={data.overview.lastStartedAt} text={t('backups.list-text')} />
            <RestoreCard overview={data.overview} />
          </>
        )}
      </Cards>
    </>
  );
}

function Actions({ overview: { running, verification, lastStartedAt } }: { overview: BackupsOverview }) {
  const mayWrite = useMay('write');
  const queries = useQueryClient();
  const refresh = () => queries.invalidateQueries({ queryKey: backupsQuery.queryKey, exact: true });
  const backUp = useMutation({ mutationFn: runBackup, onSettled: refresh });
  const verify = useMutation({ mutationFn: verifyBackup, onSettled: refresh });
  if (!mayWrite) return null;
  const error = backUp.error ?? verify.error;
  return (
    <>
      {error === null ? null : <ProblemBox error={error} />}
      <Button
        size="xs"
        variant="default"
        loading={verification.step !== null || verify.isPending}
        disabled={lastStartedAt === null}
        onClick={() => verify.mutate()}
      >
        {t('backups.verify')}
      </Button>
      <Button size="xs" loading={running || backUp.isPending} onClick={() => backUp.mutate()}>
        {t('backups.run')}
      </Button>
    </>
  );
}

const exampleSettings = `[backup]
to = "s3://my-backups/app?region=eu-central-1"
encryption_key = "env(BACKUP_KEY)"
access_key_id = "env(BACKUP_S3_KEY)"
secret_access_key = "env(BACKUP_S3_SECRET)"`;

function NotSetUp({ missing }: Pick<Backups, 'missing'>) {
  const icon = <IconDatabaseExport size={22} stroke={1.75} />;
  if (missing === 'external')
    return <EmptyState icon={icon} title={t('backups.external-title')} text={t('backups.external-text')} />;
  return (
    <EmptyState icon={icon} title={t('backups.none-title')} text={t('backups.none-text')}>
      <div className={classes.setup}>
        <p>
          <Link to="/settings" search={{ section: 'backups' }}>
            {t('backups.none-open')}
          </Link>
        </p>
        <p>{t('backups.none-settings')}</p>
        <CodeBlock text={exampleSettings} what={t('backups.none-settings')} />
        <p>{t('backups.none-key')}</p>
        <CodeBlock text="openssl rand -hex 32" what={t('backups.none-key')} />
      </div>
    </EmptyState>
  );
}

function Status({ overview }: { overview: BackupsOverview }) {
  const { problem, overdue, newestRecoverable, lastStartedAt, nextAt, archivesWal } = overview;
  return (
    <Card title={t('backups.state')}>
      <div className={classes.noticed}>
        {problem === null && !overdue ? null : (
          <Notice tone="danger" title={t('backups.problem')}>
            <p>{problem ?? t('backups.overdue')}</p>
          </Notice>
        )}
        <Facts layout="columns">
          <Fact label={t('backups.newest')}>
            {newestRecoverable === null ? (
              t('backups.newest-none')
            ) : (
              <Moment at={newestRecoverable} relative />
            )}
          </Fact>
          <Fact label={t('backups.last')}>
            {overview.running ? (
              t('backups.running')
            ) : lastStartedAt === null ? (
              t('backups.last-none')
            ) : (
              <Moment at={lastStartedAt} relative />
            )}
          </Fact>
          <Fact label={t('backups.next')}>
            {nextAt === null ? t('backups.next-none') : <Moment at={nextAt} />}
          </Fact>
          <Fact label={t('backups.wal')}>{t(archivesWal ? 'backups.wal-on' : 'backups.wal-off')}</Fact>
          <Fact label={t('backups.keep')}>{keepText(overview.keepMs)}</Fact>
          <Fact label={t('backups.target')}>
            <Copyable value={overview.target} what={t('backups.target')} />
          </Fact>
        </Facts>
      </div>
    </Card>
  );
}

const hourMs = 3_600_000;

function keepText(keepMs: number): string {
  const hours = Math.round(keepMs / hourMs);
  return hours % 24 === 0 ? t('backups.keep-days', { days: hours / 24 }) : t('backups.keep-hours', { hours });
}

function VerificationCard({ verification: { step, last } }: Pick<BackupsOverview, 'verification'>) {
  return (
    <Card title={t('backups.verification')} text={t('backups.verification-text')}>
      <div role="status" className={classes.running}>
        {step === null ? null : (
          <Notice tone="info">
            <p>{t('backups.verification-running', { step })}</p>
          </Notice>
        )}
      </div>
      {last === null ? (
        <p>{t('backups.verification-none')}</p>
      ) : (
        <Result verification={last} isRunning={step !== null} />
      )}
    </Card>
  );
}

function Result({
  verification: { endedAt, durationMs, problems, checked },
  isRunning,
}: {
  verification: Verification;
  /** Whether a new check is running. The last success is then less important than its progress. */
  isRunning: boolean;
}) {
  return (
    <div className={classes.noticed}>
      {problems.length === 0 ? (
        isRunning ? null : (
          <Notice tone="success">
            <p>{t('backups.verification-good')}</p>
          </Notice>
        )
      ) : (
        <Notice tone="danger" title={t('backups.verification-bad', { count: problems.length })}>
          {problems.map((problem) => (
            <p key={problem}>{problem}</p>
          ))}
        </Notice>
      )}
      <Facts layout="columns">
        <Fact label={t('backups.verification-when')}>
          <Moment at={endedAt} relative />
        </Fact>
        <Fact label={t('backups.verification-took')}>{secondsText(durationMs)}</Fact>
        {checked === null ? null : (
          <>
            <Fact label={t('backups.verification-read')}>
              {t('backups.verification-counts', {
                tables: checked.tables,
                rows: checked.rows,
                objects: checked.objects,
              })}
            </Fact>
            <Fact label={t('backups.verification-age')}>{secondsText(checked.newestAgeMs)}</Fact>
          </>
        )}
      </Facts>
    </div>
  );
}

/** The commands that restore a backup. */
function RestoreCard({ overview: { target, newestRecoverable } }: { overview: BackupsOverview }) {
  const time = (newestRecoverable ?? new Date().toISOString()).replace(/\.\d+Z$/, 'Z');
  const commands = [
    [t('backups.restore-newest'), ownCommand('restore --data-dir restored')],
    [t('backups.restore-time'), ownCommand(`restore --to-time ${time} --data-dir restored`)],
    [
      t('backups.restore-elsewhere'),
      `PLINTH_BACKUP_KEY=… ${ownCommand(`restore --from '${target}' --data-dir restored`)}`,
    ],
    [t('backups.restore-start'), ownCommand('serve --data-dir restored')],
  ] as const;
  return (
    <Card title={t('backups.restore')} text={t('backups.restore-text')}>
      <Facts layout="stacked">
        {commands.map(([label, command]) => (
          <Fact key={label} label={label}>
            <Copyable value={command} what={label} />
          </Fact>
        ))}
      </Facts>
    </Card>
  );
}
