/** States of the pages for logs, metrics, advisors, backups and migrations. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { settledBackups } from '../fill.ts';
import { inOrder, openRow, press, type State, see } from '../state.ts';

export const operations: readonly State[] = [
  { name: 'logs', path: '/logs' },
  { name: 'logs-filters', path: '/logs', act: press(/More filters/) },
  { name: 'logs-errors', path: '/logs?status=4' },
  { name: 'logs-slowest', path: '/logs?list=slowest' },
  { name: 'logs-failures', path: '/logs?list=failures' },
  { name: 'logs-none', path: '/logs?search=nothing-matches-this' },
  { name: 'log-rest', path: '/logs?path=/rest/v1/orders', act: openRow('/rest/v1/orders') },
  { name: 'log-function', path: '/logs?service=functions', act: openRow('recalculate') },
  { name: 'log-auth', path: '/logs?service=auth', act: openRow('signup') },
  {
    name: 'replay-form',
    path: '/logs?path=/rest/v1/orders',
    act: inOrder(openRow('/rest/v1/orders'), press('Replay this request')),
  },
  {
    name: 'replay-result',
    path: '/logs?path=/rest/v1/orders',
    act: inOrder(
      openRow('/rest/v1/orders'),
      press('Replay this request', 'Replay', 'Show test'),
      see('-- Generated from'),
    ),
  },
  {
    name: 'replay-auth',
    path: '/logs?service=auth',
    act: inOrder(openRow('signup'), press('Replay this request')),
  },
  { name: 'logs-live', path: '/logs?live=true' },
  { name: 'metrics', path: '/metrics' },
  { name: 'metrics-month', path: '/metrics?minutes=43200' },
  { name: 'metrics-service', path: '/metrics?service=rest&minutes=15' },
  { name: 'advisors', path: '/advisors' },
  { name: 'advisors-finding', path: '/advisors', act: press(/public\.invoices/) },
  { name: 'backups', path: '/backups' },
  { name: 'backups-base', path: '/backups', act: inOrder(press('Back up now'), see('Backing up…')) },
  {
    name: 'backups-running',
    before: settledBackups,
    path: '/backups',
    // The check that the state in the other width started must end first.
    act: (page) => page.getByRole('button', { name: 'Verify backup' }).click({ timeout: 60_000 }),
  },
  {
    name: 'backups-local',
    path: '/backups',
    project: 'empty',
    act: async (page) => {
      await press('Back up now')(page);
      await page.getByRole('table').getByRole('row').nth(1).waitFor({ timeout: 60_000 });
    },
  },
  { name: 'branches', path: '/branches' },
  { name: 'migrations', path: '/migrations' },
  { name: 'migration-changed', path: '/migrations?version=20260201000000', act: see('SQL that was applied') },
  { name: 'migration-pending', path: '/migrations?version=20260401000000' },
  {
    name: 'migrations-drift',
    path: '/migrations',
    act: inOrder(press('Check for drift'), see('hasn’t been compared')),
  },
  { name: 'migrations-squash', path: '/migrations', act: press('Squash') },
  { name: 'migrations-read-only', path: '/migrations', as: 'looker' },
];

/** Deletes the files in the backup target, so that the verification fails. */
export const broken: readonly State[] = [
  {
    name: 'backups-failed',
    path: '/backups',
    before: async (owner, project) => {
      rmSync(join(project.dir, 'backups'), { recursive: true });
      await owner.call('POST', '/backups/verify');
      await settledBackups(owner);
    },
  },
];
