/**
 * Tests the look of every page that is sent without scripts, in every state and language: axe finds no violations, and
 * nothing is wider than a narrow window. The pages are filled with sample values, because some states are rare.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { brandCss, brandDarkCss } from '../../src/account/core/branding.ts';
import { fillValues, repeatAccounts, repeatRules } from '../../src/account/core/html.ts';
import { noncePlaceholder } from '../../src/kernel/web-face.ts';
import { axeViolations, launchBrowser, openContext, scrollsSideways } from '../web/browser.ts';

const folder = fileURLToPath(new URL('../../dist/web/account/pages/', import.meta.url));
let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

const long = 'margarethe.von-der-wiesenau+newsletter@subsidiary.meadow-and-sons.example';
const values: Readonly<Record<string, string>> = {
  NAME: 'Meadow &amp; Söhne',
  LOGO: 'data:image/svg+xml,%3Csvg xmlns="http://www.w3.org/2000/svg"/%3E'.replaceAll('"', '&quot;'),
  OFF: '',
  CONFIG: '{}',
  FIELDS: '<input type="hidden" name="mark" value="0">',
  TARGET: 'https://app.meadow-and-sons.example/callback?code=0123456789abcdef0123456789abcdef',
  EMAIL: long,
  INTRO: '',
  APP: '',
  APP_URL: 'https://app.example',
  NUMBER: '42',
  BROWSER: 'Firefox',
  SYSTEM: 'Windows',
  HOST: 'app.subsidiary.meadow-and-sons.example:8443',
  CONNECTION: 'subsidiary.meadow-and-sons.example',
  WHEN: 'July 14, 2026 at 3:05 PM UTC',
  CHANGE_WHEN: 'July 14, 2026 at 15:05 UTC',
  CHANGE_BROWSER: 'Firefox',
  CHANGE_SYSTEM: 'Windows',
  PROBLEM: 'Something went wrong. Try again in a moment.',
  CODE: 'unexpected_failure',
  REQUEST_ID: '01234567-89ab-4cde-8f01-23456789abcd',
  BRAND_CSS: brandCss('#f59e0b'),
  BRAND_DARK_CSS: brandDarkCss('#f59e0b'),
};

const accounts = [
  { key: 'current', name: long, state: 'current' },
  { key: '2', name: 'ada@example.com', state: 'in' },
  { key: '1', name: '', state: 'guest' },
  { key: `known:${long}`, name: long, state: 'out' },
  { key: 'known:bob@example.com', name: 'bob@example.com', state: 'link', way: 'github' },
] as const;

function pageOf(language: string, name: string): string {
  const html = readFileSync(`${folder}${language}/plain/${name}`, 'utf8');
  const listed = repeatRules(repeatAccounts(html, accounts), ['at least 10 characters', 'a letter']);
  const filled = fillValues(listed, values).replaceAll(noncePlaceholder, 'x');
  // Links and buttons that the project's settings repeat or remove.
  return filled.replace(/%PLINTH_[A-Z_]+%/g, 'Sample');
}

test.each([
  ['en', 'light', 1280],
  ['en', 'dark', 360],
  ['ar', 'light', 360],
] as const)(
  'every plain page in %s, %s at %i px',
  async (language, colorScheme, width) => {
    const names = readdirSync(`${folder}${language}/plain`);
    expect(names.length).toBeGreaterThan(80);
    const { context } = await openContext(browser, { colorScheme, viewport: { width, height: 800 } });
    const page = await context.newPage();
    const faults: unknown[] = [];
    for (const name of names) {
      await page.setContent(pageOf(language, name));
      const [violations, sideways] = [await axeViolations(page), await scrollsSideways(page)];
      if (violations.length > 0 || sideways) faults.push({ name, violations, sideways });
    }
    await context.close();
    expect(faults).toEqual([]);
    // The timeout is long because axe checks about a hundred pages.
  },
  300_000,
);
