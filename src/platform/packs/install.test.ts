import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ensurePack } from './index.ts';
import { installPack } from './install.ts';
import type { KnownPack, Wheel } from './types.ts';

const file = 'tool-1.0-py3-none-any.whl';
let folder: string;
let server: Server;
let origin: string;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
const requests: IncomingMessage[] = [];
const said: string[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'plinth-packs-'));
  requests.length = 0;
  said.length = 0;
  server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

/** A file of an archive. The mode has the format of Unix. */
interface Entry {
  readonly name: string;
  readonly text: string;
  readonly mode?: number;
}

/** Returns a ZIP archive whose files aren't compressed. */
function zipped(entries: readonly Entry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, text, mode = 0o100644 } of entries) {
    const [path, data] = [Buffer.from(name), Buffer.from(text)];
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt32LE(crc32(data), 10);
    fields.writeUInt32LE(data.length, 14);
    fields.writeUInt32LE(data.length, 18);
    fields.writeUInt16LE(path.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), fields, path, data]);
    const end = Buffer.alloc(14);
    end.writeUInt32LE((mode << 16) >>> 0, 6);
    end.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x03'), fields, end, path);
    parts.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, central, Buffer.from('PK\x05\x06'), end]);
}

const complete: readonly Entry[] = [
  { name: 'share/tool.control', text: "default_version = '1.0'" },
  { name: 'share/tool--1.0.sql', text: 'select 1' },
  { name: 'lib/tool.so', text: 'library' },
  { name: 'info/LICENSE', text: 'free' },
];

function packOf(wheelBytes: Buffer, change: Partial<Wheel> = {}): KnownPack {
  const wheel = {
    file,
    sizeBytes: wheelBytes.length,
    sha256: createHash('sha256').update(wheelBytes).digest('hex'),
    library: 'lib/tool.so',
    ...change,
  };
  const all = { 'linux-x64': wheel, 'linux-arm64': wheel, 'darwin-x64': wheel, 'darwin-arm64': wheel };
  return {
    name: 'tool',
    version: '1.0',
    sameObjectsAs: [],
    postgres: 18,
    project: 'Tool_Box',
    release: '1.0',
    scripts: 'share/',
    licenses: 'info/',
    wheels: { ...all, 'win32-x64': wheel },
  };
}

const target = () => join(folder, 'packs', 'tool');
const install = (pack: KnownPack, env: Record<string, string>, from?: string) =>
  installPack(pack, pack.wheels['linux-x64'], target(), {
    env: { PIP_CONFIG_FILE: '/dev/null', NETRC: '/dev/null', ...env },
    onProgress: (line) => said.push(line),
    from,
  });

/** Answers like an index with one file, which is on the path `/files/`. */
function serve(bytes: Buffer): void {
  answer = ({ url = '' }, response) => {
    if (url === '/simple/tool-box/')
      response
        .setHeader('content-type', 'application/vnd.pypi.simple.v1+json')
        .end(JSON.stringify({ files: [{ filename: file, url: `../../moved/${file}` }] }));
    else if (url === `/moved/${file}`) response.writeHead(302, { location: `/files/${file}` }).end();
    else if (url === `/files/${file}`) response.end(bytes);
    else response.writeHead(404).end();
  };
}

