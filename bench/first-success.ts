/**
 * Measures how many seconds a new user needs to reach the first success. The measurement starts with the command
 * `npm start -- --example`. The dependencies are already installed, and the data folder is empty. The measurement ends
 * when a user has signed up in a browser, written a note in the example app and marked the note as done.
 *
 *     node bench/first-success.ts [--rounds 3]
 */
import { parseArgs } from 'node:util';
import { signUp, startExample, tick, writeNote } from '../test/example/stage.ts';
import { launchOwnBrowser } from '../test/web/browser.ts';
import { buildPlinth } from './build.ts';
import { createReport } from './report.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '3' }, json: { type: 'string' } },
});
const report = createReport(values.json);
const barSeconds = 30;

/** Returns the time of each milestone, in seconds since the command started. */
async function round(): Promise<Record<string, number>> {
  const browser = await launchOwnBrowser();
  const startedAt = performance.now();
  const reached: Record<string, number> = {};
  const mark = (what: string) => {
    reached[what] = (performance.now() - startedAt) / 1000;
  };
  const example = await startExample();
  try {
    mark('ready');
    const page = await browser.newPage();
    await page.goto(example.pageUrl);
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    mark('page');
    await signUp(page, 'first@example.com');
    mark('signed in');
    await writeNote(page, 'My first note');
    await tick(page, 'My first note').click();
    await page.getByRole('checkbox', { name: 'My first note', checked: true }).waitFor();
    mark('row edited');
    return reached;
  } finally {
    await browser.close();
    await example.stop();
  }
}

// Building isn't part of the measurement.
buildPlinth();
const totals: number[] = [];
for (let index = 0; index < Number(values.rounds); index += 1) {
  const reached = await round();
  const steps = Object.entries(reached).map(([what, seconds]) => `${what} ${seconds.toFixed(1)} s`);
  console.log(`round ${index + 1}: ${steps.join(', ')}`);
  totals.push(reached['row edited'] ?? Number.NaN);
}
const median = totals.sort((a, b) => a - b)[Math.floor(totals.length / 2)] ?? Number.NaN;
report.add({
  name: 'From `npm start -- --example` until a new user has signed up, written a note and marked it as done in a browser',
  unit: 's',
  value: median,
  limit: { most: barSeconds },
});
console.log(
  `first success ${median.toFixed(1)} s   ${(median / barSeconds).toFixed(2)} of the limit (${barSeconds} s)`,
);
