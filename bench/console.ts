/**
 * Measures the Console's tables in a real browser and compares the results with limits. Measures the transferred size
 * of a table's first view, the additional size of each other page, and the time until a table is visible. Also measures
 * how smoothly the browser scrolls through 100,000 rows, the time until the first of 10,000,000 rows are visible, and
 * the export of 300,000 rows.
 *
 *     node --expose-gc bench/console.ts
 */
import { request } from 'node:http';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { createTestBackend, stopTestCluster } from '../src/entry/testing.ts';
import { launchOwnBrowser } from '../test/web/browser.ts';
import { buildPlinth } from './build.ts';
import { scriptSizes } from './console/sizes.ts';

const kib = 1024;
/** The limits, in these units: KiB transferred, milliseconds, DOM nodes and MiB. The layout shift has no unit. */
const bars = {
  js: 220,
  css: 40,
  route: 130,
  lcp: 700,
  throttledLcp: 2500,
  shift: 0.02,
  frame50: 17,
  frame95: 34,
  nodes: 1500,
  firstRows: 300,
  export: 10_000,
  /**
   * The memory limit for an export is the same for every table size, because memory use must not grow with the table.
   */
  exportMemory: 64,
} as const;

let isWithin = true;
function report(what: string, value: number, bar: number, unit: string, digits = 1): void {
  const isOver = value > bar;
  if (isOver) isWithin = false;
  console.log(
    `${what.padEnd(34)} ${value.toFixed(digits)}${unit}   limit ${bar}${unit}${isOver ? '   OVER' : ''}`,
  );
}

const sorted = (numbers: readonly number[]): number[] => [...numbers].sort((left, right) => left - right);
const quantile = (numbers: readonly number[], share: number): number =>
  sorted(numbers)[Math.min(numbers.length - 1, Math.floor(numbers.length * share))] ?? Number.NaN;

const sql = `
  create table public.hundred (id int primary key, title text, note text, amount numeric, done boolean, born timestamptz, data jsonb);
  insert into public.hundred
    select i, 'Title ' || i, case when i % 3 = 0 then null else md5(i::text) end, i / 7.0, i % 2 = 0, now(), jsonb_build_object('n', i)
    from generate_series(1, 100000) i;
  create table public.three as
    select i as id, md5(i::text) as a, 'row ' || i as b, i * 1.5 as c, now() as d, i % 2 = 0 as e from generate_series(1, 300000) i;
  alter table public.three add primary key (id);
  create unlogged table public.ten (id int, text text);
  insert into public.ten select i, 'row ' || i from generate_series(1, 10000000) i;
  alter table public.ten add primary key (id);
  analyze public.ten; analyze public.three; analyze public.hundred;`;

/** Code that runs in the page. It returns the largest contentful paint and the sum of all layout shifts. */
const vitals = `new Promise((resolve) => {
  let lcp = 0;
  let shift = 0;
  new PerformanceObserver((list) => { lcp = list.getEntries().at(-1).startTime; })
    .observe({ type: 'largest-contentful-paint', buffered: true });
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) shift += entry.value; })
    .observe({ type: 'layout-shift', buffered: true });
  setTimeout(() => resolve({ lcp, shift }), 300);
})`;

/**
 * Code that runs in the page. It scrolls a little in each frame and returns the time between frames in milliseconds.
 */
const scrollFrames = (frames: number): string => `new Promise((resolve) => {
  const grid = document.querySelector('[role=grid]');
  const times = [];
  let last = performance.now();
  let left = ${frames};
  const step = (now) => {
    times.push(now - last);
    last = now;
    grid.scrollTop += 60;
    if (--left > 0) requestAnimationFrame(step);
    else resolve(times.slice(5));
  };
  requestAnimationFrame(step);
})`;

async function throttle(page: Page): Promise<void> {
  const cdp = await page.context().newCDPSession(page);
  const bytesPerSecond = (1.6 * 1000 * 1000) / 8;
  await cdp.send('Network.enable');
  await cdp.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 150,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  });
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 });
}

buildPlinth();
const backend = await createTestBackend({ sql });
const browser = await launchOwnBrowser();

async function signedIn(of: Browser): Promise<BrowserContext> {
  const context = await of.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto(await backend.consoleLink());
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  await page.close();
  return context;
}

const table = (name: string): string => `${backend.console.url}/console/tables/public/${name}`;

/** Loads a table with an empty cache. Returns sizes in KiB and times in milliseconds. */
async function firstView(
  isThrottled: boolean,
): Promise<{ js: number; css: number; lcp: number; shift: number }> {
  const context = await signedIn(browser);
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send('Network.clearBrowserCache');
  if (isThrottled) await throttle(page);
  const sizes = { js: [] as Promise<number>[], css: [] as Promise<number>[] };
  page.on('requestfinished', (each) => {
    const kind = /\.(js|css)$/.exec(new URL(each.url()).pathname)?.[1] as 'js' | 'css' | undefined;
    if (kind !== undefined) sizes[kind].push(each.sizes().then(({ responseBodySize }) => responseBodySize));
  });
  await page.goto(table('hundred'));
  await page.locator('[data-cell="0:1"]').waitFor();
  await page.waitForLoadState('networkidle');
  const { lcp, shift } = (await page.evaluate(vitals)) as { lcp: number; shift: number };
  const sum = async (all: Promise<number>[]): Promise<number> =>
    (await Promise.all(all)).reduce((total, size) => total + size, 0) / kib;
  const found = { js: await sum(sizes.js), css: await sum(sizes.css), lcp, shift };
  await context.close();
  return found;
}

