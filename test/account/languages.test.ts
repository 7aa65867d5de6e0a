/** Tests the pages in other languages: the language of the initial HTML, and the right-to-left layout. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeViolations, openContext, scrollsSideways } from '../web/browser.ts';
import { pageStates } from '../web/states.ts';
import { makeUser, openStage, password, type Stage } from './harness.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage({
    auth: {
      enable_anonymous_sign_ins: true,
      mfa: { totp: { enroll_enabled: true, verify_enabled: true } },
    },
    plinth: {
      branding: { name: 'Meadow', welcome: { ar: 'أهلًا بك في المرج', en: 'Welcome to the meadow' } },
    },
  });
  await makeUser(stage.backend, 'ada@example.com');
});

afterAll(() => stage.close());

async function rootOf(path: string, headers: Record<string, string> = {}): Promise<string> {
  const html = await (await fetch(`${stage.backend.url}/account/${path}`, { headers })).text();
  return /<html [^>]*>/.exec(html)?.[0] ?? '';
}

describe('the initial HTML', () => {
  test.each([
    ['sign-in?lang=ar', {}, 'lang="ar" dir="rtl"'],
    ['sign-in', { 'accept-language': 'ar-EG,en;q=0.5' }, 'lang="ar" dir="rtl"'],
    ['sign-in', { cookie: 'plinth-lang=ar', 'accept-language': 'en' }, 'lang="ar" dir="rtl"'],
    ['sign-in?lang=en', { cookie: 'plinth-lang=ar' }, 'lang="en" dir="ltr"'],
    ['sign-in?lang=../en', {}, 'lang="en" dir="ltr"'],
    ['nowhere', { 'accept-language': 'ar' }, 'lang="ar" dir="rtl"'],
    ['sign-in', {}, 'lang="en" dir="ltr"'],
  ])('%s %o', async (path, headers, expected) => {
    expect(await rootOf(path, headers)).toContain(expected);
  });

  test('a language choice is stored in a separate cookie, and an invalid choice isn’t stored', async () => {
    const ask = async (lang: string) =>
      (await fetch(`${stage.backend.url}/account/signed-out?lang=${lang}`)).headers.get('set-cookie');
    expect(await ask('ar')).toMatch(/^plinth-lang=ar; Max-Age=\d+; Path=\/account; HttpOnly; SameSite=Lax$/);
    expect(await ask('xx%0d%0aset-cookie:a=b')).toBeNull();
  });

  test('only the texts of the page’s language are preloaded', async () => {
    const html = await (await fetch(`${stage.backend.url}/account/sign-in?lang=ar`)).text();
    expect(html.match(/<link rel="modulepreload"[^>]*texts-[a-z]+/g)).toEqual([
      expect.stringContaining('texts-ar'),
    ]);
    expect(html).toContain('أهلًا بك في المرج');
  });
});

describe.each([
  { colorScheme: 'light', width: 360 },
  { colorScheme: 'dark', width: 1280 },
] as const)('Arabic, $colorScheme at $width px', pageStates, ({ colorScheme, width }) => {
  test('every page and state is accessible', async () => {
    const { context, complaints } = await openContext(stage.browser, {
      colorScheme,
      locale: 'ar',
      viewport: { width, height: 800 },
    });
    const page = await context.newPage();
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(request.url()));
    const check = async (state: string): Promise<void> => {
      expect({ state, violations: await axeViolations(page) }).toEqual({ state, violations: [] });
      expect({ state, sideways: await scrollsSideways(page) }).toEqual({ state, sideways: false });
      expect({ state, missing: (await page.content()).includes('⟦') }).toEqual({ state, missing: false });
    };
    const ends = ['signed-out', 'link-expired', 'confirm-other', 'nowhere'];
    for (const name of ['sign-up', 'code', 'recover', ...ends, 'sign-in']) {
      await page.goto(`${stage.backend.url}/account/${name}`);
      await page.waitForLoadState('networkidle');
      await check(name);
    }
    await page.getByLabel('عنوان البريد الإلكتروني').fill('ada@example.com');
    await page.getByRole('button', { name: 'متابعة', exact: true }).click();
    const field = page.getByLabel('كلمة المرور', { exact: true });
    await field.fill('wrong');
    const submit = page.getByRole('button', { name: 'تسجيل الدخول', exact: true });
    await submit.click();
    await page.getByRole('alert').getByText('غير صحيح').waitFor();
    await check('password refused');
    await field.fill(password);
    await submit.click();
    await page.getByText('هذا المتصفّح', { exact: true }).first().waitFor();
    await check('security');
    expect(loaded.filter((url) => /texts-(rest-)?en/.test(url))).toEqual([]);
    // The list of languages opens by keyboard.
    await page.getByText('العربية', { exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'English' }).click();
    await page.getByText('This browser', { exact: true }).first().waitFor();
    expect(complaints.list).toEqual([]);
    await context.close();
  });
});

test('addresses are displayed correctly in right-to-left text', async () => {
  const { context } = await openContext(stage.browser, { locale: 'ar' });
  const page = await context.newPage();
  await page.goto(`${stage.backend.url}/account/recover`);
  await page.getByLabel('عنوان البريد الإلكتروني').fill('stranger@example.com');
  await page.getByRole('button', { name: 'إرسال الرمز' }).click();
  await page.getByText('\u2068stranger@example.com\u2069').waitFor();
  await context.close();
});
