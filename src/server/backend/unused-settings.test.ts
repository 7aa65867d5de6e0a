import { expect, test } from 'vitest';
import { configFrom } from '../../platform/config/index.ts';
import { unusedSettings } from './unused-settings.ts';

const keysOf = (plinth: Parameters<typeof configFrom>[0]['plinth'], databaseUrl?: string) => {
  const { faults, warnings } = unusedSettings(configFrom({ plinth: plinth ?? {} }), databaseUrl);
  return { faults: faults.map(({ key }) => key), warnings: warnings.map(({ key }) => key) };
};
const url = 'postgresql://app@db.internal/app';

test('settings for an external database need one', () => {
  const database = { replica_urls: 'postgresql://replica.internal', direct_url: url };
  expect(keysOf({ database })).toEqual({
    faults: ['database.replica_urls', 'database.direct_url'],
    warnings: [],
  });
  expect(keysOf({ database }, url)).toEqual({ faults: [], warnings: [] });
});

test('settings for the embedded database need it', () => {
  const plinth = {
    backup: { to: '/backups', encryption_key: '0'.repeat(64) },
    database: { replication: true, jwt_secret_setting: true },
  };
  expect(keysOf(plinth)).toEqual({ faults: [], warnings: [] });
  expect(keysOf(plinth, url)).toEqual({
    faults: ['backup.to'],
    warnings: ['database.replication', 'database.jwt_secret_setting'],
  });
});

test('the defaults have no unused settings', () => {
  expect(keysOf({})).toEqual({ faults: [], warnings: [] });
  expect(keysOf({}, url)).toEqual({ faults: [], warnings: [] });
});
