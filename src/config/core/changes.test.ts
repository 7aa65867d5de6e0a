import { expect, test } from 'vitest';
import { configFrom } from '../load.ts';
import { compareConfigs } from './changes.ts';

test('only settings that can change are applied', () => {
  const before = configFrom({ api: { max_rows: 5 }, auth: { enable_signup: true } });
  const after = configFrom({
    api: { max_rows: 6, port: 1234 },
    auth: { enable_signup: false, additional_redirect_urls: ['https://a.example'] },
    plinth: { log: { level: 'debug' }, server: { host: '::1' } },
  });
  const { config, live, pending } = compareConfigs(before, after);
  expect([...live].sort()).toEqual([
    'api.max_rows',
    'auth.additional_redirect_urls',
    'auth.enable_signup',
    'plinth.log.level',
  ]);
  expect(pending).toEqual([
    { key: 'api.port', reason: 'ports are opened at startup' },
    { key: 'plinth.server.host', reason: 'ports are opened at startup' },
  ]);
  expect(config.auth.enable_signup).toBe(false);
  expect(config.plinth.log.level).toBe('debug');
  expect(config.api).toEqual({ ...before.api, max_rows: 6 });
  expect(config.plinth.server.host).toBe('127.0.0.1');
});

test('equal configurations have no changes', () => {
  const { config, live, pending } = compareConfigs(configFrom({}), configFrom({}));
  expect([live, pending]).toEqual([[], []]);
  expect(config).toEqual(configFrom({}));
});

test('user-defined names are added and removed', () => {
  const one = configFrom({ auth: { sms: { test_otp: { '4915112345678': '123456' } } } });
  const added = compareConfigs(configFrom({}), one);
  expect(added.live).toEqual(['auth.sms.test_otp.4915112345678']);
  expect(added.config.auth.sms.test_otp).toEqual({ '4915112345678': '123456' });
  const removed = compareConfigs(one, configFrom({}));
  expect(removed.config.auth.sms.test_otp['4915112345678']).toBeUndefined();
});

test('settings without an effect are replaced but not listed', () => {
  const after = configFrom({ analytics: { port: 1234 } });
  const { config, live, pending } = compareConfigs(configFrom({}), after);
  expect([live, pending]).toEqual([[], []]);
  expect(config.analytics.port).toBe(1234);
});
