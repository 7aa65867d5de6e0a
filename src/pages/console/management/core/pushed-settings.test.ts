import { expect, test } from 'vitest';
import { forProject, pushedSettings } from './pushed-settings.ts';

test('app settings are pushed, and machine settings are skipped', () => {
  const { changes, skipped } = pushedSettings('config.toml', {
    project_id: 'app',
    api: { port: 54321, schemas: ['public', 'api'], max_rows: 10, tls: { enabled: true } },
    db: { port: 1 },
    auth: {
      site_url: 'https://app.example',
      signing_keys_path: './keys.json',
      email: { template: { invite: { subject: 'Hi', content_path: './invite.html' } } },
      external: { github: { secret: 'env(GITHUB)' } },
    },
    storage: { file_size_limit: '50MiB', buckets: { images: { public: true } } },
  });
  expect(changes).toEqual([
    { path: ['api', 'schemas'], value: ['public', 'api'] },
    { path: ['api', 'max_rows'], value: 10 },
    { path: ['auth', 'site_url'], value: 'https://app.example' },
    { path: ['auth', 'email', 'template', 'invite', 'subject'], value: 'Hi' },
    { path: ['auth', 'external', 'github', 'secret'], value: 'env(GITHUB)' },
    { path: ['storage', 'file_size_limit'], value: '50MiB' },
  ]);
  expect(skipped).toEqual([
    'api.port',
    'api.tls.enabled',
    'auth.signing_keys_path',
    'auth.email.template.invite.content_path',
    'storage.buckets.images.public',
  ]);
});

test('a template is pushed in place of its path, and an empty path restores the default', () => {
  const path = { content_path: './mail.html' };
  const { changes, templates, skipped } = pushedSettings(
    'config.toml',
    {
      auth: {
        email: {
          template: { invite: path, recovery: { content_path: '' }, constructor: path },
          notification: { email_changed: path, phone_changed: path },
        },
      },
    },
    { invite: '<p>Hi</p>', email_changed_notification: '<p>New</p>', magic_link: 'not in the file' },
  );
  expect(changes).toEqual([]);
  expect(templates).toEqual([
    { name: 'invite', html: '<p>Hi</p>' },
    { name: 'recovery', html: '' },
    { name: 'email_changed_notification', html: '<p>New</p>' },
  ]);
  expect(skipped).toEqual([
    'auth.email.template.constructor.content_path',
    'auth.email.notification.phone_changed.content_path',
  ]);
});

test('values of unsupported types are skipped', () => {
  const table = { api: { a: [1], b: [{ c: 1 }], d: new Date(0), e: null }, auth: 'x' };
  expect(pushedSettings('config.toml', table)).toEqual({
    changes: [{ path: ['auth'], value: 'x' }],
    templates: [],
    skipped: ['api.a', 'api.b', 'api.d', 'api.e'],
  });
  expect(pushedSettings('plinth.toml', {})).toEqual({ changes: [], templates: [], skipped: [] });
});

test('the app’s own settings in plinth.toml are pushed', () => {
  const { changes, skipped } = pushedSettings('plinth.toml', {
    branding: { name: 'App', logo: 'https://app.example/logo.svg', logo_path: './logo.svg' },
    auth: { saml: { enabled: true, private_key: 'env(KEY)' } },
    server: { host: '0.0.0.0' },
    backup: { to: 's3://bucket' },
  });
  expect(changes).toEqual([
    { path: ['branding', 'name'], value: 'App' },
    { path: ['branding', 'logo'], value: 'https://app.example/logo.svg' },
    { path: ['auth', 'saml', 'enabled'], value: true },
  ]);
  expect(skipped).toEqual(['branding.logo_path', 'auth.saml.private_key']);
});

test('URLs on the machine of the file are skipped', () => {
  const auth = {
    site_url: 'http://127.0.0.1:3000',
    additional_redirect_urls: ['http://localhost:*/**', 'https://127.0.0.1'],
    hook: { send_email: { uri: 'http://[::1]:54321/functions/v1/mail' } },
    external: { keycloak: { url: 'https://localhost.example' } },
  };
  const mixed = { additional_redirect_urls: ['https://app.example', 'http://localhost:3000'], empty: [] };
  expect(pushedSettings('config.toml', { auth }).changes).toEqual([
    { path: ['auth', 'external', 'keycloak', 'url'], value: 'https://localhost.example' },
  ]);
  expect(pushedSettings('config.toml', { auth: mixed }).skipped).toEqual([]);
});

test('[remotes.NAME] replaces settings of the project with this ref', () => {
  const table = {
    auth: { site_url: 'http://localhost:3000', jwt_expiry: 60 },
    remotes: {
      live: { project_id: 'a'.repeat(20), auth: { site_url: 'https://app.example' }, api: { max_rows: 5 } },
      other: { project_id: 'b'.repeat(20), auth: { site_url: 'https://other.example' } },
    },
  };
  expect(pushedSettings('config.toml', forProject(table, 'a'.repeat(20))).changes).toEqual([
    { path: ['api', 'max_rows'], value: 5 },
    { path: ['auth', 'site_url'], value: 'https://app.example' },
    { path: ['auth', 'jwt_expiry'], value: 60 },
  ]);
  expect(pushedSettings('config.toml', forProject(table, 'c'.repeat(20)))).toEqual({
    changes: [{ path: ['auth', 'jwt_expiry'], value: 60 }],
    templates: [],
    skipped: ['auth.site_url'],
  });
});
