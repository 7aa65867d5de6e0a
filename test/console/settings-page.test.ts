/**
 * Tests the settings pages in Chromium: how settings are found, changed, validated next to their field, reviewed as a
 * diff, and written. Also tests the pages that try out providers, hooks and email templates.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { axeViolations, launchBrowser, openContext, scrollsSideways } from '../web/browser.ts';
import { pageStates, withStates } from '../web/states.ts';
import { type Backend, startBackend } from './harness.ts';
import { expectSound, looks, signInWindow } from './page-helpers.ts';

const projectDir = mkdtempSync(join(tmpdir(), 'plinth-settings-page-'));
const file = join(projectDir, 'supabase/config.toml');
const text = '[auth]\njwt_expiry = 3600 # an hour\n';
let backend: Backend;
let restarts = 0;
let browser: Browser;
beforeAll(async () => {
  mkdirSync(join(projectDir, 'supabase'));
  writeFileSync(file, text);
  backend = await startBackend({ projectDir, restart: () => void restarts++ });
  await backend.operators.createOperator('looker', 'read-only');
  await backend.operators.createOperator('dev', 'developer');
  browser = await launchBrowser();
});
// Restores the files, so that a failed test can be retried and doesn't affect the next test.
afterEach(async () => {
  restarts = 0;
  writeFileSync(file, text);
  for (const name of ['.env', 'templates'])
    rmSync(join(projectDir, 'supabase', name), { recursive: true, force: true });
  await backend.configuration?.reload();
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
  rmSync(projectDir, { recursive: true });
});

async function opened(path: string, options: Parameters<typeof openContext>[1] = {}, name?: string) {
  const { context, complaints } = await openContext(browser, {
    viewport: { width: 1280, height: 800 },
    ...options,
  });
  await signInWindow(context, backend, name);
  const page = await context.newPage();
  await page.goto(`${backend.console.url}/console${path}`);
  await page
    .getByLabel('Search settings')
    .or(page.getByRole('heading', { level: 2 }))
    .first()
    .waitFor();
  return { page, complaints, close: () => context.close() };
}

/** Saves the changes as soon as their diff is shown. Before that, the button has no effect. */
async function save(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Review changes' }).press('Enter');
  await page
    .getByRole('region', { name: /^Changes to / })
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Save to files' }).press('Enter');
}

const focusedId = (page: Page): Promise<string> => page.evaluate('document.activeElement?.id ?? ""');

test('with the keyboard, a setting can be changed, is validated and reviewed, and is written without losing its comment', async () => {
  const { page, complaints, close } = await opened('/settings?section=sessions');
  const field = page.getByLabel('Lifetime of access tokens', { exact: true });
  await expect.poll(() => field.inputValue()).toBe('3600');
  await page.getByText('1 hour · 1 to 604,800').waitFor();
  await field.fill('abc');
  await page.getByText('"abc" isn\'t a whole number.').waitFor();
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  expect(await field.getAttribute('aria-describedby')).toMatch(/\S+-fault \S+-hint \S+-help$/);
  expect(await axeViolations(page)).toEqual([]);
  await page.getByRole('link', { name: 'Passwords' }).press('Enter');
  await page.getByRole('button', { name: 'Show error' }).press('Enter');
  await expect.poll(() => focusedId(page)).toBe('setting-auth.jwt_expiry');
  await field.fill('7200');
  await page.getByText('2 hours').waitFor();
  await page.getByRole('button', { name: 'Undo change: Lifetime of access tokens' }).press('Enter');
  await expect.poll(() => field.inputValue()).toBe('3600');
  await field.fill('7200');
  await page.getByRole('button', { name: 'Review changes' }).press('Enter');
  const diff = page.getByRole('region', { name: 'Changes to supabase/config.toml' });
  await diff.getByText('jwt_expiry = 7200 # an hour').waitFor();
  expect(readFileSync(file, 'utf8')).toBe(text);
  expect(await axeViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save to files' }).press('Enter');
  await page.getByRole('status').getByText('1 setting applied').waitFor();
  expect(readFileSync(file, 'utf8')).toBe('[auth]\njwt_expiry = 7200 # an hour\n');
  await page.getByRole('button', { name: 'Reset to default: Lifetime of access tokens' }).press('Enter');
  await expect.poll(() => field.inputValue()).toBe('');
  await page.getByRole('button', { name: 'Discard changes' }).press('Enter');
  expect(complaints.list).toEqual([]);
  await close();
});

test.each([
  ['minimum password', 'setting-auth.minimum_password_length'],
  ['google login', 'setting-auth.external.google.enabled'],
  ['logout everywhere', 'setting-auth.sessions.single_per_user'],
  ['file size', 'setting-storage.file_size_limit'],
  ['cors', 'setting-server.browser_secret_keys'],
  ['magic link', 'setting-auth.email.otp_expiry'],
  ['reset password subject', 'setting-auth.email.template.recovery.subject'],
])('a search for "%s" opens the field and moves the focus to it', async (words, id) => {
  const { page, complaints, close } = await opened('/settings');
  await page.getByLabel('Search settings').fill(words);
  await page.getByRole('navigation', { name: 'Search results' }).getByRole('link').first().waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => focusedId(page)).toBe(id);
  await page.locator(`[id="${id}"]`).waitFor();
  expect(complaints.list).toEqual([]);
  await close();
});

