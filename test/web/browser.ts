/**
 * Starts a real Chromium for tests. The path to the browser is CHROME_PATH, which `scripts/test.mjs` sets, or one of
 * the usual paths. If no browser is found, tests fail instead of being skipped.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type CDPSession,
  chromium,
  type Page,
} from 'playwright-core';

const browsers = [
  process.env.CHROME_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
/**
 * The paths of headless shells. The default path isn't used if CHROME_PATH is set, because the user may have chosen a
 * browser.
 */
const headlessShells = [
  process.env.HEADLESS_SHELL_PATH,
  process.env.CHROME_PATH === undefined ? '/usr/bin/chromium-headless-shell' : undefined,
];

const firstFound = (paths: readonly (string | undefined)[]): string | undefined =>
  paths.find((path) => path !== undefined && existsSync(path));

export function findChromium(): string {
  const found = firstFound(browsers);
  if (found === undefined) {
    throw new Error(
      'These tests need Chromium. Install it (apt-get install chromium), or set CHROME_PATH to its path.',
    );
  }
  return found;
}

const launch = (executablePath: string, args: readonly string[] = []): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...args,
    ],
  });

/**
 * Starts the full Chromium, for features that the headless shell doesn't have (the PDF viewer) and for tests of the
 * browser's security.
 */
export const launchChromium = (): Promise<Browser> => launch(findChromium());

const cheap = [
  // Pages are open only for a short time, so optimizing their code isn't worthwhile.
  '--js-flags=--no-opt --no-maglev',
  // The pages of a context share a process per site, and no spare process is started.
  '--renderer-process-limit=1',
  // A page load sends hundreds of messages to the network service. Messages within a process are cheaper.
  '--enable-features=NetworkServiceInProcess2',
];

const launchSmallest = (args?: readonly string[]): Promise<Browser> =>
  launch(firstFound(headlessShells) ?? findChromium(), args);

/**
 * Starts a browser for a script or a benchmark. This browser optimizes code as users' browsers do. The browser ends
 * when `close()` is called, so that the script can end.
 */
export const launchOwnBrowser = (): Promise<Browser> => launchSmallest();

let shared: Promise<Browser> | undefined;

/**
 * Returns the browser of this process, which starts on the first call. If the headless shell is installed, it is used,
 * because it doesn't open windows and needs only a third of the CPU time for a new page. `close()` closes the contexts
 * but keeps the browser for subsequent test files. The browser ends when the process ends.
 */
export function launchBrowser(): Promise<Browser> {
  shared ??= launchSmallest(cheap).then((browser) => {
    browser.close = async () => {
      await Promise.all(browser.contexts().map((context) => context.close()));
    };
    browser.on('disconnected', () => {
      shared = undefined;
    });
    return browser;
  });
  return shared;
}

/** Errors that a page reported: violations of the content security policy and exceptions in scripts. */
export interface Complaints {
  readonly list: string[];
}

export async function openContext(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<{ context: BrowserContext; complaints: Complaints }> {
  const context = await browser.newContext({ locale: 'en-GB', ...options });
  context.setDefaultTimeout(30_000);
  const complaints: Complaints = { list: [] };
  context.on('weberror', (error) => complaints.list.push(String(error.error())));
  context.on('console', (message) => {
    // The browser logs every response with a 4xx status, including expected responses.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      complaints.list.push(message.text());
    }
  });
  return { context, complaints };
}

export interface AxeViolation {
  readonly id: string;
  readonly help: string;
  readonly targets: readonly string[];
}

/** The rules to check. `colors` selects only the rules whose result depends on the color scheme. */
export type AxeRules = 'all' | 'colors';

const ruleSets: Record<AxeRules, object> = {
  all: {
    type: 'tag',
    values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  },
  colors: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
};

/**
 * The maximum time for which the check is repeated while a page may still be rendering. After this time, violations
 * count.
 */
const settlingMs = 15_000;

/**
 * The number of consecutive frames without an animation after which animations have ended. A transition starts a few
 * frames after the state change that causes it. A change of the color scheme starts transitions immediately.
 */
const quietFrames: Record<AxeRules, number> = { all: 6, colors: 1 };

/**
 * Returns violations of WCAG 2.2 AA and of best practices after animations have ended. Repeats the check while the page
 * is still rendering.
 */
