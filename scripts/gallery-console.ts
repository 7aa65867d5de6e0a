/**
 * Takes screenshots of the Console's pages in both color schemes, at widths of 1440 and 390 px. The project is filled
 * with data, so that no page is empty. The screenshots aren't stored in the repository.
 *
 *   npm run build && node scripts/gallery-console.ts [FOLDER] [PART OF A STATE'S NAME …]
 */
import { mkdirSync } from 'node:fs';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { type Backend, createBackend } from '../src/entry/main.ts';
import { type Operator, operator } from '../test/console/harness.ts';
import { signInWindow } from '../test/console/page-helpers.ts';
import { launchOwnBrowser } from '../test/web/browser.ts';
import { accountUser, fill } from './gallery-console/fill.ts';
import { type GalleryProject, writeEmptyProject, writeProject } from './gallery-console/project.ts';
import type { State, Viewer } from './gallery-console/state.ts';
import { states } from './gallery-console/states.ts';

const [folder = 'gallery-console', ...wanted] = process.argv.slice(2);
const widths = [1440, 390];
const minHeight = 900;
const maxHeight = 2400;
const actionMs = 8000;

/** The maximum time to wait until a page is idle. A page that follows a log never becomes idle. */
const restMs = 1500;
const rest = (page: Page): Promise<void> =>
  page.waitForLoadState('networkidle', { timeout: restMs }).catch(() => undefined);

/**
 * Makes the window as tall as the content, because the content scrolls inside the page. A grid keeps its height, because
 * it has too many rows.
 */
async function showAll(page: Page, width: number): Promise<void> {
  const hidden = Number(
    await page.evaluate(`Math.max(0, ...[...document.querySelectorAll('main, main *, [role=dialog], [role=dialog] *')]
      .filter((each) => /auto|scroll/.test(getComputedStyle(each).overflowY))
      .filter((each) => each.closest('[role=grid]') === null && each.querySelector('[role=grid]') === null)
      .map((each) => each.scrollHeight - each.clientHeight))`),
  );
  await page.setViewportSize({ width, height: Math.min(maxHeight, minHeight + hidden) });
}

async function shoot(context: BrowserContext, backend: Backend, state: State, width: number): Promise<void> {
  const page = await context.newPage();
  try {
    // Open queries, column layouts and the color scheme of an earlier state don't matter.
    await page.addInitScript('localStorage.clear()');
    await page.setViewportSize({ width, height: minHeight });
    const start = state.as === 'user' ? backend.url : `${backend.console.url}/console`;
    await page.goto(`${start}${state.path}`);
    await page.getByRole('main').waitFor();
    await rest(page);
    await state.act?.(page);
    await rest(page);
    await showAll(page, width);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
      const path = `${folder}/${state.name}-${width}-${colorScheme}.png`;
      await page.screenshot({ path, animations: 'disabled' });
    }
    console.log(`${state.name} at ${width} px`);
  } catch (error) {
    process.exitCode = 1;
    console.error(`${state.name} at ${width} px: ${error}`);
  } finally {
    await page.close();
  }
}

async function contextOf(browser: Browser, backend: Backend, viewer: Viewer): Promise<BrowserContext> {
  const context = await browser.newContext({ locale: 'en-GB' });
  context.setDefaultTimeout(actionMs);
  if (viewer === 'owner') await signInWindow(context, backend);
  if (viewer === 'looker') await signInWindow(context, backend, 'looker');
  if (viewer === 'user') {
    const page = await context.newPage();
    await page.goto(`${backend.url}/account/sign-in`);
    await page.locator('#email').fill(accountUser.email);
    await page.getByRole('button', { name: 'Continue', exact: true }).click();
    await page.locator('input#password').fill(accountUser.password);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/account/security');
    await page.close();
  }
  return context;
}

interface Site {
  readonly backend: Backend;
  readonly owner: Operator;
  readonly project: GalleryProject;
  readonly contexts: Map<Viewer, BrowserContext>;
}

async function open(project: GalleryProject, isEmpty: boolean): Promise<Site> {
  const anyPort = { port: 0, dbPort: 0, mailPort: 0, consolePort: 0 };
  const backend = await createBackend({ projectDir: project.dir, ...anyPort });
  await backend.start();
  const owner = isEmpty ? await operator(backend) : await fill(backend, project);
  return { backend, owner, project, contexts: new Map() };
}

async function shootAll(
  browser: Browser,
  { backend, owner, project, contexts }: Site,
  list: readonly State[],
) {
  for (const state of list) {
    const { as = 'owner' } = state;
    const context = contexts.get(as) ?? (await contextOf(browser, backend, as));
    contexts.set(as, context);
    await state.before?.(owner, project);
    for (const width of state.widths ?? widths) await shoot(context, backend, state, width);
  }
}

mkdirSync(folder, { recursive: true });
const browser = await launchOwnBrowser();
const isWanted = ({ name }: State): boolean =>
  wanted.length === 0 || wanted.some((part) => name.includes(part));
try {
  for (const kind of [undefined, 'empty'] as const) {
    const list = states.filter((state) => state.project === kind && isWanted(state));
    if (list.length === 0) continue;
    const project = kind === undefined ? writeProject() : writeEmptyProject();
    const site = await open(project, kind === 'empty');
    try {
      await shootAll(browser, site, list);
    } finally {
      await site.backend.stop();
      project.remove();
    }
  }
} finally {
  await browser.close();
}
