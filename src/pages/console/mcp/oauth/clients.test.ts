import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { redirectUriFault } from '../../../../base/shared/http/redirect-uri.ts';
import { isRegistered, parseClientId, registerClient } from './clients.ts';
import { OAuthError } from './errors.ts';

const uri = fc.oneof(
  fc.webUrl({ withQueryParameters: true }).map((url) => url.replace(/^http:/, 'https:')),
  fc.nat(65_535).map((port) => `http://127.0.0.1:${port}/callback`),
  fc.string(),
);

describe('client IDs', () => {
  test('contain the metadata of every client that is registered', () => {
    const metadata = fc.record({ client_name: fc.string(), redirect_uris: fc.array(uri, { maxLength: 12 }) });
    fc.assert(
      fc.property(fc.oneof(metadata, fc.anything()), (body) => {
        let registered: ReturnType<typeof registerClient>;
        try {
          registered = registerClient(body);
        } catch (error) {
          expect(error).toBeInstanceOf(OAuthError);
          return;
        }
        const { client_id: id, client_name: name, redirect_uris: redirectUris } = registered;
        expect(parseClientId(id)).toEqual({ id, name, redirectUris });
        for (const each of redirectUris) {
          expect(redirectUriFault(each)).toBeUndefined();
          expect(isRegistered({ id, name, redirectUris }, each)).toBe(true);
        }
      }),
    );
  });

  test('are unknown if they have any other form', () => {
    const text = fc.oneof(
      fc.string(),
      fc.json().map((json) => `plinth-${Buffer.from(json).toString('base64url')}`),
    );
    fc.assert(
      fc.property(text, (id) => {
        const client = parseClientId(id);
        if (client !== undefined)
          expect(
            registerClient({ client_name: client.name, redirect_uris: client.redirectUris }).client_id,
          ).toBe(id);
      }),
    );
  });

  test('differ only in the port of a program on this machine', () => {
    const client = {
      id: '',
      name: '',
      redirectUris: ['http://localhost:1/cb?x=1', 'http://[::1]/cb', 'app://host:1/cb'],
    };
    for (const match of [
      'http://localhost:2/cb?x=1',
      'http://localhost/cb?x=1',
      'http://[::1]:9/cb',
      'app://host:1/cb',
    ])
      expect([match, isRegistered(client, match)]).toEqual([match, true]);
    for (const other of [
      'http://localhost:2/cb',
      'http://127.0.0.1:1/cb?x=1',
      'https://[::1]/cb',
      'app://host:2/cb',
    ])
      expect([other, isRegistered(client, other)]).toEqual([other, false]);
  });
});
