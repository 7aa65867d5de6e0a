import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { join } from 'node:path';
import { jsonText } from '../../../base/shared/printable.ts';
import { ownCommand } from '../../../platform/packages/index.ts';
import { type Command, type Input, projectOptions, UsageError } from '../command.ts';
import { findRunning } from '../control.ts';
import { addressesOf, renderStatus } from '../core/formats.ts';
import { databaseUrlOption, databaseUrlsOf, directUrlOption } from '../database-urls.ts';
import { CommandError, notRunning } from '../errors.ts';
import { exampleLocation, examplePage } from '../example.ts';
import { excludedServices } from '../excluded-services.ts';
import { print, progressPrinter, say } from '../output.ts';
import { locationOf, type ProjectLocation } from '../project-location.ts';
import { ensureDataDir } from '../state.ts';

export const serverOptions = {
  ...projectOptions,
  port: {
    type: 'string',
    value: 'PORT',
    help: 'Port for all HTTP services. With 0, all services use free ports.',
  },
  'db-port': { type: 'string', value: 'PORT', help: 'PostgreSQL port.' },
  'database-url': databaseUrlOption,
  'database-direct-url': directUrlOption,
  json: { type: 'boolean', help: 'Prints only one line of JSON to stdout when ready.' },
  exclude: {
    type: 'string',
    short: 'x',
    multiple: true,
    value: 'SERVICE',
    help: 'Disables a service. Can be repeated.',
  },
  'ignore-health-check': { type: 'boolean', help: 'Continues even if a service is unhealthy.' },
  follow: {
    type: 'boolean',
    hidden: true,
    help: 'Stops when stdin closes, so that the server ends with the process that started it.',
  },
  daemon: {
    type: 'boolean',
    hidden: true,
    help: 'Reports to the process that started this one with --detach.',
  },
} as const satisfies Command['options'];

const maxWorkers = 64;

export const start: Command = {
  name: 'start',
  about:
    'Starts all services in one process in the foreground. Press Ctrl-C to stop. The first start in a folder\n' +
    "applies migrations and seeds. Later starts don't. If Plinth is already running, prints the status.",
  options: {
    ...serverOptions,
    'keep-going': {
      type: 'boolean',
      help: 'When the server first starts, skips and lists failing statements in migrations and seeds.',
    },
    detach: {
      type: 'boolean',
      short: 'd',
      help: 'Runs in the background and returns when ready. Use "plinth stop" to stop.',
    },
    example: {
      type: 'boolean',
      help: 'Starts the included example app at http://127.0.0.1:5173.',
    },
    'example-port': {
      type: 'string',
      value: 'PORT',
      help: 'Port of the example page. With 0, uses a free port.',
    },
  },
  examples: [
    ['plinth start', "serves this folder's project on http://127.0.0.1:54321"],
    [
      'plinth start --detach --port 0 --json',
      'for scripts: uses free ports and prints {"API_URL": ...} when ready',
    ],
    ['plinth start -x realtime,storage', 'starts without two services'],
    [
      'plinth start --example',
      'starts a small React app and its backend, and prints its address as EXAMPLE_URL',
    ],
  ],
  run: async (input) => {
    const location = input.flag('example') ? exampleLocation(input) : locationOf(input);
    const running = await findRunning(location.dataDir);
    if (running !== undefined) {
      say(`Plinth is already running in this folder (process ${running.state.pid}).`);
      report(await running.call('status'), input);
      return 0;
    }
    if (input.flag('detach')) return await detach(location, input);
    return await startInFront(location, input);
  },
};

/** Runs the server. If a statement fails at the first start, offers to skip such statements. */
async function startInFront(location: ProjectLocation, input: Input): Promise<number> {
  try {
    return await serveInFront(location, input, 'development');
  } catch (error) {
    const { acceptsKeepGoing, isSkippable, withKeepGoingAdvice } = await import('../keep-going-offer.ts');
    if (!isSkippable(error)) throw error;
    if (input.flag('daemon')) process.send?.({ isSkippable: true });
    if (!(await acceptsKeepGoing(input, error))) throw withKeepGoingAdvice(error, 'start');
    return await serveInFront(location, input, 'development', true);
  }
}

