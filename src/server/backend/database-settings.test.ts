import { expect, test } from 'vitest';
import { defaultConfig } from '../../platform/config/index.ts';
import type { KeyStore } from '../../platform/keys/index.ts';
import { databaseSettings, memorySettings } from './database-settings.ts';

const mib = 1024 ** 2;

test.each([
  // The columns are the memory in MiB, shared_buffers, work_mem, maintenance_work_mem, logical_decoding_work_mem and
  // max_connections.
  [128, '16MB', '1MB', '16MB', '16MB', 60],
  [256, '16MB', '1MB', '16MB', '16MB', 60],
  [512, '16MB', '1MB', '16MB', '16MB', 64],
  [768, '24MB', '1MB', '24MB', '24MB', 96],
  [1024, '32MB', '2MB', '32MB', '32MB', 100],
  [1536, '48MB', '3MB', '48MB', '48MB', 100],
  [2047, '63MB', '3MB', '63MB', '63MB', 100],
])('in %d MiB', (size, buffers, work, maintenance, decoding, connections) => {
  for (const mode of ['development', 'production'] as const)
    expect(memorySettings(size * mib, mode)).toEqual({
      shared_buffers: buffers,
      work_mem: work,
      maintenance_work_mem: maintenance,
      logical_decoding_work_mem: decoding,
      max_connections: connections,
    });
});

test.each([
  [2048, '64MB'],
  [4096, '128MB'],
  [16_384, '512MB'],
  [262_144, '512MB'],
])('in %d MiB, only production has a larger cache', (size, buffers) => {
  expect(memorySettings(size * mib, 'development')).toEqual({});
  expect(memorySettings(size * mib, 'production')).toEqual({
    shared_buffers: buffers,
    maintenance_work_mem: buffers,
    autovacuum_work_mem: '64MB',
  });
});

test('project settings always take precedence, and workers need more connections', () => {
  const keys = { jwtSecret: 's', wellKnown: [] } as unknown as KeyStore;
  const config = defaultConfig();
  const small = { cores: 1, memoryBytes: 512 * mib };
  const settingsOf = (settings: Partial<typeof config.db.settings>, workers = 1) =>
    databaseSettings(
      { ...config, db: { ...config.db, settings: { ...config.db.settings, ...settings } } },
      keys,
      { mode: 'production', workers, machine: small },
    ).dbSettings;
  expect(settingsOf({})).toMatchObject({ shared_buffers: '16MB', max_connections: 64 });
  expect(settingsOf({}, 2)).toMatchObject({ shared_buffers: '16MB', max_connections: 64 + 3 * 12 });
  expect(settingsOf({ shared_buffers: '128MB', max_connections: 30, work_mem: '8MB' }, 2)).toMatchObject({
    shared_buffers: '128MB',
    max_connections: 30,
    work_mem: '8MB',
    maintenance_work_mem: '16MB',
  });
});
