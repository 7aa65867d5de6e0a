/** Downloads a wheel from the index, the proxy and the folders in the user's package configuration. */
import { createHash } from 'node:crypto';
import { copyFileSync, createWriteStream, existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import tls from 'node:tls';
import { fileURLToPath } from 'node:url';
import type { Dispatcher } from 'undici';
import { type Environment, PackageError } from '../packages/index.ts';
import { anyHost, type NetrcLogin } from './netrc.ts';
import { type PipConfiguration, pipConfiguration } from './pip-configuration.ts';
import { acceptedPages, findFile, projectPage } from './simple-index.ts';
import type { KnownPack, Wheel } from './types.ts';

const connectTimeoutMs = 10_000;
/** The time after which a server that sends no data is given up. */
const stallMs = 30_000;
const maxRedirects = 5;
/** The largest page of a project. The page of a project with 10,000 files has about 5 MB. */
const maxPageBytes = 20 * 1024 ** 2;

export interface DownloadOptions {
  readonly env: Environment;
  /** Receives the part of the wheel that has arrived, between 0 and 1. */
  readonly onPart: (part: number) => void;
}

/**
 * Writes the wheel to `target`, and verifies its size and hash.
 *
 * @throws {PackageError} with the reason of each index
 */
export async function downloadWheel(
  pack: KnownPack,
  wheel: Wheel,
  target: string,
  { env, onPart }: DownloadOptions,
): Promise<void> {
  const configuration = readConfiguration(env);
  const reasons: string[] = [];
  for (const link of configuration.links) {
    const path = join(folderOf(link) ?? '', wheel.file);
    if (folderOf(link) === undefined || !existsSync(path)) continue;
    copyFileSync(path, target);
    return await verifyWheel(target, pack, wheel);
  }
  const dispatcher = await openDispatcher(configuration);
  try {
    for (const index of configuration.indexes) {
      try {
        const source = { index, dispatcher, logins: configuration.logins };
        const url = await locate(source, pack, wheel);
        await save(url, source, { wheel, target, onPart });
        return await verifyWheel(target, pack, wheel);
      } catch (error) {
        reasons.push(`${withoutLogin(index)}: ${reasonOf(error)}`);
      }
    }
  } finally {
    await dispatcher.destroy();
  }
  if (configuration.indexes.length === 0) reasons.push('pip is configured without an index (no-index)');
  throw new PackageError(
    `The extension ${pack.name} ${pack.version} couldn't be downloaded:\n  ${reasons.join('\n  ')}`,
    [
      `Run "npx plinth fetch --only extensions" while this machine is online, or with "--from DIR" and a folder that contains ${wheel.file}.`,
      "The download uses pip's configuration: PIP_INDEX_URL, pip.conf, HTTPS_PROXY, PIP_CERT.",
    ],
  );
}

/** @throws {PackageError} if the file isn't the one in the checked list */
export async function verifyWheel(path: string, pack: KnownPack, wheel: Wheel): Promise<void> {
  const bytes = await readFile(path);
  const hash = createHash('sha256').update(bytes).digest('hex');
  if (bytes.length === wheel.sizeBytes && hash === wheel.sha256) return;
  throw new PackageError(
    `${wheel.file} doesn't match the file that this version of Plinth expects for the extension ${pack.name}.`,
    ["Check your package index. If it's a mirror, check its copy of this file."],
  );
}

function readConfiguration(env: Environment): PipConfiguration {
  return pipConfiguration({
    os: process.platform,
    home: homedir(),
    env,
    read(path) {
      try {
        return readFileSync(path, 'utf8');
      } catch {
        return undefined;
      }
    },
  });
}

/** Returns the folder that `find-links` names. Returns undefined for web pages, which aren't searched. */
function folderOf(link: string): string | undefined {
  if (link.startsWith('file:')) return fileURLToPath(link);
  return isAbsolute(link) ? link : undefined;
}

async function openDispatcher({ certificates, proxy }: PipConfiguration): Promise<Dispatcher> {
  const { EnvHttpProxyAgent } = await import('undici');
  const ca = certificates === undefined ? undefined : authorities(certificates);
  return new EnvHttpProxyAgent({
    ...(proxy === undefined ? {} : { httpProxy: proxy, httpsProxy: proxy }),
    connect: { timeout: connectTimeoutMs, ...(ca === undefined ? {} : { ca }) },
    ...(ca === undefined ? {} : { requestTls: { ca }, proxyTls: { ca } }),
    headersTimeout: stallMs,
    bodyTimeout: stallMs,
  });
}

/** Adds the user's certificate authorities to those that Node trusts. @throws {PackageError} */
function authorities(path: string): string[] {
  try {
    return [...tls.rootCertificates, readFileSync(path, 'utf8')];
  } catch (error) {
    throw new PackageError(
      `The file with certificates in pip's configuration can't be read: ${path}`,
      ['Correct the setting "cert" in pip.conf, or PIP_CERT.'],
      error,
    );
  }
}

/** An index, and how to reach it. */
interface Source {
  readonly index: string;
  readonly dispatcher: Dispatcher;
  readonly logins: ReadonlyMap<string, NetrcLogin>;
}

async function locate(source: Source, { project }: KnownPack, { file }: Wheel): Promise<string> {
  const page = await get(projectPage(source.index, project), source, acceptedPages);
  let text = '';
  for await (const chunk of page.body.setEncoding('utf8')) {
    text += chunk;
    if (text.length > maxPageBytes) throw new Error('the page of the project is too large');
  }
  const found = findFile({ url: page.url, contentType: page.contentType, text }, file);
  if (found === undefined) throw new Error(`it doesn't list ${file}`);
  return found;
}

interface SaveOptions {
  readonly wheel: Wheel;
  readonly target: string;
  readonly onPart: (part: number) => void;
}

async function save(url: string, source: Source, { wheel, target, onPart }: SaveOptions): Promise<void> {
  const { body } = await get(url, source, '*/*');
  let receivedBytes = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      receivedBytes += chunk.length;
      if (receivedBytes > wheel.sizeBytes) return done(new Error(`${wheel.file} is larger than expected`));
      onPart(receivedBytes / wheel.sizeBytes);
      done(null, chunk);
    },
  });
  await pipeline(body, counted, createWriteStream(target));
}

