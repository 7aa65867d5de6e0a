import { describe, expect, test } from 'vitest';
import {
  createOutgoing,
  OutgoingError,
  type OutgoingRequest,
} from '../../../../base/shared/network/outgoing.ts';
import { createClientDocuments } from './client-documents.ts';
import { OAuthError } from './errors.ts';

const url = 'https://agent.example/client.json';
const document = {
  client_id: url,
  client_name: 'Agent',
  redirect_uris: ['http://127.0.0.1/callback'],
  grant_types: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_method: 'none',
};

function documentsWith(respond: () => string | number) {
  const requests: OutgoingRequest[] = [];
  const state = { now: 0, isEnabled: true };
  const documents = createClientDocuments({
    isEnabled: () => state.isEnabled,
    now: () => state.now,
    outgoing: {
      async send(request) {
        requests.push(request);
        const answer = respond();
        return typeof answer === 'number'
          ? { status: answer, contentType: 'text/html', text: '' }
          : { status: 200, contentType: 'application/json', text: answer };
      },
    },
  });
  return { documents, requests, state };
}

describe('client ID metadata documents', () => {
  test('describe a client, and are loaded again after five minutes', async () => {
    const { documents, requests, state } = documentsWith(() => JSON.stringify(document));
    const expected = { id: url, name: 'Agent', host: 'agent.example', redirectUris: document.redirect_uris };
    expect(await documents.find(url)).toEqual(expected);
    expect(requests).toMatchObject([{ url, reach: 'public', timeoutMs: 5000 }]);
    expect(requests[0]?.redirects).toBeUndefined();
    state.now = 5 * 60_000 - 1;
    await documents.find(url);
    expect(requests).toHaveLength(1);
    state.now++;
    await documents.find(url);
    expect(requests).toHaveLength(2);
    state.isEnabled = false;
    await expect(documents.find(url)).rejects.toThrow(OAuthError);
  });

  test.each([
    ['without a name', { ...document, client_name: undefined }],
    ['with invisible characters in the name', { ...document, client_name: 'A\u202eB' }],
    ['of another client', { ...document, client_id: 'https://agent.example/other.json' }],
    ['with a secret', { ...document, client_secret: 'x' }],
    ['that requires authentication', { ...document, token_endpoint_auth_method: 'private_key_jwt' }],
    ['without redirect URIs', { ...document, redirect_uris: [] }],
    ['with a dangerous redirect URI', { ...document, redirect_uris: ['javascript:alert(1)'] }],
    ['that is a list', [document]],
    ['that is too long', { ...document, more: 'x'.repeat(10_000) }],
  ])('%s are rejected', async (_name, wrong) => {
    const { documents } = documentsWith(() => JSON.stringify(wrong));
    await expect(documents.find(url)).rejects.toThrow(OAuthError);
  });

  test.each([404, 302, '{'])('a response %j is rejected, and isn’t kept', async (answer) => {
    const answers = [answer, JSON.stringify(document)];
    const { documents } = documentsWith(() => answers.shift() ?? '');
    await expect(documents.find(url)).rejects.toThrow(OAuthError);
    expect((await documents.find(url)).name).toBe('Agent');
  });

  test.each([
    'https://agent.example',
    'https://agent.example/',
    'https://agent.example/a#b',
    'https://user@agent.example/a',
    'https://user:pass@agent.example/a',
    'https://AGENT.example/a',
    'https://agent.example/a/../b',
    'https://agent.example:443/a',
    `https://agent.example/${'a'.repeat(500)}`,
    'https://',
  ])('nothing is requested for %s', async (wrong) => {
    const { documents, requests } = documentsWith(() => JSON.stringify({ ...document, client_id: wrong }));
    await expect(documents.find(wrong)).rejects.toThrow(OAuthError);
    expect(requests).toEqual([]);
  });

  test.each(['127.0.0.1', '[::1]', '169.254.169.254', 'localhost', 'internal.example'])(
    'the server doesn’t connect to %s',
    async (host) => {
      const outgoing = createOutgoing({
        mode: 'production',
        resolve: (_host, _options, callback) => callback(null, [{ address: '10.0.0.1', family: 4 }]),
      });
      const documents = createClientDocuments({ outgoing, isEnabled: () => true, now: () => 0 });
      await expect(documents.find(`https://${host}/client.json`)).rejects.toThrow("can't be loaded");
    },
  );

  test('other errors aren’t hidden', async () => {
    const fail = (error: Error) =>
      createClientDocuments({
        isEnabled: () => true,
        now: () => 0,
        outgoing: { send: () => Promise.reject(error) },
      });
    await expect(fail(new TypeError('bug')).find(url)).rejects.toThrow(TypeError);
    await expect(fail(new OutgoingError('too slow')).find(url)).rejects.toThrow(OAuthError);
  });
});
