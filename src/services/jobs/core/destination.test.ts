import { describe, expect, test } from 'vitest';
import { createExchanges } from '../exchange.ts';
import { type DestinationRules, destinationOf } from './destination.ts';

const rules = (mode: 'development' | 'production'): DestinationRules => ({
  mode,
  privateHosts: ['hooks.internal', '10.0.0.5'],
  publicOrigin: 'https://api.example.com',
  localOrigin: 'http://127.0.0.1:5000',
  projectPort: 54321,
});

const reach = (text: string, mode: 'development' | 'production') => {
  const to = destinationOf(text, rules(mode));
  return typeof to === 'string' ? to : `${to.url.href}${to.publicOnly ? ' public' : ''}`;
};

describe('request destinations', () => {
  test.each([
    ['https://api.example.com/functions/v1/a?b', 'http://127.0.0.1:5000/functions/v1/a?b'],
    ['http://kong:8000/rest/v1/', 'http://127.0.0.1:5000/rest/v1/'],
    ['http://supabase_kong_my-app:8000/x', 'http://127.0.0.1:5000/x'],
    ['http://host.docker.internal:54321/x', 'http://127.0.0.1:5000/x'],
    ['http://hooks.internal/x', 'http://hooks.internal/x'],
    ['http://10.0.0.5:8080/x', 'http://10.0.0.5:8080/x'],
  ])('%s is also allowed in production', (url, expected) => {
    expect(reach(url, 'production')).toBe(expected);
    expect(reach(url, 'development')).toBe(expected);
  });

  test('this server can be reached only after it accepts connections', () => {
    const to = (url: string) => destinationOf(url, { ...rules('development'), localOrigin: undefined });
    expect(to('http://kong:8000/rest/v1/')).toContain("doesn't accept requests");
    expect(to('http://127.0.0.1:9/')).toMatchObject({ isOwn: false });
  });

  test.each([
    ['http://127.0.0.1:9/', 'http://127.0.0.1:9/'],
    ['http://kong:8001/', 'http://kong:8001/'],
    ['http://kongress.example/', 'http://kongress.example/'],
    ['http://host.docker.internal:9/', 'http://127.0.0.1:9/'],
    ['http://api.example.com/', 'http://api.example.com/'],
    ['http://169.254.169.254/', 'http://169.254.169.254/'],
  ])('%s must be public in production', (url, expected) => {
    expect(reach(url, 'production')).toBe(`${expected} public`);
    expect(reach(url, 'development')).toBe(expected);
  });

  test.each(['', 'x', 'file:///etc/passwd', 'gopher://example.com/', 'javascript:1', 'ftp://kong:8000/'])(
    '%j isn’t a valid destination',
    (url) => {
      expect(typeof destinationOf(url, rules('development'))).toBe('string');
    },
  );
});

describe('in production', () => {
  const exchanges = createExchanges(() => rules('production'));
  const request = { method: 'GET', headers: [], timeoutMs: 5_000, maxRedirects: 0 };

  test.each([
    ['http://127.0.0.1:9/', /127\.0\.0\.1 is not a public address \(loopback\)/],
    ['http://2130706433:9/', /not a public address/],
    ['http://[::1]:9/', /not a public address/],
    ['http://[::ffff:10.0.0.1]/', /not a public address/],
    ['http://localhost:9/', /not a public address/],
    ['http://host.docker.internal:9/', /not a public address/],
    ['http://169.254.169.254/latest/meta-data', /link-local/],
  ])('no request is sent to %s', async (url, message) => {
    await expect(exchanges.send({ ...request, url })).rejects.toThrow(message);
  });
});
