import { expect, test } from 'vitest';
import { pushedSettings } from './pushed-settings.ts';

test('app settings are pushed, and machine settings are skipped', () => {
  const { changes, skipped } = pushedSettings({
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

test('values of unsupported types are skipped', () => {
  const table = { api: { a: [1], b: [{ c: 1 }], d: new Date(0), e: null }, auth: 'x' };
  expect(pushedSettings(table)).toEqual({
    changes: [{ path: ['auth'], value: 'x' }],
    skipped: ['api.a', 'api.b', 'api.d', 'api.e'],
  });
  expect(pushedSettings({})).toEqual({ changes: [], skipped: [] });
});
