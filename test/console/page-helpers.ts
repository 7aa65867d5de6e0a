/** Opens Chromium windows for signed-in operators, and defines the checks that apply to every page. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import {
  animationsEnded,
  axeViolations,
  type Complaints,
  openContext,
  scrollsSideways,
  switchColorScheme,
} from '../web/browser.ts';
import { skipsStates, stateViolations } from '../web/states.ts';
import { operator, type WithConsole } from './harness.ts';

/**
 * Signs an operator in without opening a page, because a sign-in link would first load two pages. The link itself is
 * tested in browser.test.ts.
 */
export async function signInWindow(
  context: BrowserContext,
  backend: WithConsole,
  operatorName?: string,
): Promise<void> {
  const { cookie } = await operator(backend, operatorName);
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([
    { name, value, domain: '127.0.0.1', path: '/console', httpOnly: true, sameSite: 'Strict' },
  ]);
}

export interface SignedIn {
  readonly page: Page;
  readonly complaints: Complaints;
  go(path: string): Promise<unknown>;
  close(): Promise<void>;
}

export async function signedIn(
  browser: Browser,
  backend: WithConsole & { readonly console: { readonly url: string } },
  options: Parameters<typeof openContext>[1] = {},
  operatorName?: string,
): Promise<SignedIn> {
  const { context, complaints } = await openContext(browser, {
    viewport: { width: 1280, height: 800 },
    ...options,
  });
  await signInWindow(context, backend, operatorName);
  const page = await context.newPage();
  return {
    page,
    complaints,
    go: (path) => page.goto(`${backend.console.url}/console${path}`),
    close: () => context.close(),
  };
}

/** Delays a script of the page, by the name of its chunk, until the returned function is called. */
export async function holdScript(page: Page, chunk: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(new RegExp(`/assets/${chunk}-[\\w-]{8}\\.js$`), async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

/** Checks that a panel is at the right edge and has the window's full height. */
export async function expectPanelAtEdge(page: Page): Promise<void> {
  await animationsEnded(page);
  const box = await page.getByRole('dialog').first().boundingBox();
  const window = page.viewportSize();
  expect(box).toMatchObject({ y: 0, height: window?.height });
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBe(window?.width);
}

/**
 * The window sizes and color schemes in which a page is loaded. {@link expectSound} checks each state in both color
 * schemes.
 */
export const looks = [
  { width: 1280, height: 800, colorScheme: 'light' },
  { width: 360, height: 740, colorScheme: 'dark' },
] as const;

/**
 * Checks that the page is accessible and no wider than the window, that no text is missing, and that markup in the
 * content didn't run. In the second color scheme, axe checks only colors, because nothing else differs. After the
 * check, the page keeps the second scheme, because changing it back would take as long as the check. In `npm test`, a
 * test with the options `withStates` skips axe and the second scheme. `name` identifies the state if a check fails.
 */
export async function expectSound(page: Page, name: string): Promise<void> {
  expect([name, await stateViolations(page)]).toEqual([name, []]);
  expect([name, await scrollsSideways(page)]).toEqual([name, false]);
  expect([name, await page.evaluate(`document.body.textContent.includes('⟦')`)]).toEqual([name, false]);
  expect([name, await page.title()]).not.toEqual([name, 'pwned']);
  if (skipsStates()) return;
  const scheme = await switchColorScheme(page);
  expect([name, scheme, await axeViolations(page, 'colors')]).toEqual([name, scheme, []]);
  expect([name, scheme, await scrollsSideways(page)]).toEqual([name, scheme, false]);
}
