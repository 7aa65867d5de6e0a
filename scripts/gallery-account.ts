/**
 * Every Account page that a visitor can open, and the states of signing in and of the security page, as pictures to look
 * at: light and dark, 1280 and 360 px wide, in English and Arabic. Nothing of it is kept in the repository.
 *
 *   npm run build && node scripts/gallery-account.ts [FOLDER]
 */
import { mkdirSync } from 'node:fs';
import type { Page } from 'playwright-core';
import type { Backend } from '../src/main.ts';
import { createTestBackend, stopTestCluster } from '../src/testing.ts';
import { makeUser, password } from '../test/account/harness.ts';
import { launchBrowser } from '../test/web/browser.ts';

const folder = process.argv[2] ?? 'gallery-account';
const opened = ['sign-in', 'sign-up', 'code', 'recover', 'signed-out', 'link-expired', 'nowhere'];
const email = 'ada@example.com';

type Shoot = (name: string) => Promise<void>;

/** By ids, which are the same in every language. */
async function signIn(page: Page, backend: Backend, secret: string): Promise<void> {
  await page.goto(`${backend.url}/account/sign-in`);
  await page.locator('#email').fill(email);
  await page.locator('#password').fill(secret);
  await page.locator('button[type=submit]').first().click();
}

async function states(page: Page, backend: Backend, shoot: Shoot): Promise<void> {
  for (const name of opened) {
    await page.goto(`${backend.url}/account/${name}`);
    await shoot(name);
  }
  await signIn(page, backend, 'not the password');
  await page.locator('[role=alert] details').waitFor();
  await shoot('sign-in-refused');
  await signIn(page, backend, password);
  await page.waitForURL('**/account/security');
  await page.locator('time').first().waitFor();
  await shoot('security');
  await page.goto(`${backend.url}/account/sign-in`);
  await page.locator('form').waitFor();
  await shoot('sign-in-already');
}

mkdirSync(folder, { recursive: true });
const backend = await createTestBackend({
  config: {
    auth: { enable_anonymous_sign_ins: true, mfa: { totp: { enroll_enabled: true, verify_enabled: true } } },
    plinth: { branding: { name: 'Meadow', terms_url: '/terms', privacy_url: '/privacy' } },
  },
});
const browser = await launchBrowser();
try {
  await makeUser(backend, email);
  for (const locale of ['en', 'ar']) {
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of [1280, 360]) {
        const context = await browser.newContext({ locale, colorScheme, viewport: { width, height: 800 } });
        const page = await context.newPage();
        await states(page, backend, async (name) => {
          await page.waitForLoadState('networkidle');
          const path = `${folder}/${name}-${locale}-${colorScheme}-${width}.png`;
          await page.screenshot({ path, fullPage: true, animations: 'disabled' });
        });
        await context.close();
      }
    }
  }
} finally {
  await browser.close();
  await backend.stop();
  await stopTestCluster();
}
console.log(`the pictures are in ${folder}`);