export async function axeViolations(page: Page, rules: AxeRules = 'all'): Promise<AxeViolation[]> {
  await animationsEnded(page, quietFrames[rules]);
  const until = performance.now() + settlingMs;
  for (;;) {
    const found = await violationsNow(page, rules);
    if (found.length === 0 || performance.now() > until) return found;
    await page.waitForTimeout(250);
  }
}

const maxAnimationMs = 30_000;

/** Resolves when no animation has run for this number of frames. Endless animations are ignored. */
export async function animationsEnded(page: Page, frames = quietFrames.all): Promise<void> {
  const hasEnded = await page.evaluate(`(async () => {
    const isMoving = () => document.getAnimations().some((animation) =>
      animation.playState === 'running' && animation.effect?.getTiming().iterations !== Infinity);
    const until = performance.now() + ${maxAnimationMs};
    for (let quiet = 0; quiet < ${frames}; quiet = isMoving() ? 0 : quiet + 1) {
      if (performance.now() > until) return false;
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    }
    return true;
  })()`);
  if (hasEnded !== true) throw new Error(`Animations still run after ${maxAnimationMs} ms.`);
}

let axeSource: string | undefined;

/**
 * Returns axe's source with only ASCII characters, because V8 parses strings faster if all their characters fit in one
 * byte.
 */
function readAxe(): string {
  const path = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
  return readFileSync(path, 'utf8').replace(
    /[^\0-\x7f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * Makes axe cheaper and stricter. Results don't contain the HTML of elements. No text is drawn on a canvas to find out
 * whether its font is an icon font. The pages have no icon fonts, but axe would take Arabic for one, because Arabic
 * letters join, and would then not check the colors of Arabic texts. axe gets the canvas and the known fonts from its
 * cache, and considers a font without ligatures after enough texts as a text font.
 */
const prepareAxe = `(() => {
  axe.configure({ noHtml: true });
  const { _cache: cache } = axe;
  const { get } = cache;
  const values = {
    canvasContext: {},
    fonts: new Proxy({}, { get: () => ({ occurrences: Infinity, numLigatures: 0 }) }),
  };
  cache.get = (key, create) => values[key] ?? get.call(cache, key, create);
})();0`;

const sessions = new WeakMap<Page, Promise<CDPSession>>();

/**
 * Loads axe into a page. `page.evaluate` would pass the source to `eval`. `Runtime.evaluate` takes half the time on all
 * pages after the first one of a process, because V8 then reuses the compiled script.
 */
async function loadAxe(page: Page): Promise<void> {
  axeSource ??= readAxe();
  let session = sessions.get(page);
  if (session === undefined) {
    session = page.context().newCDPSession(page);
    sessions.set(page, session);
  }
  const { exceptionDetails } = await (await session).send('Runtime.evaluate', {
    expression: `${axeSource};${prepareAxe}`,
    silent: true,
  });
  if (exceptionDetails !== undefined) throw new Error(`axe: ${exceptionDetails.text}`);
}

/** Returns the violations of the page's current state. */
export async function violationsNow(page: Page, rules: AxeRules): Promise<AxeViolation[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await loadAxe(page);
  return page.evaluate(async (runOnly) => {
    const { axe, document } = globalThis as unknown as {
      axe: {
        run(
          root: unknown,
          options: object,
        ): Promise<{ violations: { id: string; help: string; nodes: { target: string[] }[] }[] }>;
      };
      document: unknown;
    };
    // Selectors for elements without violations aren't computed, because that would take half the time.
    const { violations } = await axe.run(document, { runOnly, resultTypes: ['violations'] });
    return violations.map(({ id, help, nodes }) => ({
      id,
      help,
      targets: nodes.map((node) => node.target.join(' ')),
    }));
  }, ruleSets[rules]);
}

export type ColorScheme = 'light' | 'dark';

export const colorSchemeOf = async (page: Page): Promise<ColorScheme> =>
  (await page.evaluate(`matchMedia('(prefers-color-scheme: dark)').matches`)) === true ? 'dark' : 'light';

/** Switches an open page to the other color scheme, and returns that color scheme. */
export async function switchColorScheme(page: Page): Promise<ColorScheme> {
  const colorScheme = (await colorSchemeOf(page)) === 'dark' ? 'light' : 'dark';
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
  return colorScheme;
}

/** Whether the page is wider than the window. */
export function scrollsSideways(page: Page): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
}
