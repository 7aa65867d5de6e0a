/** Lists the page states of the Console of which `gallery-console.ts` takes screenshots. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { Operator } from '../../test/console/harness.ts';
import { settledBackups } from './fill.ts';
import type { GalleryProject } from './project.ts';

export type Viewer = 'owner' | 'looker' | 'user' | 'visitor';

export interface State {
  readonly name: string;
  readonly path: string;
  /**
   * The viewer of the page: an operator, an end user on the Account pages, or a visitor without a session. The default
   * is the owner.
   */
  readonly as?: Viewer;
  /** Changes the project. The states that follow in the list show the result. */
  readonly before?: (owner: Operator, project: GalleryProject) => Promise<void>;
  /** Makes the open page show the state. */
  readonly act?: (page: Page) => Promise<void>;
}

/** Clicks buttons or links, one after another. */
const press =
  (...names: readonly (string | RegExp)[]) =>
  async (page: Page): Promise<void> => {
    for (const name of names) {
      const wanted = typeof name === 'string' ? { name, exact: true } : { name };
      await page.getByRole('button', wanted).or(page.getByRole('link', wanted)).first().click();
    }
  };

const inOrder =
  (...steps: readonly ((page: Page) => Promise<void>)[]) =>
  async (page: Page): Promise<void> => {
    for (const step of steps) await step(page);
  };

const openRow =
  (text: string) =>
  (page: Page): Promise<void> =>
    page
      .getByRole('row')
      .filter({ hasText: text })
      .first()
      .getByRole('link')
      .or(page.getByRole('row').filter({ hasText: text }).first().getByRole('button'))
      .first()
      .click();

const see =
  (text: string) =>
  (page: Page): Promise<void> =>
    page.getByText(text).first().waitFor();

const settingsPages = [
  ...['general', 'branding', 'account-pages', 'console', 'sign-in', 'passwords', 'sessions', 'mfa'],
  ...['providers', 'sso', 'hooks', 'oauth-server', 'keys', 'urls', 'protection', 'rate-limits', 'database'],
  ...['migrations', 'postgres', 'backups', 'network', 'tls', 'limits', 'logs', 'api', 'storage', 'realtime'],
  ...['functions', 'jobs', 'email', 'email-templates', 'sms'],
];

const functions: readonly State[] = [
  { name: 'functions', path: '/functions' },
  { name: 'functions-new', path: '/functions', act: press('New function') },
  { name: 'function', path: '/functions?name=send-invoice', act: inOrder(press('Send'), see('202')) },
  { name: 'function-failing', path: '/functions?name=recalculate-prices', act: press('Send') },
  { name: 'function-read-only', path: '/functions?name=send-invoice', as: 'looker' },
  { name: 'function-secrets', path: '/functions?view=secrets' },
  { name: 'function-secrets-new', path: '/functions?view=secrets', act: press('Set secret') },
  { name: 'function-secrets-read-only', path: '/functions?view=secrets', as: 'looker' },
];

const jobs: readonly State[] = [
  { name: 'jobs', path: '/jobs/cron' },
  { name: 'job', path: '/jobs/cron', act: openRow('failing-job') },
  { name: 'job-long-name', path: '/jobs/cron', act: openRow('recalculate-the') },
  { name: 'job-edit', path: '/jobs/cron', act: inOrder(openRow('nightly'), press('Edit')) },
  { name: 'job-missing', path: '/jobs/cron?id=nothing' },
  { name: 'job-delete', path: '/jobs/cron', act: inOrder(openRow('nightly'), press('Delete')) },
  { name: 'jobs-new', path: '/jobs/cron', act: press('New job') },
  { name: 'jobs-read-only', path: '/jobs/cron', as: 'looker' },
  { name: 'webhooks', path: '/jobs/webhooks' },
  { name: 'webhook', path: '/jobs/webhooks', act: openRow('tell the warehouse') },
  { name: 'webhooks-new', path: '/jobs/webhooks', act: press('New webhook') },
  { name: 'requests', path: '/jobs/requests' },
  { name: 'queues', path: '/jobs/queues' },
  { name: 'queue', path: '/jobs/queues?id=letters', act: see('Message 1') },
  { name: 'queues-new', path: '/jobs/queues', act: press('New queue') },
  {
    name: 'queue-send',
    path: '/jobs/queues?id=letters',
    act: press('Send message'),
  },
];

const joinChannel = inOrder(press('Join'), see('joined'));
const realtime: readonly State[] = [
  { name: 'realtime', path: '/realtime' },
  {
    name: 'realtime-joined',
    path: '/realtime?topic=room&table=public.orders&as=anon',
    act: inOrder(joinChannel, press('Track'), see('1 present'), press('Send', 'Send'), async (page) => {
      const summaries = page.getByRole('region', { name: 'Events' }).locator('summary');
      await summaries.first().click();
    }),
  },
  {
    name: 'realtime-check',
    path: '/realtime?table=public.orders&as=anon',
    act: async (page) => {
      await page.getByLabel('Row key (JSON)').fill('{"id": 30}');
      await page.keyboard.press('Enter');
      await page
        .getByRole('region', { name: 'Delivery check' })
        .getByText('delivered', { exact: true })
        .waitFor();
    },
  },
  {
    name: 'realtime-refused',
    path: '/realtime?topic=secret&private=true&table=public.beds&as=anon',
    act: inOrder(press('Join'), see('failed')),
  },
];