test('switches, choices, lists, durations and secrets have their own controls', async () => {
  const { page, complaints, close } = await opened('/settings?section=protection');
  await page.getByRole('switch', { name: 'Require a CAPTCHA', exact: true }).press('Space');
  await page.getByText('Is required because auth.captcha.enabled is true.').first().waitFor();
  await page.getByText('This can’t work yet. Also set: CAPTCHA provider, CAPTCHA secret key').waitFor();
  await page
    .getByRole('combobox', { name: 'CAPTCHA provider', exact: true })
    .selectOption('Cloudflare Turnstile');
  const secret = page.getByLabel('CAPTCHA secret key', { exact: true });
  await secret.and(page.locator('[type=password]')).waitFor();
  await page
    .getByRole('button', { name: 'Use an environment variable for CAPTCHA secret key' })
    .press('Enter');
  await secret.fill('CAPTCHA_SECRET');
  await page.getByRole('link', { name: 'API', exact: true }).last().click();
  await page.getByRole('button', { name: 'Add row: Exposed schemas' }).press('Enter');
  await page.getByLabel('Exposed schemas, row 3').fill('private');
  await page.getByRole('button', { name: 'Review changes' }).press('Enter');
  const diff = page.getByRole('region', { name: 'Changes to supabase/config.toml' });
  await diff.getByText('schemas = ["public", "graphql_public", "private"]').waitFor();
  for (const line of ['provider = "turnstile"', 'secret = "env(CAPTCHA_SECRET)"', 'enabled = true'])
    await diff.getByText(line, { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  expect(complaints.list).toEqual([]);
  await close();
});

test('a secret can be entered, and the review doesn’t show it', withStates, async () => {
  const { page, complaints, close } = await opened(
    '/settings?section=providers&setting=auth.external.github.secret',
  );
  const secret = page.getByLabel('GitHub client secret', { exact: true });
  await secret.fill('hush-value');
  await page.getByRole('button', { name: 'Review changes' }).press('Enter');
  const diff = page.getByRole('region', { name: 'Changes to supabase/.env' });
  await diff.getByText("AUTH_EXTERNAL_GITHUB_SECRET='•••••• (new value)'").waitFor();
  await page
    .getByRole('region', { name: 'Changes to supabase/config.toml' })
    .getByText('secret = "env(AUTH_EXTERNAL_GITHUB_SECRET)"')
    .waitFor();
  expect(await page.getByRole('dialog').textContent()).not.toContain('hush-value');
  await expectSound(page, 'the review of a secret');
  await page.getByRole('button', { name: 'Save to files' }).press('Enter');
  await page.getByText('The environment variable AUTH_EXTERNAL_GITHUB_SECRET is set.').waitFor();
  await expect.poll(() => secret.inputValue()).toBe('');
  expect(readFileSync(join(projectDir, 'supabase/.env'), 'utf8')).toBe(
    "AUTH_EXTERNAL_GITHUB_SECRET='hush-value'\n",
  );
  expect(complaints.list).toEqual([]);
  await close();
});

test('a name can be added to a table, and the review shows it', async () => {
  const { page, complaints, close } = await opened('/settings?section=sms');
  await page.getByLabel('Phone number', { exact: true }).fill('15550100');
  await page.keyboard.press('Enter');
  await page
    .getByRole('region', { name: '15550100' })
    .getByLabel('Fixed code', { exact: true })
    .fill('424242');
  await page.getByRole('button', { name: 'Review changes' }).press('Enter');
  await page.getByText('15550100 = "424242"').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Discard changes' }).press('Enter');
  await page.getByLabel('Send a test message to', { exact: true }).fill('+15550100');
  await page.keyboard.press('Enter');
  await page.getByText('Accepted for delivery to +15550100.').waitFor();
  expect(complaints.list).toEqual([]);
  await close();
});

test('a provider’s card shows its callback URL and the result of a test', withStates, async () => {
  const { page, complaints, close } = await opened(
    '/settings?section=providers&setting=auth.external.github.client_id',
  );
  await expect.poll(() => focusedId(page)).toBe('setting-auth.external.github.client_id');
  const card = page.getByRole('group').filter({ has: page.getByRole('heading', { name: 'GitHub' }) });
  await card.getByText(`${backend.url}/auth/v1/callback`).waitFor();
  expect(await card.getByRole('link', { name: 'Create an OAuth app at GitHub' }).getAttribute('href')).toBe(
    'https://github.com/settings/developers',
  );
  await card.getByRole('button', { name: 'Test GitHub' }).press('Enter');
  await card.getByText('Enter the client ID from the provider.').waitFor();
  await card.getByText('The provider is off').waitFor();
  await page.getByRole('switch', { name: 'Sign in with GitHub' }).press('Space');
  await card.getByText('Needs a client ID').waitFor();
  await card.getByLabel('GitHub client ID').fill('abc');
  await card.getByText('Needs a secret').waitFor();
  await card.getByText('The test uses the saved settings').waitFor();
  await expectSound(page, 'an open provider');
  expect(complaints.list).toEqual([]);
  await close();
});

test('a provider can be enabled on its card without opening the card', withStates, async () => {
  const { page, complaints, close } = await opened('/settings?section=providers');
  const turnOn = page.getByRole('switch', { name: 'Enable GitLab' });
  await turnOn.press('Space');
  await page.getByRole('status').getByText('1 change isn’t saved yet').waitFor();
  await expectSound(page, 'an unsaved provider');
  expect(await turnOn.isChecked()).toBe(true);
  expect(await page.getByRole('switch', { name: 'Sign in with GitLab' }).isVisible()).toBe(false);
  await page.getByRole('button', { name: 'Not saved yet: Review changes to GitLab' }).press('Enter');
  await expect.poll(() => focusedId(page)).toBe('setting-auth.external.gitlab.client_id');
  await turnOn.press('Space');
  await expectSound(page, 'closed providers');
  expect(complaints.list).toEqual([]);
  await close();
});

test('a hook can be called with a sample payload, and the result is shown', withStates, async () => {
  await backend.database.pool('postgres').exec(`
    create function public.page_hook(event jsonb) returns jsonb language sql as $$ select '{"claims": {"tier": "gold"}}'::jsonb $$;
    grant execute on function public.page_hook to supabase_auth_admin;`);
  writeFileSync(
    file,
    `${text}[auth.hook.custom_access_token]\nuri = "pg-functions://postgres/public/page_hook"\n`,
  );
  await backend.configuration?.reload();
  const { page, complaints, close } = await opened(
    '/settings?section=hooks&setting=auth.hook.custom_access_token.uri',
  );
  await page.getByRole('button', { name: 'Call hook' }).press('Enter');
  await page.getByText(/The hook responded in \d+ ms/).waitFor();
  await page.getByRole('region', { name: 'Response' }).getByText('"tier": "gold"').waitFor();
  await expectSound(page, 'the result of a hook');
  expect(complaints.list).toEqual([]);
  await close();
});

test(
  'an email template can be edited with a live preview in both languages, and is written as a file',
  withStates,
  async () => {
    const { page, complaints, close } = await opened('/settings?section=email-templates');
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('link', { name: 'Reset password' }).press('Enter');
    const frame = page.frameLocator('iframe');
    await frame.getByText('for ada@example.com').last().waitFor();
    expect(await page.locator('iframe').getAttribute('sandbox')).not.toContain('allow-scripts');
    await expectSound(page, 'a template');
    const subject = page.getByRole('textbox', { name: 'Reset password: Subject' });
    /** Whether the preview's subject matches the placeholder with sample values for its variables. */
    const isPlaceholderShown = async () => {
      const placeholder = (await subject.getAttribute('placeholder')) ?? '';
      const subjects = page.getByRole('region', { name: 'Preview with sample values' }).locator('strong');
      return new RegExp(`^${placeholder.replaceAll(/\{\{[^}]*\}\}/g, '.+')}$`).test(
        (await subjects.first().textContent()) ?? '',
      );
    };
    await expect.poll(isPlaceholderShown).toBe(true);
    await page.getByText('the default subject is “Reset your password”').waitFor();
    await page.getByLabel('Language of the preview').selectOption('Arabic');
    await page.frameLocator('iframe').locator('html[lang=ar]').waitFor();
    expect(await subject.getAttribute('placeholder')).toMatch(/[\u0600-\u06ff]/);
    await expect.poll(isPlaceholderShown).toBe(true);
    await page.getByLabel('Language of the preview').selectOption('English');

    await page.getByRole('textbox', { name: 'Reset password: Subject' }).fill('Hello {{ .Email }}');
    await page.getByText('Hello ada@example.com').waitFor();
    const html = page.getByRole('textbox', { name: 'HTML', exact: true });
    await html.fill('<p>{{ if }}</p>');
    await page.getByText('The template is invalid:').waitFor();
    await html.fill('<p>Your code is </p>');
    await html.press('Home');
    for (const _ of '<p>Your code is ') await html.press('ArrowRight');
    await page.getByText('Available variables').press('Enter');
    await page.getByRole('button', { name: 'Insert {{ .Token }}', exact: true }).press('Enter');
    await frame.getByText('Your code is 123456').waitFor();
    await page.getByRole('button', { name: 'Plain text' }).press('Enter');
    await page.getByRole('region', { name: 'Plain text' }).getByText('Your code is 123456').waitFor();

    await page.getByRole('button', { name: 'Review changes' }).press('Enter');
    await page
      .getByRole('region', { name: 'Changes to supabase/templates/recovery.html' })
      .getByText('<p>Your code is {{ .Token }}</p>')
      .waitFor();
    await page.getByRole('button', { name: 'Save to files' }).press('Enter');
    await page.getByRole('status').getByText('2 settings applied').waitFor();
    expect(readFileSync(join(projectDir, 'supabase/templates/recovery.html'), 'utf8')).toBe(
      '<p>Your code is {{ .Token }}</p>',
    );
    await page.getByText('This email uses supabase/templates/recovery.html').waitFor();
    // The confirmation message disappears when a different page is opened.
    await page.getByRole('link', { name: 'Account protection' }).press('Enter');
    await page.getByText('2 settings applied').waitFor({ state: 'detached' });
    await page.goBack();
    await page.getByText('This email uses supabase/templates/recovery.html').waitFor();
    expect(await page.getByText('2 settings applied').count()).toBe(0);

    await page.getByRole('button', { name: 'Revert to default' }).press('Enter');
    await page.getByText('supabase/templates/recovery.html won’t be deleted').waitFor();
    await frame.getByText('for ada@example.com').last().waitFor();
    let respond = (): void => undefined;
    const responding = new Promise<void>((resolve) => {
      respond = resolve;
    });
    await page.route('**/settings/preview', async (route) => {
      await responding;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Review changes' }).press('Enter');
    await page.getByRole('button', { name: 'Save to files' }).and(page.locator(':focus')).waitFor();
    // Until the diff is shown, nothing is written and the button keeps focus.
    await page.keyboard.press('Enter');
    respond();
    await page.getByRole('region', { name: 'Changes to supabase/config.toml' }).waitFor();
    await page.unroute('**/settings/preview');
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('1 setting applied').waitFor();
    expect(readFileSync(file, 'utf8')).not.toContain('content_path');
    await page.getByRole('button', { name: 'Revert to default' }).waitFor({ state: 'detached' });
    // The old template file is kept, so the next edit creates another file.
    await html.fill('<p>Once more: {{ .Token }}</p>');
    await save(page);
    await page.getByText('This email uses supabase/templates/recovery-2.html').waitFor();

    await page.locator('summary', { hasText: 'Test email' }).press('Enter');
    await page.getByLabel('Send a test email to', { exact: true }).fill('grace@example.com');
    await page.keyboard.press('Enter');
    await page.getByText('Accepted for delivery to grace@example.com.').waitFor();
    await page.setViewportSize({ width: 360, height: 740 });
    await expect.poll(() => scrollsSideways(page)).toBe(false);
    expect(complaints.list).toEqual([]);
    await close();
  },
);

test('with the keyboard, files that were changed elsewhere can be reloaded, and the server can be restarted', async () => {
  writeFileSync(file, '[auth]\njwt_expiry = 600\n[api]\nport = 1234\n');
  const { page, complaints, close } = await opened('/settings?section=sessions');
  await page.getByText('These settings aren’t applied yet').waitFor();
  await page.getByText('ports are opened at startup', { exact: false }).first().waitFor();
  for (const [width, colorScheme] of [
    [1280, 'dark'],
    [360, 'dark'],
    [360, 'light'],
  ] as const) {
    await page.setViewportSize({ width, height: 740 });
    await page.emulateMedia({ colorScheme });
    expect(await axeViolations(page)).toEqual([]);
    expect(await scrollsSideways(page)).toBe(false);
  }
  await page.getByRole('button', { name: 'Reload settings' }).press('Enter');
  await page.getByRole('status').getByText('1 setting applied').waitFor();
  expect(backend.configuration?.status().unapplied).toEqual([]);
  await page.getByRole('link', { name: 'API port' }).waitFor();
  // The message about a later change replaces the message about the reload.
  await page.getByLabel('Lifetime of access tokens', { exact: true }).fill('900');
  await page.getByLabel('Grace period for used refresh tokens', { exact: true }).fill('20');
  await save(page);
  await page.getByRole('status').getByText('2 settings applied').waitFor();
  await page.getByRole('button', { name: 'Restart now' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Restart the server?' });
  await dialog.waitFor();
  expect(await axeViolations(page)).toEqual([]);
  expect(restarts).toBe(0);
  await dialog.getByRole('button', { name: 'Restart server' }).press('Enter');
  await page.getByText('The server is restarting').waitFor();
  expect(restarts).toBe(1);
  // The restarted server has a different run ID, which the page detects automatically.
  await page.route('**/settings/running', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ json: { ...((await response.json()) as object), run: 'next', needsRestart: [] } });
  });
  await page.getByText('The server has restarted').waitFor();
  expect(complaints.list).toEqual([]);
  await close();
});

test('a developer can’t restart the server, but sees the command', async () => {
  writeFileSync(file, `${text}[api]\nport = 1234\n`);
  const { page, close } = await opened('/settings?section=keys', {}, 'dev');
  await page.getByText('npm run -s plinth -- reload --restart').waitFor();
  expect(await page.getByRole('button', { name: 'Restart now' }).count()).toBe(0);
  await page.locator('summary', { hasText: 'Keys from the settings file' }).press('Enter');
  await page.getByText('Only owners can change this.').first().waitFor();
  expect(await page.getByLabel('JWT secret', { exact: true }).isDisabled()).toBe(true);
  await close();
});

test('invalid files are shown with the file name and line', async () => {
  writeFileSync(file, '[auth]\njwt_expiry = 0\n');
  const { page, close } = await opened('/settings');
  await page.getByText('supabase/config.toml:2: auth.jwt_expiry').waitFor();
  expect(await axeViolations(page)).toEqual([]);
  await close();
});

test('a value from an environment variable is marked as such and can’t be changed', async () => {
  process.env.PLINTH_BRANDING_COLOR = '#0f766e';
  const { page, close } = await opened('/settings?section=branding');
  await page.getByText('Set by the environment variable PLINTH_BRANDING_COLOR').waitFor();
  expect(await page.getByRole('textbox', { name: 'Primary color' }).isDisabled()).toBe(true);
  delete process.env.PLINTH_BRANDING_COLOR;
  await close();
});

test('a read-only operator can view but not change settings', async () => {
  const { page, close } = await opened('/settings?section=email', {}, 'looker');
  await page.getByText('Your role can view settings but not change them.').waitFor();
  // Only the switch is visible. The checkbox that implements the switch is transparent.
  const box = page.getByRole('switch', { name: 'Reject addresses that can’t receive email' });
  expect(await box.evaluate((element) => getComputedStyle(element).opacity)).toBe('0');
  expect(await page.getByRole('textbox', { name: 'SMTP host' }).isDisabled()).toBe(true);
  expect(await page.getByRole('button', { name: 'Send test' }).count()).toBe(0);
  await page.getByRole('link', { name: 'Providers' }).click();
  await page.locator('summary', { hasText: 'Google' }).click();
  await page.getByRole('switch', { name: 'Sign in with Google', disabled: true }).waitFor();
  expect(await page.getByRole('button', { name: 'Test Google' }).count()).toBe(0);
  await close();
});

test('no page is longer than about three screens', async () => {
  const { page, close } = await opened('/settings');
  const links = page.getByRole('navigation', { name: 'Settings pages' }).getByRole('link');
  await links.first().waitFor();
  const tall: string[] = [];
  for (const link of await links.all()) {
    await link.click();
    await page
      .getByRole('heading', { level: 2, name: (await link.textContent()) ?? '' })
      .first()
      .waitFor();
    const height = await page.locator('[data-scroll]').evaluate((element) => element.scrollHeight);
    if (height > 3 * 800) tall.push(`${await link.textContent()}: ${height}`);
  }
  expect(tall).toEqual([]);
  expect(existsSync(file)).toBe(true);
  await close();
});

test.each(looks)(
  'the pages are accessible and fit at $width px, $colorScheme first',
  { ...pageStates, timeout: 120_000 },
  async ({ colorScheme, ...viewport }) => {
    const { page, complaints, close } = await opened('/settings?search=jwt_expiry', {
      viewport,
      colorScheme,
    });
    await expectSound(page, 'search results');
    for (const section of ['general', 'storage', 'sms']) {
      await page.goto(`${backend.console.url}/console/settings?section=${section}`);
      await page.getByRole('heading', { level: 2 }).first().waitFor();
      await expectSound(page, section);
    }
    expect(complaints.list).toEqual([]);
    await close();
  },
);
