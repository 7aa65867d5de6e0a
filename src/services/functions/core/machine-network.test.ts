import { expect, it } from 'vitest';
import { machineNetwork } from './machine-network.ts';

const api = 'http://10.1.2.3:54321';
const there = (path: string) => (path === 'ca.pem' ? '/home/ca.pem' : undefined);
const of = (shell: Record<string, string>, project: Record<string, string> = {}) =>
  machineNetwork(shell, project, api, there);

it('without configuration, functions use the certificate authorities that the machine trusts', () => {
  expect(of({ PATH: '/bin', HOME: '/root' })).toEqual({
    env: { DENO_TLS_CA_STORE: 'mozilla,system' },
    hidden: ['DENO_AUTH_TOKENS', 'DENO_TLS_CA_STORE'],
  });
});

it('only listed variables are used', () => {
  const secrets = {
    DENO_AUTH_TOKENS: 't@a',
    NPM_TOKEN: 't',
    npm_config__auth: 't',
    AWS_SECRET_ACCESS_KEY: 's',
  };
  expect(of(secrets)).toEqual(of({}));
});

it('behind a proxy, this machine and the API are accessed directly', () => {
  expect(of({ https_proxy: 'http://p:1', no_proxy: '.corp' }).env).toEqual({
    https_proxy: 'http://p:1',
    no_proxy: '.corp',
    NO_PROXY: '.corp,localhost,127.0.0.1,::1,10.1.2.3',
    DENO_TLS_CA_STORE: 'mozilla,system',
  });
  expect(of({ HTTP_PROXY: '', NO_PROXY: 'a' }).env.NO_PROXY).toBe('a');
});

it('the project’s variables take precedence in upper and lower case, and remain readable', () => {
  const { env, hidden } = of(
    { HTTPS_PROXY: 'http://machine:1', JSR_URL: 'https://machine' },
    { https_proxy: 'http://project:1', NO_PROXY: 'b', DENO_TLS_CA_STORE: 'mozilla' },
  );
  expect(env).toEqual({ NO_PROXY: 'b,localhost,127.0.0.1,::1,10.1.2.3', JSR_URL: 'https://machine' });
  expect(hidden).toEqual(['DENO_AUTH_TOKENS', 'JSR_URL']);
});

it('Deno also uses Node’s additional certificate authorities if their file exists', () => {
  expect(of({ NODE_EXTRA_CA_CERTS: 'ca.pem' }).env.DENO_CERT).toBe('/home/ca.pem');
  expect(of({ NODE_EXTRA_CA_CERTS: 'gone.pem' }).env.DENO_CERT).toBeUndefined();
  expect(of({ NODE_EXTRA_CA_CERTS: 'ca.pem', DENO_CERT: 'gone.pem' }).env.DENO_CERT).toBe('gone.pem');
});

it('the registry that npm passes to its scripts is used', () => {
  expect(of({ npm_config_registry: 'https://r' }).env.NPM_CONFIG_REGISTRY).toBe('https://r');
  expect(
    of({ npm_config_registry: 'https://r', NPM_CONFIG_REGISTRY: 'https://s' }).env.NPM_CONFIG_REGISTRY,
  ).toBe('https://s');
});
