/** States of the settings pages. */
import { press, type State } from '../state.ts';

const settingsPages = [
  ...['general', 'branding', 'account-pages', 'console', 'sign-in', 'passwords', 'sessions', 'mfa'],
  ...['providers', 'sso', 'hooks', 'oauth-server', 'keys', 'urls', 'protection', 'rate-limits', 'database'],
  ...['migrations', 'postgres', 'backups', 'network', 'tls', 'limits', 'logs', 'api', 'storage', 'realtime'],
  ...['functions', 'jobs', 'email', 'email-templates', 'sms'],
];

export const settings: readonly State[] = [
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
    act: async (page) => {
      await page.getByLabel('Lifetime of access tokens', { exact: true }).fill('abc');
      await page.getByRole('button', { name: 'Show error', exact: true }).waitFor();
    },
  },
  { name: 'settings-read-only', path: '/settings?section=sessions', as: 'looker' },
];
