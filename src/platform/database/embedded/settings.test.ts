import fc from 'fast-check';
import { expect, test } from 'vitest';
import { postgresqlConf, type ServerSettings } from './settings.ts';

const settings: ServerSettings = {
  port: 54322,
  listenAddress: '127.0.0.1',
  socketDir: '/run/x',
  extensionDirs: ['/data/extensions'],
  durable: true,
  diskBytes: 500e9,
  extra: {},
};

/**
 * Reads a configuration file as PostgreSQL does. If a name occurs several times, its last entry applies, and doubled
 * quotes are unescaped.
 */
function read(text: string): Record<string, string> {
  const entries = text
    .trimEnd()
    .split('\n')
    .map((line) => {
      const match = /^([a-z_.A-Z]+) = (?:'((?:[^']|'')*)'|(on|off))$/.exec(line);
      if (match === null) throw new Error(`not a setting: ${line}`);
      return [match[1], match[3] ?? match[2]?.replaceAll(/''|\\\\/g, (pair) => pair[0] as string)];
    });
  return Object.fromEntries(entries);
}

test('a durable server keeps acknowledged commits', () => {
  expect(read(postgresqlConf(settings))).toMatchObject({
    fsync: 'on',
    synchronous_commit: 'on',
    wal_level: 'logical',
    listen_addresses: '127.0.0.1',
    port: '54322',
    extension_control_path: '/data/extensions:$system',
  });
});

test('a temporary server isn’t durable and allows many connections', () => {
  expect(read(postgresqlConf({ ...settings, durable: false, listenAddress: null }))).toMatchObject({
    fsync: 'off',
    max_replication_slots: '64',
    listen_addresses: '',
  });
});

test('the WAL can’t fill a small disk', () => {
  const walOf = (diskBytes: number) => {
    const { max_wal_size, min_wal_size, max_slot_wal_keep_size } = read(
      postgresqlConf({ ...settings, diskBytes }),
    );
    return [max_wal_size, min_wal_size, max_slot_wal_keep_size];
  };
  expect(walOf(500e9)).toEqual(['1024MB', '80MB', '4096MB']);
  expect(walOf(150 * 1024 * 1024)).toEqual(['32MB', '32MB', '64MB']);
  expect(walOf(4 * 1024 ** 3)).toEqual(['409MB', '80MB', '1024MB']);
});

test('any value in config.toml is written as one setting on one line', () => {
  fc.assert(
    fc.property(fc.string(), (value) => {
      const seen = read(postgresqlConf({ ...settings, extra: { work_mem: value } }));
      expect(seen.work_mem).toBe(value.replaceAll(/[\n\r\0]/g, ' '));
      expect(seen.fsync).toBe('on');
    }),
  );
});

test('an invalid setting name is rejected before anything is written', () => {
  expect(() => postgresqlConf({ ...settings, extra: { 'a = 1\nfsync': 'off' } })).toThrow(
    /isn't a setting name/,
  );
});
