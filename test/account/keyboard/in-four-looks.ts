/**
 * Runs flows on a wide, light screen. The first state of each page must have no axe violations. As page states, the
 * same flows run on a wide, light screen and on a narrow, dark screen, and each state of each page is checked in both
 * color schemes. In the second color scheme, axe checks only colors, because nothing else differs from the first
 * scheme. Nothing may ever be wider than the window.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type AxeRules,
  axeViolations,
  type ColorScheme,
  colorSchemeOf,
  launchBrowser,
  scrollsSideways,
  switchColorScheme,
} from '../../web/browser.ts';
import { pageStates } from '../../web/states.ts';
import { type Flow, type Look, play } from './scene.ts';
import type { World } from './world.ts';

const wide: Look = { colorScheme: 'light', width: 1280 };
const corners: readonly Look[] = [wide, { colorScheme: 'dark', width: 360 }];
const schemes = ['light', 'dark'] as const;

/** Whether React has hydrated the page, which is detected by the properties that React adds to elements. */
const isAwake = `Object.keys(document.querySelector('main') ?? {}).some((key) => key.startsWith('__react'))`;

/** Resolves when the page is hydrated and its styles are applied. */
async function styled(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(isAwake)).toBe(true);
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
}

/** Checks a page state in both color schemes, first in the current scheme. Leaves the page in the other scheme. */
async function judge(page: Page, state: string): Promise<void> {
  await styled(page);
  await expectGood(page, state, await colorSchemeOf(page), 'all');
  await expectGood(page, state, await switchColorScheme(page), 'colors');
}

async function expectGood(
  page: Page,
  state: string,
  colorScheme: ColorScheme,
  rules: AxeRules,
): Promise<void> {
  const found = { violations: await axeViolations(page, rules), sideways: await scrollsSideways(page) };
  expect({ state, colorScheme, ...found }).toEqual({ state, colorScheme, violations: [], sideways: false });
}

/** Whether the page has scripts. Pages that are opened by email links never have scripts. */
const hasScripts = async (page: Page): Promise<boolean> =>
  (await page.locator('script[type="module"]').count()) > 0;

/**
 * Checks a copy of a page that doesn't run scripts. axe itself needs scripts, so the copy is opened in `twin`, a window
 * that allows them.
 */
async function judgeStill(
  page: Page,
  twin: Page,
  state: string,
  colorSchemes: readonly ColorScheme[] = schemes,
): Promise<void> {
  await twin.setViewportSize(page.viewportSize() as NonNullable<ReturnType<Page['viewportSize']>>);
  await twin.emulateMedia({ colorScheme: 'light' });
  const html = (await page.content()).replace(/<script[\s\S]*?<\/script>/g, '').replace(/<\/?noscript>/g, '');
  await twin.route(page.url(), (route) => route.fulfill({ contentType: 'text/html', body: html }));
  await twin.goto(page.url());
  for (const colorScheme of colorSchemes) {
    await twin.emulateMedia({ colorScheme });
    await expectGood(twin, state, colorScheme, colorScheme === 'light' ? 'all' : 'colors');
  }
  await twin.unroute(page.url());
}

/**
 * Declares the tests of the flows: one for each flow, and page states for each flow and each combination of size and
 * color scheme. All tests share a server and a browser.
 */
export function inFourLooks(flows: readonly Flow[], open: () => Promise<World>): void {
  let world: World;
  let browser: Browser;
  /** The copies of all flows are opened in the same window, because a new window also loads the page's styles again. */
  let twin: Promise<Page> | undefined;
  function openTwin(): Promise<Page> {
    twin ??= browser.newPage();
    return twin;
  }
  beforeAll(async () => {
    [world, browser] = await Promise.all([open(), launchBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await world.stop();
  });

  const named = flows.map((flow) => [flow.name, flow] as const);
  const isStill = async (flow: Flow, page: Page) => flow.isStill === true || !(await hasScripts(page));

  /** The paths of the pages that the flows have opened. */
  const opened = new Set<string>();
  test.each(named)(
    '%s',
    async (_name, flow) => {
      const onState = async (page: Page, state: string) => {
        const { pathname } = new URL(page.url());
        const isFirst = !opened.has(pathname);
        opened.add(pathname);
        const still = await isStill(flow, page);
        if (!still) await styled(page);
        if (!isFirst)
          expect({ state, sideways: await scrollsSideways(page) }).toEqual({ state, sideways: false });
        else if (still) await judgeStill(page, await openTwin(), state, ['light']);
        else await expectGood(page, state, 'light', 'all');
      };
      expect(await play(flow, { world, browser, look: wide, onState })).toEqual([]);
    },
    120_000,
  );

  describe.each(corners)('$colorScheme at $width px', pageStates, (look) => {
    test.each(named)(
      '%s',
      async (_name, flow) => {
        const onState = async (page: Page, state: string) =>
          (await isStill(flow, page)) ? judgeStill(page, await openTwin(), state) : judge(page, state);
        expect(await play(flow, { world, browser, look, onState })).toEqual([]);
      },
      120_000,
    );
  });
}
