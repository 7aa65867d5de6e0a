/** Tests API keys on the security page with the keyboard alone, in a narrow window, in both color schemes. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { colorSchemeOf, launchBrowser, scrollsSideways, switchColorScheme } from '../../web/browser.ts';
import { describeEach, stateViolations, withStates } from '../../web/states.ts';
import { withApiKeys } from './flows/api-keys.ts';
import { play } from './scene.ts';
import { openWorld, type World } from './world.ts';

let world: World;
let browser: Browser;
beforeAll(async () => {
  [world, browser] = await Promise.all([openWorld(), launchBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await world.stop();
});

async function onState(page: Page, state: string): Promise<void> {
  for (const _ of [1, 2]) {
    const found = { violations: await stateViolations(page), sideways: await scrollsSideways(page) };
    const colorScheme = await colorSchemeOf(page);
    expect({ state, colorScheme, ...found }).toEqual({ state, colorScheme, violations: [], sideways: false });
    await switchColorScheme(page);
  }
}

describeEach(['en', 'ar'] as const)('in %s', (language) => {
  test.each(withApiKeys.map((flow) => [flow.name, flow] as const))('%s', withStates, async (_name, flow) => {
    const look = { colorScheme: 'dark', width: 360 } as const;
    expect(await play(flow, { world, browser, look, language, onState })).toEqual([]);
  });
});