async function measureGrid(): Promise<void> {
  const context = await signedIn(browser);
  const page = await context.newPage();
  await page.goto(table('hundred'));
  await page.locator('[data-cell="0:1"]').waitFor();
  await page.waitForTimeout(1000);
  const times = (await page.evaluate(scrollFrames(400))) as number[];
  report('grid, 100,000 rows: frame p50', quantile(times, 0.5), bars.frame50, ' ms');
  report('grid, 100,000 rows: frame p95', quantile(times, 0.95), bars.frame95, ' ms');
  const nodes = (await page.evaluate(`document.querySelectorAll('*').length`)) as number;
  report('nodes of the whole page', nodes, bars.nodes, '', 0);

  await page.goto(table('ten'));
  await page.locator('[data-cell="0:1"]').waitFor();
  const startedAt = performance.now();
  // Simulates dragging the scroll bar a tenth of the way down.
  await page.evaluate(
    `{ const grid = document.querySelector('[role=grid]'); grid.scrollTop = (grid.scrollHeight - grid.clientHeight) / 10; }`,
  );
  const isThere = `[...document.querySelectorAll('[data-cell$=":1"]')].some((cell) => Math.abs(Number(cell.textContent) - 1000000) < 20000)`;
  while (!(await page.evaluate(isThere))) await page.waitForTimeout(10);
  console.log(
    `${'leap to row 1,000,000 of 10,000,000'.padEnd(34)} ${(performance.now() - startedAt).toFixed(0)} ms`,
  );
  await context.close();
}

async function cookie(): Promise<string> {
  const context = await signedIn(browser);
  const text = (await context.cookies(`${backend.console.url}/console`))
    .map(({ name, value }) => `${name}=${value}`)
    .join('; ');
  await context.close();
  return text;
}

async function measureServer(): Promise<void> {
  const headers = { cookie: await cookie() };
  const times: number[] = [];
  for (let round = 0; round < 7; round++) {
    const startedAt = performance.now();
    const response = await backend.console.fetch('/console/api/tables/public/ten/rows?limit=100', {
      headers,
    });
    const { rows } = (await response.json()) as { rows: unknown[] };
    if (rows.length !== 100) throw new Error(`Expected 100 rows, got ${rows.length}.`);
    times.push(performance.now() - startedAt);
  }
  report('first rows of 10,000,000: slowest', Math.max(...times), bars.firstRows, ' ms', 0);
  report('first rows of 10,000,000: median', quantile(times, 0.5), bars.firstRows, ' ms', 0);
  for (const format of ['csv', 'json']) {
    const { ms, bytes, growth } = await exported(format, headers);
    report(`300,000 rows as ${format} (${(bytes / kib / kib).toFixed(0)} MiB)`, ms, bars.export, ' ms', 0);
    report(`  memory at most beyond the start`, growth, bars.exportMemory, ' MiB', 0);
  }
}

/**
 * Reads an export at full speed and measures the memory that this process, which also contains the client, uses during
 * the export.
 */
async function exported(
  format: string,
  headers: Record<string, string>,
): Promise<{ ms: number; bytes: number; growth: number }> {
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 10);
  const startedAt = performance.now();
  let bytes = 0;
  await new Promise<void>((resolve, reject) => {
    request(
      `${backend.console.url}/console/api/tables/public/three/export?format=${format}`,
      { headers },
      (response) => {
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
        });
        response.on('end', resolve);
        response.on('error', reject);
      },
    )
      .on('error', reject)
      .end();
  });
  clearInterval(timer);
  return { ms: performance.now() - startedAt, bytes, growth: (peak - before) / kib / kib };
}

try {
  const quick = [await firstView(false), await firstView(false), await firstView(false)];
  const slow = await firstView(true);
  const [view] = quick;
  if (view === undefined) throw new Error('The page did not load.');
  report('first view of a table: JS gz', view.js, bars.js, ' KiB');
  report('first view of a table: CSS gz', view.css, bars.css, ' KiB');
  report(
    'LCP',
    quantile(
      quick.map(({ lcp }) => lcp),
      0.5,
    ),
    bars.lcp,
    ' ms',
    0,
  );
  report('LCP, throttled', slow.lcp, bars.throttledLcp, ' ms', 0);
  report('CLS', Math.max(slow.shift, ...quick.map(({ shift }) => shift)), bars.shift, '', 4);
  for (const { name, size } of scriptSizes().parts) report(`${name}: JS gz`, size, bars.route, ' KiB');
  await measureServer();
  await measureGrid();
} finally {
  await browser.close();
  await backend.stop();
  await stopTestCluster();
}
console.log(isWithin ? 'All values are within the limits.' : 'Some values exceed the limits.');