describe('installing a pack', () => {
  it('downloads the wheel from the configured index and extracts the files of the extension', async () => {
    const bytes = zipped(complete);
    serve(bytes);
    await install(packOf(bytes), { PIP_INDEX_URL: `${origin.replace('//', '//ada:p%40ss@')}/simple/` });
    expect(readdirSync(target(), { recursive: true }).sort()).toEqual(
      ['extension', 'extension/tool--1.0.sql', 'extension/tool.control', 'lib', 'lib/tool.so', 'licenses']
        .concat('licenses/LICENSE')
        .sort(),
    );
    expect(readFileSync(join(target(), 'lib', 'tool.so'), 'utf8')).toBe('library');
    expect(readdirSync(join(folder, 'packs'))).toEqual(['tool']);
    expect(said).toEqual(['Downloading the extension tool 1.0 (0 MB, once for all projects)']);
    const login = `Basic ${Buffer.from('ada:p@ss').toString('base64')}`;
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([login, login, login]);
  });

  it('doesn’t send the login of the index to another server', async () => {
    const bytes = zipped(complete);
    let files = 0;
    const other = createServer((request, response) => {
      files++;
      expect(request.headers.authorization).toBeUndefined();
      response.end(bytes);
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    answer = (_, response) => {
      const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}/${file}`;
      response.setHeader('content-type', 'text/html').end(`<a href="${url}">${file}</a>`);
    };
    try {
      await install(packOf(bytes), { PIP_INDEX_URL: `${origin.replace('//', '//ada:x@')}/simple` });
    } finally {
      await new Promise((resolve) => other.close(resolve));
    }
    expect(files).toBe(1);
  });

  it('sends the login in the netrc file to its host, and the one for all hosts only to the index', async () => {
    const bytes = zipped(complete);
    serve(bytes);
    const netrc = join(folder, 'netrc');
    const env = { PIP_INDEX_URL: `${origin}/simple`, NETRC: netrc };
    const login = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
    const sent = () => new Set(requests.splice(0).map(({ headers }) => headers.authorization));
    writeFileSync(netrc, 'machine 127.0.0.1 login ada password "p@ss"\nmachine other login x password y');
    await install(packOf(bytes), env);
    expect(sent()).toEqual(new Set([login('ada:p@ss')]));
    rmSync(target(), { recursive: true });
    await install(packOf(bytes), { ...env, PIP_INDEX_URL: `${origin.replace('//', '//bob:own@')}/simple` });
    expect(sent()).toEqual(new Set([login('bob:own')]));
    rmSync(target(), { recursive: true });
    writeFileSync(netrc, 'default login any password thing');
    answer = (_, response) =>
      void response
        .writeHead(302, { location: `${origin.replace('127.0.0.1', 'localhost')}/elsewhere` })
        .end();
    await expect(install(packOf(bytes), env)).rejects.toThrow('redirects too often');
    expect(requests.map(({ headers }) => [headers.host?.split(':')[0], headers.authorization])).toEqual([
      ['127.0.0.1', login('any:thing')],
      ...Array.from({ length: 5 }, () => ['localhost', undefined]),
    ]);
  });

  it('rejects a wheel with another hash or size, and leaves nothing behind', async () => {
    const bytes = zipped(complete);
    serve(bytes);
    const env = { PIP_INDEX_URL: `${origin}/simple` };
    await expect(install(packOf(bytes, { sha256: '00' }), env)).rejects.toThrow("doesn't match the file");
    await expect(install(packOf(bytes, { sizeBytes: 10 }), env)).rejects.toThrow('larger than expected');
    expect(readdirSync(join(folder, 'packs'))).toEqual([]);
  });

  it('ignores links, other files and paths that lead elsewhere', async () => {
    const bytes = zipped([
      ...complete,
      { name: 'share/tool--1.0--2.0.sql', text: '/etc/passwd', mode: 0o120777 },
      { name: 'share/other.control', text: '' },
      { name: 'share/sub/tool--3.sql', text: '' },
      { name: 'info/sub/x', text: '' },
    ]);
    serve(bytes);
    await install(packOf(bytes), { PIP_INDEX_URL: `${origin}/simple` });
    expect(readdirSync(join(target(), 'extension')).sort()).toEqual(['tool--1.0.sql', 'tool.control']);
    const outside = zipped([...complete, { name: '../../outside', text: 'x' }]);
    serve(outside);
    rmSync(target(), { recursive: true });
    await expect(install(packOf(outside), { PIP_INDEX_URL: `${origin}/simple` })).rejects.toThrow();
    expect(existsSync(join(folder, '..', 'outside'))).toBe(false);
    expect(readdirSync(join(folder, 'packs'))).toEqual([]);
  });

  it('reads the wheel from a folder, from find-links and from another index', async () => {
    const bytes = zipped(complete);
    writeFileSync(join(folder, file), bytes);
    await install(packOf(bytes), {}, folder);
    expect(said).toEqual([`Copying the extension tool 1.0 from ${folder}`]);
    rmSync(target(), { recursive: true });
    await install(packOf(bytes), { PIP_FIND_LINKS: folder, PIP_NO_INDEX: '1' });
    rmSync(target(), { recursive: true });
    serve(bytes);
    await install(packOf(bytes), {
      PIP_INDEX_URL: `${origin}/none`,
      PIP_EXTRA_INDEX_URL: `${origin}/simple`,
    });
    expect(existsSync(target())).toBe(true);
  });

  it('describes what to do if no index can be reached', async () => {
    const pack = packOf(zipped(complete));
    const failure = await install(pack, { PIP_INDEX_URL: 'http://127.0.0.1:1/simple' }).catch((e) => e);
    expect(failure.message).toMatch(
      /^The extension tool 1.0 couldn't be downloaded:\n {2}http:\/\/127.0.0.1:1\/simple: .*ECONNREFUSED/,
    );
    expect(failure.advice[0]).toContain('plinth fetch --only extensions');
    await expect(install(pack, {}, folder)).rejects.toThrow(`${folder} doesn't contain ${file}.`);
  });

  it('installs once for concurrent calls', async () => {
    const bytes = zipped(complete);
    writeFileSync(join(folder, file), bytes);
    const pack = packOf(bytes);
    const options = { from: folder, cache: folder, onProgress: (line: string) => said.push(line) };
    const found = await Promise.all([ensurePack(pack, options), ensurePack(pack, options)]);
    expect(new Set(found).size).toBe(1);
    expect(said.filter((line) => line.startsWith('Copying'))).toHaveLength(1);
  });
});
