import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findPassword, readPassword, readPrivate } from './private-files.ts';

const expected = { host: 'db.example', port: 5432, database: 'app', user: 'me' };

test.each([
  ['db.example:5432:app:me:secret', 'secret'],
  ['*:*:*:*:any', 'any'],
  ['db.example:5433:app:me:other\n*:*:app:*:second\n*:*:*:*:third', 'second'],
  ['# db.example:5432:app:me:comment\ndb.example:5432:app:me:real', 'real'],
  ['db.example:5432:app:me:a\\:b\\\\c:d', 'a:b\\c:d'],
  ['db.example:5432:app:me:with space \r\n', 'with space '],
  ['db.example:5432:app:me:', ''],
  ['\\*:5432:app:me:star', undefined],
  ['db.example:5432:app:me', undefined],
  ['', undefined],
])('%j', (text, password) => {
  expect(findPassword(text, expected)).toBe(password);
});

test('a default socket folder counts as localhost, another folder doesn’t', () => {
  const at = (host: string) => findPassword('localhost:5432:app:me:local', { ...expected, host });
  expect([at('/var/run/postgresql'), at('/tmp'), at('/srv/sockets'), at('127.0.0.1')]).toEqual([
    'local',
    'local',
    undefined,
    undefined,
  ]);
});

test('any names match their password entry when they are escaped', () => {
  const text = fc.string({ unit: 'grapheme-ascii' });
  const escaped = (value: string) => value.replace(/[\\:]/g, '\\$&');
  fc.assert(
    fc.property(text, text, text, (database, user, password) => {
      // The format of the password file can't represent a name that consists of a single asterisk.
      const line = `db.example:5432:${escaped(database)}:${escaped(user)}:${escaped(password)}`;
      expect(findPassword(line, { ...expected, database, user })).toBe(password);
    }),
  );
});

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plinth-private-'));
});
afterAll(() => rm(folder, { recursive: true }));

test('a password file that other users can read is ignored, and a missing file contains no password', async () => {
  const file = join(folder, 'pgpass');
  await writeFile(file, '*:*:*:*:secret\n', { mode: 0o600 });
  expect(await readPassword(file, expected)).toBe('secret');
  await chmod(file, 0o644);
  await expect(readPassword(file, expected)).rejects.toThrow(/chmod 600/);
  expect(await readPassword(join(folder, 'none'), expected)).toBe(undefined);
  await expect(readPrivate(join(folder, 'none'))).rejects.toMatchObject({ code: 'ENOENT' });
});
