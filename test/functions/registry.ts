/**
 * Simulates a package registry on loopback for npm, jsr and plain modules. The registry implements only the requests
 * that Deno sends.
 */
import { createHash } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

export interface Registry {
  readonly url: string;
  readonly port: number;
  /** The requests that the registry received, in order. */
  readonly asked: string[];
  close(): void;
}

/**
 * The registry's content. `npm` contains the files of version 1.2.0 of each package, `modules` contains source code by
 * path, and `jsr` contains version 1.0.0 of each `@scope/name`: its source, or the source of each of its exports.
 */
export interface RegistryContent {
  readonly npm?: Readonly<Record<string, Readonly<Record<string, string | Buffer>>>>;
  readonly modules?: Readonly<Record<string, string>>;
  readonly jsr?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
}

export async function startRegistry(
  content: RegistryContent,
  /** If defined, the registry is served with TLS, under the host name in `url`. */
  secure?: { readonly key: string; readonly cert: string; readonly url: string },
  /** If defined, all requests must contain this token. */
  token?: string,
): Promise<Registry> {
  const asked: string[] = [];
  const answers = new Map<string, { type: string; body: string | Buffer }>();
  const json = (path: string, value: unknown): void =>
    void answers.set(path, { type: 'application/json', body: JSON.stringify(value) });
  const listener: RequestListener = (request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    asked.push(path);
    const answer = answers.get(path);
    const isAllowed = token === undefined || request.headers.authorization === `Bearer ${token}`;
    if (!isAllowed) response.writeHead(401).end();
    else if (answer === undefined) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': answer.type }).end(answer.body);
  };
  const server = secure === undefined ? createServer(listener) : createTlsServer(secure, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = secure?.url ?? `http://127.0.0.1:${port}`;
  for (const [name, files] of Object.entries(content.npm ?? {})) {
    const manifest = JSON.parse(String(files['package.json'])) as { version: string };
    const body = gzipSync(tarOf(files));
    const integrity = `sha512-${createHash('sha512').update(body).digest('base64')}`;
    const tarball = `/-/${name}-${manifest.version}.tgz`;
    answers.set(tarball, { type: 'application/octet-stream', body });
    json(`/${name}`, {
      name,
      'dist-tags': { latest: manifest.version },
      versions: { [manifest.version]: { ...manifest, dist: { tarball: `${url}${tarball}`, integrity } } },
    });
  }
  for (const [path, body] of Object.entries(content.modules ?? {}))
    answers.set(path, { type: 'application/typescript', body });
  for (const [name, source] of Object.entries(content.jsr ?? {})) {
    const sources = typeof source === 'string' ? { '.': source } : source;
    const files = Object.entries(sources).map(([path, text]) => {
      const file = path === '.' ? './mod.ts' : path.endsWith('.ts') ? path : `${path}.ts`;
      return { path, file, text, checksum: `sha256-${createHash('sha256').update(text).digest('hex')}` };
    });
    json(`/jsr/${name}/meta.json`, { latest: '1.0.0', versions: { '1.0.0': {} } });
    json(`/jsr/${name}/1.0.0_meta.json`, {
      exports: Object.fromEntries(files.map(({ path, file }) => [path, file])),
      manifest: Object.fromEntries(
        files.map(({ file, text, checksum }) => [file.slice(1), { size: Buffer.byteLength(text), checksum }]),
      ),
    });
    for (const { file, text } of files)
      answers.set(`/jsr/${name}/1.0.0${file.slice(1)}`, { type: 'application/typescript', body: text });
  }
  return {
    url,
    port,
    asked,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Returns a POSIX ustar archive (IEEE 1003.1) with the members in `package/`. */
function tarOf(files: Readonly<Record<string, string | Buffer>>): Buffer {
  const blocks: Buffer[] = [];
  for (const [name, content] of Object.entries(files)) {
    const body = Buffer.from(content as string);
    const head = Buffer.alloc(512);
    const path = `package/${name}`;
    // Long paths are split at a slash into prefix and name.
    const cut = path.length <= 100 ? -1 : path.indexOf('/', path.length - 101);
    head.write(path.slice(cut + 1), 0);
    if (cut > 0) head.write(path.slice(0, cut), 345);
    head.write('0000644\0', 100);
    head.write('0000000\0'.repeat(2), 108);
    head.write(`${body.length.toString(8).padStart(11, '0')}\0`, 124);
    head.write('00000000000\0        0', 136);
    head.write('ustar\x0000', 257);
    const sum = head.reduce((total, byte) => total + byte, 0);
    head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    blocks.push(head, body, Buffer.alloc((512 - (body.length % 512)) % 512));
  }
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}
