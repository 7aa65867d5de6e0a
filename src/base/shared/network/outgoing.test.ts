import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createOutgoing, OutgoingError } from './outgoing.ts';

let server: Server;
let base: string;
let listener: RequestListener = (_request, response) => response.end();
const seen: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    listener(request, response);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((done) => server.close(done)));

const development = createOutgoing({ mode: 'development' });
const production = createOutgoing({ mode: 'production' });

const faultOf = async (sent: Promise<unknown>): Promise<string | undefined> => {
  const error = await sent.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  expect(error).toBeInstanceOf(OutgoingError);
  return (error as OutgoingError).fault ?? (error as OutgoingError).message;
};

describe('the allowed destinations of requests', () => {
  test('plain HTTP is allowed only to this machine, from the configuration, during development', async () => {
    listener = (_request, response) => response.end('{}');
    expect((await development.send({ url: base, reach: 'configured' })).status).toBe(200);
    expect(await faultOf(production.send({ url: base, reach: 'configured' }))).toBe('scheme');
    expect(await faultOf(development.send({ url: base, reach: 'public' }))).toBe('scheme');
    expect(await faultOf(development.send({ url: 'http://10.0.0.1/', reach: 'configured' }))).toBe('scheme');
    expect(
      await faultOf(development.send({ url: 'http://127.0.0.1.example.com/', reach: 'configured' })),
    ).toBe('scheme');
  });

  test.each([
    ['file:///etc/passwd', 'hostname'],
    ['gopher://example.com/', 'scheme'],
    ['nonsense', 'format'],
    ['https://localhost/', 'localhost'],
    ['https://LOCALHOST./', 'localhost'],
    ['https://app.localhost/', 'localhost'],
    ['https://127.0.0.1/', 'localhost'],
    ['https://[::1]/', 'localhost'],
    ['https://2130706433/', 'localhost'],
    ['https://0x7f.1/', 'localhost'],
    ['https://127.9.9.9/', 'loopback'],
    ['https://[::ffff:127.0.0.1]/', 'loopback'],
    ['https://169.254.169.254/latest/meta-data', 'link-local'],
    ['https://10.0.0.1/', 'private'],
    ['https://[fd00::1]/', 'private'],
    ['https://user:secret@192.168.1.1/', 'private'],
  ])('%s is rejected: %s', async (url, fault) => {
    expect(await faultOf(production.requirePublic(url))).toBe(fault);
    expect(await faultOf(production.send({ url, reach: 'public' }))).toBe(fault);
  });

  test('a name’s resolved addresses are checked when the connection is opened', async () => {
    // Names below .invalid never resolve (RFC 6761).
    expect(await faultOf(production.requirePublic('https://unknown.invalid/'))).toBe('unresolved');
    expect(await faultOf(production.send({ url: 'https://unknown.invalid/', reach: 'public' }))).toBe(
      'unresolved',
    );
  });
});

describe('names whose addresses change (DNS rebinding)', () => {
  const resolver = (...turns: string[][]) => {
    const asked: string[] = [];
    const outgoing = createOutgoing({
      mode: 'production',
      resolve(host, _options, callback) {
        const addresses = turns[Math.min(asked.length, turns.length - 1)] ?? [];
        asked.push(host);
        callback(
          null,
          addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        );
      },
    });
    return { outgoing, asked };
  };

  test('a name is public when it is stored and private when it is requested', async () => {
    const { outgoing, asked } = resolver(['93.184.216.34'], ['127.0.0.1']);
    await outgoing.requirePublic('https://rebind.example/');
    const { port } = server.address() as AddressInfo;
    seen.length = 0;
    expect(await faultOf(outgoing.send({ url: `https://rebind.example:${port}/`, reach: 'public' }))).toBe(
      'loopback',
    );
    expect(asked).toEqual(['rebind.example', 'rebind.example']);
    expect(seen).toEqual([]);
  });

  test('a single private address among public ones is rejected', async () => {
    const { outgoing } = resolver(['93.184.216.34', '169.254.169.254']);
    expect(await faultOf(outgoing.requirePublic('https://mixed.example/'))).toBe('link-local');
    expect(await faultOf(outgoing.send({ url: 'https://mixed.example/', reach: 'public' }))).toBe(
      'link-local',
    );
  });
});

describe('redirects', () => {
  const redirectTo =
    (location: string): RequestListener =>
    (request, response) => {
      if (request.url === '/start') response.writeHead(302, { location }).end();
      else response.end('{"arrived":true}');
    };

  test('aren’t followed by default, and never for POST', async () => {
    listener = redirectTo('/next');
    seen.length = 0;
    expect((await development.send({ url: `${base}/start`, reach: 'configured' })).status).toBe(302);
    const post = {
      url: `${base}/start`,
      reach: 'configured',
      method: 'POST',
      body: 'x',
      redirects: 3,
    } as const;
    expect((await development.send(post)).status).toBe(302);
    expect(seen).toEqual(['GET /start', 'POST /start']);
    const followed = await development.send({ url: `${base}/start`, reach: 'configured', redirects: 1 });
    expect(followed.text).toBe('{"arrived":true}');
  });

  test('can’t lead to a URL that would be rejected as the first URL', async () => {
    listener = redirectTo('http://10.0.0.1/');
    expect(await faultOf(development.send({ url: `${base}/start`, reach: 'configured', redirects: 3 }))).toBe(
      'scheme',
    );
    listener = redirectTo('file:///etc/passwd');
    expect(await faultOf(development.send({ url: `${base}/start`, reach: 'configured', redirects: 3 }))).toBe(
      'hostname',
    );
  });

  test('end after the maximum number', async () => {
    listener = (_request, response) => response.writeHead(302, { location: '/again' }).end();
    seen.length = 0;
    expect((await development.send({ url: base, reach: 'configured', redirects: 3 })).status).toBe(302);
    expect(seen).toHaveLength(4);
  });
});

test('an endless response is truncated', async () => {
  listener = (_request, response) => {
    const chunk = Buffer.alloc(65_536);
    const more = (): void => {
      while (response.write(chunk)) if (response.destroyed) return;
      response.once('drain', more);
    };
    response.on('error', () => undefined);
    more();
  };
  expect(await faultOf(development.send({ url: base, reach: 'configured' }))).toMatch(
    /larger than 1048576 bytes/,
  );
});

test('a server that switches to another protocol is reported', async () => {
  listener = (_request, response) =>
    response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
  expect(await faultOf(development.send({ url: base, reach: 'configured' }))).toMatch(/didn't respond/);
});

test('an unreachable server is reported', async () => {
  const gone = createServer();
  await new Promise<void>((done) => gone.listen(0, '127.0.0.1', done));
  const { port } = gone.address() as AddressInfo;
  await new Promise((done) => gone.close(done));
  expect(await faultOf(development.send({ url: `http://127.0.0.1:${port}`, reach: 'configured' }))).toMatch(
    /didn't respond/,
  );
});
