/** The base backups at the target, and charts of their size and duration. */
import { useQuery } from '@tanstack/react-query';
import { Suspense } from 'react';
import { formatDateTime } from '../../../lib/i18n.ts';
import { Card } from '../../components/frame/card.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { lazyPart } from '../../components/lazy-part.ts';
import list from '../../components/list.module.css';
import { Moment } from '../../components/moment.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import type { Chart } from '../metrics/series.ts';
import { printSize } from '../storage/sizes.ts';
import { type BaseBackup, backupListQuery } from './api.ts';
import { secondsText } from './durations.ts';
import classes from './page.module.css';
import { t } from './text.ts';

const bytesPerMegabyte = 1_000_000;

const LineChart = lazyPart(() => import('../metrics/chart.tsx'));

/** `state` changes when a backup has ended. */
export function BackupList({ state, text }: { state: string | null; text: string }) {
  const { data, error } = useQuery(backupListQuery(state));
  const backups = data?.backups;
  return (
    <>
      <Card title={t('backups.list')} text={text} flush>
        {error === null ? null : (
          <div className={classes.inset}>
            <ProblemBox error={error} />
          </div>
        )}
        {backups === undefined ? (
          error === null ? (
            <SkeletonLines lines={4} />
          ) : null
        ) : backups.length === 0 ? (
          <p className={classes.inset}>{t('backups.list-none')}</p>
        ) : (
          <BackupTable backups={backups} />
        )}
      </Card>
      {backups === undefined || backups.length < 2 ? null : (
        <Card title={t('backups.trend')}>
          <Suspense fallback={<SkeletonLines lines={6} />}>
            <LineChart
              chart={trend(
                backups,
                t('backups.size-trend'),
                ({ storedBytes }) => storedBytes / bytesPerMegabyte,
                {
                  print: (megabytes) => printSize(megabytes * bytesPerMegabyte),
                },
              )}
              what={t('backups.size-trend')}
            />
            <LineChart
              chart={trend(backups, t('backups.time-trend'), ({ durationMs }) => durationMs / 1000, {
                print: (seconds) => secondsText(seconds * 1000),
              })}
              what={t('backups.time-trend')}
            />
          </Suspense>
        </Card>
      )}
    </>
  );
}

function BackupTable({ backups }: { backups: readonly BaseBackup[] }) {
  return (
    <table className={list.table}>
      <caption className="visually-hidden">{t('backups.list')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('backups.started')}</th>
          <th scope="col" className={list.number}>
            {t('backups.stored')}
          </th>
          <th scope="col" className={`${list.wide} ${list.number}`}>
            {t('backups.duration')}
          </th>
          <th scope="col" className={list.wide}>
            {t('backups.range')}
          </th>
          <th scope="col" className={list.wide}>
            {t('backups.id')}
          </th>
        </tr>
      </thead>
      <tbody>
        {backups.map((backup) => (
          <tr key={backup.id}>
            <td>
              <Moment at={backup.startedAt} relative />
            </td>
            <td className={list.number}>{printSize(backup.storedBytes)}</td>
            <td className={`${list.wide} ${list.number}`}>{secondsText(backup.durationMs)}</td>
            <td className={list.wide}>
              {t('backups.until', {
                from: formatDateTime(backup.oldestRecoverable),
                to: formatDateTime(backup.newestRecoverable),
              })}
            </td>
            <td className={list.wide}>
              <code>{backup.id}</code>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Returns the values of the backups, oldest first, rounded to two decimals. */
function trend(
  backups: readonly BaseBackup[],
  label: string,
  numberOf: (backup: BaseBackup) => number,
  { print }: Pick<Chart, 'print'>,
): Chart {
  const ascending = backups.toReversed();
  return {
    print,
    times: ascending.map(({ startedAt }) => Date.parse(startedAt) / 1000),
    series: [
      {
        label,
        color: '--plinth-series-1',
        values: ascending.map((backup) => Math.round(numberOf(backup) * 100) / 100),
      },
    ],
  };
}
