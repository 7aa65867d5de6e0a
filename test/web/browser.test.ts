/** Tests that axe's check finds violations that axe itself would miss. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser, violationsNow } from './browser.ts';

let browser: Browser;
let page: Page;
beforeAll(async () => {
  browser = await launchBrowser();
  page = await browser.newPage();
});
afterAll(() => browser.close());

test('pale text is found, also in Arabic, whose joined letters aren’t icons', async () => {
  await page.setContent(
    `<html lang="ar" dir="rtl"><title>Meadow</title><main><h1>مرحبا</h1>
    <p id="pale" style="color: #bbb">الاسم</p>
    <p lang="en" id="pale-too" style="color: #bbb">Name</p></main>`,
  );
  const found = await violationsNow(page, 'colors');
  expect(found.map(({ id, targets }) => [id, targets])).toEqual([['color-contrast', ['#pale', '#pale-too']]]);
});