const operations: readonly State[] = [
  { name: 'logs', path: '/logs' },
  { name: 'logs-filters', path: '/logs', act: press(/More filters/) },
  { name: 'logs-errors', path: '/logs?status=4' },
  { name: 'logs-none', path: '/logs?search=nothing-matches-this' },
  { name: 'log-rest', path: '/logs?path=/rest/v1/orders', act: openRow('/rest/v1/orders') },
  { name: 'log-function', path: '/logs?service=functions', act: openRow('recalculate') },
  { name: 'log-auth', path: '/logs?service=auth', act: openRow('signup') },
  { name: 'logs-live', path: '/logs?live=true' },
  { name: 'metrics', path: '/metrics' },
  { name: 'metrics-service', path: '/metrics?service=rest&minutes=15' },
  { name: 'advisors', path: '/advisors' },
  { name: 'advisors-finding', path: '/advisors', act: press(/public\.invoices/) },
  { name: 'backups', path: '/backups' },
  {
    name: 'backups-running',
    path: '/backups',
    act: (page) => page.getByRole('button', { name: 'Run restore check' }).click({ timeout: 60_000 }),
  },
  { name: 'migrations', path: '/migrations' },
  { name: 'migration-changed', path: '/migrations?version=20260201000000', act: see('SQL that was applied') },
  { name: 'migration-pending', path: '/migrations?version=20260401000000' },
  { name: 'migrations-read-only', path: '/migrations', as: 'looker' },
];

const project: readonly State[] = [
  { name: 'reference', path: '/reference' },
  { name: 'reference-table', path: '/reference?table=orders' },
  { name: 'reference-insert', path: '/reference?table=orders&op=insert' },
  { name: 'reference-function', path: '/reference?fn=total_of' },
  {
    name: 'reference-tried',
    path: '/reference?table=orders',
    act: async (page) => {
      await page.getByLabel('Request: GET').press('Enter');
      await page.getByRole('region', { name: 'Response' }).waitFor();
    },
  },
  { name: 'keys', path: '/keys' },
  { name: 'keys-new', path: '/keys', act: press('Create key') },
  { name: 'keys-revoke', path: '/keys', act: press('Revoke Worker') },
  { name: 'operators', path: '/operators' },
  { name: 'operators-invite', path: '/operators', act: press('Invite') },
  { name: 'operators-token', path: '/operators', act: press('Create token') },
  { name: 'operators-read-only', path: '/operators', as: 'looker' },
  { name: 'audit', path: '/audit' },
  { name: 'audit-none', path: '/audit?search=nothing-matches-this' },
  { name: 'sso', path: '/users/sso' },
  { name: 'sso-connection', path: '/users/sso', act: openRow('idp.example.com') },
  { name: 'sso-new', path: '/users/sso', act: press(/connection/) },
  { name: 'inbox', path: '/inbox' },
];

const settings: readonly State[] = [
  ...settingsPages.map((id) => ({ name: `settings-${id}`, path: `/settings?section=${id}` })),
  { name: 'settings', path: '/settings' },
  { name: 'settings-search', path: '/settings?search=password' },
  { name: 'settings-template', path: '/settings?section=email-templates&mail=confirmation' },
  {
    name: 'settings-changed',
    path: '/settings?section=sessions',
    act: async (page) => {
      await page.getByLabel('Lifetime of access tokens', { exact: true }).fill('7200');
      await press('Review changes')(page);
      await page.getByRole('region', { name: /^Changes to / }).waitFor();
    },
  },
  {
    name: 'settings-invalid',
    path: '/settings?section=sessions',
    act: (page) => page.getByLabel('Lifetime of access tokens', { exact: true }).fill('abc'),
  },
  { name: 'settings-read-only', path: '/settings?section=sessions', as: 'looker' },
];

const why = (question: Readonly<Record<string, string>>): string =>
  `/why?${new URLSearchParams({ schema: 'public', as: 'anon', ...question })}`;
const others: readonly State[] = [
  { name: 'why-hidden', path: why({ table: 'plants', op: 'select', key: '{"id":"1"}' }) },
  { name: 'why-shown', path: why({ table: 'plants', op: 'select', key: '{"id":"20"}' }) },
  {
    name: 'why-update',
    path: why({ table: 'plants', op: 'update', key: '{"id":"20"}', values: '{"name":"changed"}' }),
  },
  { name: 'why-insert', path: why({ table: 'beds', op: 'insert', values: '{"name":"new"}' }) },
  { name: 'missing-page', path: '/no-such-page' },
  { name: 'missing-table', path: '/tables/public/no_such_table' },
  { name: 'policies-read-only', path: '/policies', as: 'looker' },
  { name: 'structure-read-only', path: '/tables/public/orders/structure', as: 'looker' },
  { name: 'users', path: '/users' },
  { name: 'new-table', path: '/tables/new' },
];

const signedOut: readonly State[] = [
  { name: 'sign-in', path: '/sign-in', as: 'visitor' },
  { name: 'sign-in-used-link', path: '/sign-in#token=00000000000000000000000000000000', as: 'visitor' },
  { name: 'account-security', path: '/account/security', as: 'user' },
];

/** Deletes the files in the backup target, so that the restore check fails. */
const broken: readonly State[] = [
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

export const states: readonly State[] = [
  ...functions,
  ...jobs,
  ...realtime,
  ...operations,
  ...project,
  ...settings,
  ...others,
  ...signedOut,
  ...broken,
];
