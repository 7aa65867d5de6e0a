import type { AlertKind } from '../../../../base/shared/alerts.ts';

/** What each kind of problem is, for messages and for docs/alerts.md. */
export const alertKinds: Readonly<Record<AlertKind, string>> = {
  services: 'A service fails',
  'server-errors': 'At least 5 requests and 1 % of all requests within ten minutes received a 5xx status',
  jobs: 'The last run of a cron job failed',
  backups: 'Backups fail or are overdue',
  disk: 'The disk is almost full',
  certificates: 'A certificate expires soon, or its renewal fails',
  nodes: 'A node doesn’t answer, or reports a problem',
  'sign-in-attacks': 'Many wrong passwords or codes were entered within ten minutes',
  statements: 'A statement is slow, or has become slower',
  security: 'The advisors found a security problem',
  settings: 'The settings files contain errors, or a sign-in provider is incomplete',
};
