/**
 * Serves the web app from its source files with hot reload. The pages come from the running server, which fills them
 * with the project's settings, and only their scripts and styles are replaced. All other requests go to the server.
 */
import { existsSync, realpathSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { pipeline } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';
import { faceConfig } from '../../web/vite.config.ts';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const host = '127.0.0.1';
const faces = /** @type {const} */ (['account', 'console']);

/** The plugins whose results the server's pages already contain. */
const inPages = ['plinth-boot-frame', 'plinth-early-script', 'plinth-scheme-script', 'plinth-compile-hint'];

/**
 * @typedef {{ api: string, console: string }} Addresses
 * @typedef {import('node:http').IncomingMessage} Request
 * @typedef {import('node:http').ServerResponse} Response
 */

/** @param {{ port: number, addresses: () => Addresses | undefined }} options */
export async function serveWeb({ port, addresses }) {
  const server = http.createServer();
  const vites = new Map(
    await Promise.all(
      faces.map(async (face) => /** @type {const} */ ([face, await createVite(face, server)])),
    ),
  );
  server.on('request', (request, response) => void handle(request, response));
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve(undefined));
  });
  const own = `http://${host}:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;

  async function handle(/** @type {Request} */ request, /** @type {Response} */ response) {
    const url = request.url ?? '/';
    const face = faces.find((each) => url.startsWith(`/${each}/`));
    const vite = face && vites.get(face);
    const target = targetOf(face);
    if (target === undefined) {
      response.writeHead(503, { 'content-type': 'text/plain' }).end('The server is starting.\n');
      return;
    }
    const isServers = new RegExp(`^/${face}/(api|assets|logo)(/|\\?|$)`).test(url) && !isSource(url);
    if (vite === undefined || isServers || request.method !== 'GET') forward(request, response, target);
    else if (isPage(request)) await sendPage(request, response, { face: String(face), vite, target });
    else vite.middlewares(request, response, () => forward(request, response, target));
  }

  const targetOf = (/** @type {string | undefined} */ face) =>
    face === 'console' ? addresses()?.console : addresses()?.api;

  /** Sends a page of the server with the scripts and styles from the source files. */
  async function sendPage(
    /** @type {Request} */ request,
    /** @type {Response} */ response,
    /** @type {{ face: string, vite: import('vite').ViteDevServer, target: string }} */ {
      face,
      vite,
      target,
    },
  ) {
    const url = request.url ?? '/';
    try {
      const answer = await fetchPage(url, request, target);
      if (!String(answer.headers['content-type']).startsWith('text/html')) {
        response.writeHead(answer.statusCode ?? 502, copied(answer.headers));
        pipeline(answer, response, () => undefined);
        return;
      }
      answer.setEncoding('utf8');
      let html = '';
      for await (const part of answer) html += part;
      const headers = copied(answer.headers);
      // The policy allows only the scripts of the build.
      for (const name of ['content-security-policy', 'content-length']) delete headers[name];
      // Transforms only the entry, because Vite would change the addresses in the rest of the page.
      const entry = await vite.transformIndexHtml(url, '<script type="module" src="/main.tsx"></script>');
      const page = withEntry(html, face, entry);
      response.writeHead(answer.statusCode ?? 502, headers).end(page);
    } catch (error) {
      response.writeHead(502, { 'content-type': 'text/plain' }).end(`${error}\n`);
    }
  }

  /** @returns {Promise<Request>} */
  function fetchPage(
    /** @type {string} */ url,
    /** @type {Request} */ request,
    /** @type {string} */ target,
  ) {
    return new Promise((resolve, reject) => {
      const headers = { ...sentHeaders(request, target), 'accept-encoding': 'identity' };
      http.get(new URL(url, target), { headers }, resolve).on('error', reject);
    });
  }

  function forward(
    /** @type {Request} */ request,
    /** @type {Response} */ response,
    /** @type {string} */ target,
  ) {
    const { method } = request;
    const sent = http.request(
      new URL(request.url ?? '/', target),
      { method, headers: sentHeaders(request, target) },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        pipeline(answer, response, () => undefined);
      },
    );
    // The connection can also end after the whole request was sent, for example because the server restarts.
    sent.on('error', () => {
      if (!response.headersSent) response.writeHead(502).end();
    });
    pipeline(request, sent, () => undefined);
  }

  /**
   * Returns the headers for the server, which accepts requests only from its own pages. Requests from the pages of this
   * port count as such, but not those from other websites.
   */
  function sentHeaders(/** @type {Request} */ { headers }, /** @type {string} */ target) {
    const { origin } = headers;
    return {
      ...headers,
      host: headers.host === new URL(own).host ? new URL(target).host : headers.host,
      ...(origin === own ? { origin: new URL(target).origin } : {}),
    };
  }

  return {
    url: own,
    async close() {
      await Promise.all([...vites.values()].map((vite) => vite.close()));
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function createVite(/** @type {'account' | 'console'} */ face, /** @type {http.Server} */ server) {
  const { plugins = [], build: _build, logLevel: _level, ...config } = faceConfig(face);
  return await createServer({
    ...config,
    configFile: false,
    plugins: plugins.flat(2).filter((plugin) => !inPages.includes(nameOf(plugin))),
    // Checkouts may share their packages, so the folder is in the checkout.
    cacheDir: path.join(root, 'dist', '.vite', face),
    appType: 'custom',
    logLevel: 'warn',
    clearScreen: false,
    server: {
      middlewareMode: true,
      hmr: { server, path: `hmr-${face}` },
      // The packages can be a link to another folder.
      fs: { allow: [root, realpathSync(path.join(root, 'node_modules'))] },
    },
  });
}

const nameOf = (/** @type {unknown} */ plugin) =>
  typeof plugin === 'object' && plugin !== null && 'name' in plugin ? String(plugin.name) : '';

/** Whether a source file of the web app has this path, which can begin like a path of the API (`web/console/api`). */
const isSource = (/** @type {string} */ url) =>
  /\.\w+$/.test(pathOf(url)) && existsSync(path.join(root, 'web', pathOf(url)));

const pathOf = (/** @type {string} */ url) => new URL(url, 'http://localhost').pathname;

const isPage = (/** @type {Request} */ { headers }) =>
  headers.accept?.includes('text/html') === true && headers['sec-fetch-dest'] !== 'iframe';

/** Returns the headers of a response that describe its content instead of its connection. */
const copied = (/** @type {http.IncomingHttpHeaders} */ headers) => {
  const { connection: _connection, 'transfer-encoding': _encoding, 'keep-alive': _keep, ...rest } = headers;
  return rest;
};

/** Replaces the built scripts and styles in a page, and the script that requests them early. */
function withEntry(/** @type {string} */ html, /** @type {string} */ face, /** @type {string} */ entry) {
  const built = new RegExp(
    `<script\\b[^>]*\\bsrc="/${face}/assets/[^"]*"[^>]*></script>|<link\\b[^>]*\\bhref="/${face}/assets/[^"]*\\.(?:js|css)"[^>]*>`,
    'g',
  );
  const early = /<script\b[^>]*>\(function startEarly\b[\s\S]*?<\/script>/;
  return html
    .replace(built, '')
    .replace(early, '')
    .replace('</body>', () => `${entry}</body>`);
}
