/** Queries for the backups page. */
import { queryOptions } from '@tanstack/react-query';
import { fetchConsole } from '../../api/session.ts';

export type {
  Backups,
  BackupsOverview,
  BaseBackup,
  LocalBackupsOverview,
  Verification,
} from '../../../../src/pages/console/backups/contract.ts';

const idlePollMs = 10_000;
const busyPollMs = 1000;

export const backupsQuery = queryOptions({
  queryKey: ['backups'],
  queryFn: ({ signal }) => fetchConsole('GET /backups', { signal }),
  refetchInterval: ({ state: { data } }) => {
    const { running = false, verification } = data?.overview ?? {};
    return running || data?.local?.running === true || (verification?.step ?? null) !== null
      ? busyPollMs
      : idlePollMs;
  },
});

/** Reads the list of backups from the target. The list is read again only when a backup has ended, as `state` shows. */
export const backupListQuery = (state: string | null) =>
  queryOptions({
    queryKey: ['backups', 'list', state],
    queryFn: ({ signal }) => fetchConsole('GET /backups/list', { signal }),
    staleTime: 60_000,
  });

export const runBackup = () => fetchConsole('POST /backups/run');
export const verifyBackup = () => fetchConsole('POST /backups/verify');
