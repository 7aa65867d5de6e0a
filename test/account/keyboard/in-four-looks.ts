/**
 * Runs flows on a wide light screen and on a narrow dark one, and checks each state in both color schemes: axe must
 * find no violations, and nothing may be wider than the window. In the second scheme, axe checks only colors, because
 * nothing else differs.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AxeRules, axeViolations, launchBrowser, scrollsSideways } from '../../web/browser.ts';
import { type Flow, type Look, play } from './scene.ts';
import type { World } from './world.ts';

const corners: readonly Look[] = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 360 },
];
const schemes = ['light', 'dark'] as const;

/** Whether React has hydrated the page, as shown by the properties that React adds to elements. */
const isAwake = `Object.keys(document.querySelector('main') ?? {}).some((key) => key.startsWith('__react'))`;

/** Resolves when the page is hydrated and its styles are applied. */
async function styled(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(isAwake)).toBe(true);
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
}

async function judge(page: Page, state: string, first: Look['colorScheme']): Promise<void> {
  for (const colorScheme of [...schemes.filter((scheme) => scheme !== first), first]) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
    await styled(page);
    await expectGood(page, state, colorScheme, colorScheme === first ? 'all' : 'colors');
  }
}

async function expectGood(page: Page, state: string, colorScheme: string, rules: AxeRules): Promise<void> {
  const found = { violations: await axeViolations(page, rules), sideways: await scrollsSideways(page) };
  expect({ state, colorScheme, ...found }).toEqual({ state, colorScheme, violations: [], sideways: false });
}

/** The pages that are opened by links in emails don't contain scripts in any browser. */
const hasScripts = async (page: Page): Promise<boolean> =>
  (await page.locator('script[type="module"]').count()) > 0;

/** axe needs scripts, so it checks a copy of the page without the page's scripts, in a window that allows scripts. */
async function judgeStill(page: Page, state: string): Promise<void> {
  const browser = page.context().browser() as Browser;
  const twin = await browser.newPage({ viewport: page.viewportSize() });
  const html = (await page.content()).replace(/<script[\s\S]*?<\/script>/g, '').replace(/<\/?noscript>/g, '');
  await twin.route(page.url(), (route) => route.fulfill({ contentType: 'text/html', body: html }));
  await twin.goto(page.url());
  for (const colorScheme of schemes) {
    await twin.emulateMedia({ colorScheme });
    await expectGood(twin, state, colorScheme, colorScheme === 'light' ? 'all' : 'colors');
  }
  await twin.close();
}

/**
 * Declares one test for each flow and each combination of size and color scheme. All tests share a server and a
 * browser.
 */
export function inFourLooks(flows: readonly Flow[], open: () => Promise<World>): void {
  let world: World;
  let browser: Browser;
  beforeAll(async () => {
    [world, browser] = await Promise.all([open(), launchBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await world.stop();
  });

  describe.each(corners)('$colorScheme at $width px', (look) => {
    test.each(flows.map((flow) => [flow.name, flow] as const))(
      '%s',
      async (_name, flow) => {
        const onState = async (page: Page, state: string) =>
          flow.isStill === true || !(await hasScripts(page))
            ? judgeStill(page, state)
            : judge(page, state, look.colorScheme);
        expect(await play(flow, { world, browser, look, onState })).toEqual([]);
      },
      120_000,
    );
  });
}