interface Page {
  /** The URL after all redirects. */
  readonly url: string;
  readonly contentType: string;
  readonly body: Readable;
}

/**
 * Follows redirects. The login in the index's URL, and netrc's login for all hosts, are sent only to the index's own
 * origin.
 */
async function get(url: string, { index, dispatcher, logins }: Source, accept: string): Promise<Page> {
  const { request } = await import('undici');
  let current = new URL(url);
  const home = new URL(index);
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const isHome = current.origin === home.origin;
    const named = logins.get(current.hostname) ?? (isHome ? logins.get(anyHost) : undefined);
    const own = loginOf(current) ?? (isHome ? loginOf(home) : undefined) ?? (named && basicLogin(named));
    current.username = '';
    current.password = '';
    const headers = { accept, 'user-agent': 'plinth', ...(own === undefined ? {} : { authorization: own }) };
    const { statusCode, headers: received, body } = await request(current, { dispatcher, headers });
    if (statusCode === 200)
      return { url: current.href, contentType: `${received['content-type'] ?? ''}`, body };
    await body.dump();
    const { location } = received;
    if (statusCode < 300 || statusCode >= 400 || typeof location !== 'string')
      throw new Error(`${withoutLogin(current.href)} returned status ${statusCode}`);
    const next = new URL(location, current);
    if (current.protocol === 'https:' && next.protocol !== 'https:')
      throw new Error(`${withoutLogin(current.href)} redirects to an address without HTTPS`);
    current = next;
  }
  throw new Error(`${withoutLogin(url)} redirects too often`);
}

function loginOf({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  return basicLogin({ login: decodeURIComponent(username), password: decodeURIComponent(password) });
}

const basicLogin = ({ login, password }: NetrcLogin): string =>
  `Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`;

/** A connection that fails for each of a host's addresses has an error without a message. */
function reasonOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return message || code || 'the connection failed';
}

function withoutLogin(url: string): string {
  const shown = URL.parse(url);
  if (shown === null) return url;
  shown.username = '';
  shown.password = '';
  return shown.href;
}