/** Runs the server in this process until it is stopped. */
export async function serveInFront(
  location: ProjectLocation,
  input: Input,
  mode: 'development' | 'production',
  keepGoing = input.flag('keep-going'),
): Promise<number> {
  const { runServer } = await import('../run-server.ts');
  const isDaemon = input.flag('daemon') && process.send !== undefined;
  const tell = (message: object) => {
    if (process.connected) process.send?.(message);
  };
  const onProgress = progressPrinter(isDaemon ? (progress) => tell({ progress }) : say);
  const urls = databaseUrlsOf(input);
  const page = await examplePage(input, location);
  await runServer({
    ...location,
    mode,
    flags: { ...flagsOf(input), ...page?.flags },
    ...(page === undefined ? {} : { companion: page.start }),
    ...urls,
    ...(mode === 'production' ? { workers: workersOf(input) } : {}),
    exclude: excludedServices(input.list('exclude')),
    ignoreHealthCheck: input.flag('ignore-health-check'),
    keepGoing,
    isDaemon,
    followsInput: input.flag('follow'),
    onProgress,
    onReady: async ({ status, ports, consoleLink }) => {
      if (isDaemon) tell({ status, ports, hasConsole: consoleLink !== undefined });
      // Doesn't print secrets, because the output of a production server often goes to a log. "plinth status" prints
      // the secrets.
      else if (mode === 'production')
        announce(addressesOf(status), input, consoleHint(consoleLink), 'Press Ctrl-C to stop.');
      else
        announce(
          status,
          input,
          await consoleLines(input.flag('json') ? undefined : consoleLink),
          'Press Ctrl-C to stop.',
        );
    },
  });
  // Node stops handling signals before a process that ends by itself has exited. A signal in this time would turn a
  // clean exit into a failure, so the process exits immediately.
  process.exit(process.exitCode ?? 0);
}

function flagsOf(input: Input): Record<string, number> {
  const port = input.port('port');
  const dbPort = input.port('db-port');
  const flags: Record<string, number> = {};
  if (port === 0) for (const key of ['local_smtp.port', 'studio.port', 'db.port']) flags[key] = 0;
  if (port !== undefined) flags['api.port'] = port;
  if (dbPort !== undefined) flags['db.port'] = dbPort;
  return flags;
}

/** Returns the number of workers from the option, or undefined if the setting applies. @throws {UsageError} */
function workersOf(input: Input): number | 'auto' | undefined {
  const value = input.text('workers');
  if (value === undefined || value === 'auto') return value;
  const count = Number(value);
  if (/^\d+$/.test(value) && count >= 1 && count <= maxWorkers) return count;
  throw new UsageError(`--workers: ${value} isn't a number from 1 to ${maxWorkers} or auto`);
}

function announce(status: Record<string, string>, input: Input, console: string, how: string): void {
  report(status, input);
  if (input.flag('json')) return;
  say(`${console}\nReady. ${how}`);
}

const consoleHint = (console: unknown): string =>
  console === undefined
    ? ''
    : `\nTo sign in to the Console, run "${ownCommand()} console" and open the link.\n`;

/**
 * Returns a sign-in link for the owner of the Console. If the output isn't a terminal, returns instructions for getting
 * a link instead.
 */
async function consoleLines(issueLink: (() => Promise<string>) | undefined): Promise<string> {
  if (issueLink === undefined || !process.stderr.isTTY) return consoleHint(issueLink);
  return `\nSign in to the Console (the link works once and expires after ten minutes):\n  ${await issueLink()}\n`;
}

function report(status: Record<string, string>, input: Input): void {
  print(input.flag('json') ? jsonText(status) : renderStatus(status, 'pretty', new Map()));
}

interface Ready {
  readonly status: Record<string, string>;
  readonly hasConsole: boolean;
}

type DaemonMessage = { readonly progress: string } | { readonly isSkippable: true } | Ready;

/** Starts the same command in a separate process and waits until the server is ready. */
async function detach(
  location: ProjectLocation,
  input: Input,
  more: readonly string[] = [],
): Promise<number> {
  ensureDataDir(location.dataDir);
  const output = openSync(join(location.dataDir, 'start.log'), 'w', 0o600);
  const args = process.argv.slice(2).filter((arg) => arg !== '--detach' && arg !== '-d');
  const child = spawn(
    process.execPath,
    [...process.execArgv, process.argv[1] ?? '', ...args, ...more, '--daemon'],
    {
      detached: true,
      stdio: ['ignore', output, output, 'ipc'],
    },
  );
  let isSkippable = false;
  const started = new Promise<Ready>((resolve, reject) => {
    child.on('error', reject);
    child.on('message', (message: DaemonMessage) => {
      if ('progress' in message) say(message.progress);
      else if ('isSkippable' in message) isSkippable = true;
      else resolve(message);
    });
    child.on('exit', async () => {
      const { readFileSync } = await import('node:fs');
      const log = readFileSync(join(location.dataDir, 'start.log'), 'utf8').trim();
      reject(new CommandError(log || 'Plinth exited before it was ready.'));
    });
  });
  let ready: Ready;
  try {
    ready = await started;
  } catch (error) {
    if (!isSkippable) throw error;
    const { acceptsKeepGoing } = await import('../keep-going-offer.ts');
    if (!(await acceptsKeepGoing(input, error))) throw error;
    return await detach(location, input, ['--keep-going']);
  }
  child.disconnect();
  child.unref();
  const issueLink = async (): Promise<string> => {
    const running = await findRunning(location.dataDir);
    if (running === undefined) throw notRunning();
    return await running.call<string>('consoleLink');
  };
  const console = await consoleLines(ready.hasConsole && !input.flag('json') ? issueLink : undefined);
  announce(ready.status, input, console, 'Run "plinth stop" to stop it.');
  return 0;
}
