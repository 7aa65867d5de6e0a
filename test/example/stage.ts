/**
 * Runs the example as a new user does, with `npm start -- --example` in a separate process, and defines typical steps
 * in the app.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Example {
  /** The fields that `--json` prints. */
  readonly status: Readonly<Record<string, string>>;
  readonly pageUrl: string;
  /** Sends Ctrl-C and resolves with the complete output once all processes have ended. */
  stop(): Promise<string>;
}

/** Starts the example on free ports with an empty data folder, from a different working directory. */
export async function startExample(): Promise<Example> {
  const dataDir = mkdtempSync(join(tmpdir(), 'plinth-example-'));
  const flags = ['--example', '--port', '0', '--json', '--data-dir', dataDir];
  const child = spawn('npm', ['--prefix', root, 'start', '--silent', '--', ...flags], {
    cwd: tmpdir(),
    env: ordinaryEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    // The processes are in a separate group, as in a terminal, where Ctrl-C is sent to all of them.
    detached: true,
    shell: process.platform === 'win32',
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk;
  });
  const stop = async () => {
    await interrupt(child);
    rmSync(dataDir, { recursive: true, force: true });
    return said;
  };
  try {
    const status = JSON.parse(await firstLine(child)) as Record<string, string>;
    return { status, pageUrl: String(status.EXAMPLE_URL), stop };
  } catch (error) {
    await stop();
    throw new Error(`The example did not start.\n${said}`, { cause: error });
  }
}

/** Returns the environment without the test runner's and this machine's variables that would change the behavior. */
function ordinaryEnvironment(): NodeJS.ProcessEnv {
  const foreign = /^(SUPABASE|PLINTH|VITE|VITEST|NODE_ENV|NODE_OPTIONS|npm_)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('no stdout');
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error('nothing was printed');
}

/**
 * Sends Ctrl-C, and waits until the pipes are closed, which happens when the last process with access to them has
 * ended.
 */
async function interrupt(child: ChildProcess): Promise<void> {
  if (child.pid === undefined) return;
  const closed = new Promise((resolve) => child.once('close', resolve));
  if (child.exitCode !== null) return;
  child.stdout?.resume();
  process.kill(-child.pid, 'SIGINT');
  await closed;
}

export const password = 'correct horse battery 1';

/** Opens the Account pages from the app, signs up there with a new address, and returns to the app. */
export async function signUp(page: Page, email: string): Promise<void> {
  await page.getByRole('button', { name: 'Sign in' }).click();
  await finishSignUp(page, email);
}

/** Signs up on the Account pages, and waits until the app shows the address. */
export async function finishSignUp(page: Page, email: string): Promise<void> {
  await page.getByRole('link', { name: 'Create an account' }).click();
  // The sign-in page and the sign-up page have the same fields, so the test waits for the sign-up page.
  await page.waitForURL('**/account/sign-up**', { waitUntil: 'commit' });
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByText(email, { exact: true }).waitFor();
}

export async function writeNote(page: Page, body: string, photo?: Buffer): Promise<void> {
  await page.getByRole('textbox', { name: 'Note' }).fill(body);
  if (photo !== undefined) {
    const file = { name: 'garden.png', mimeType: 'image/png', buffer: photo };
    await page.getByLabel('Photo', { exact: true }).setInputFiles(file);
  }
  await page.getByRole('button', { name: 'Add' }).click();
}

/** Returns the checkbox that marks a note as done. */
export function tick(page: Page, body: string): Locator {
  return page.getByRole('checkbox', { name: body });
}
