/**
 * The script for `npm run dev`. Runs the server from its source files and restarts it when one changes, and serves the
 * web app with hot reload. Ctrl-C ends everything.
 *
 *   npm run dev
 *   npm run dev -- --workdir DIR --port 0 --web-port 5174    # options of "plinth start", and the port of the web app
 */
import { parseArgs } from 'node:util';
import { superviseServer } from './dev/server.mjs';
import { serveWeb } from './dev/web.mjs';

const defaultWebPort = 5173;

const say = (/** @type {string} */ text) => process.stderr.write(`${text}\n`);

const { 'web-port': webPort, passed } = readArguments(process.argv.slice(2));
const server = superviseServer(passed, say);
const started = server.start();
const web = await serveWeb({ port: webPort, addresses: () => server.addresses() });

let isEnding = false;
async function end() {
  if (isEnding) return;
  isEnding = true;
  await Promise.all([web.close(), server.stop()]);
  process.exit();
}
process.on('SIGINT', () => void end());
process.on('SIGTERM', () => void end());
process.on('SIGHUP', () => void end());

const { api } = await started;
say(`API: ${api}`);
say(`Console with hot reload: ${web.url}/console/`);
say(`Account pages with hot reload: ${web.url}/account/sign-in`);
say('For a sign-in link to the Console, run "npm run -s plinth -- console" in another terminal.');

/** Separates this script's own option from those of `plinth start`. */
function readArguments(/** @type {string[]} */ given) {
  const { tokens } = parseArgs({ args: given, strict: false, tokens: true });
  const own = tokens.find((token) => token.kind === 'option' && token.name === 'web-port');
  if (own === undefined || own.kind !== 'option') return { 'web-port': defaultWebPort, passed: given };
  const isInline = given[own.index]?.includes('=') === true;
  const text = isInline ? given[own.index]?.split('=')[1] : given[own.index + 1];
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    say('--web-port must be a port number.');
    process.exit(2);
  }
  return { 'web-port': port, passed: given.toSpliced(own.index, isInline ? 1 : 2) };
}
