import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseConnectionString } from './connection-string.ts';
import { printConnectionUri } from './print-connection-uri.ts';

test.each([
  'postgresql://admin:secret@db.example:5433/app?sslmode=require',
  'postgres://admin@db.example:5433/app?user=root&password=x&sslmode=require',
  'postgresql://db.example:5433/app?sslmode=require',
  "host=db.example port=5433 dbname=app user=admin password='a b' sslmode=require",
])('%s for another account has the same target', (text) => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (user, password) => {
      fc.pre(!`${user}${password}`.includes('\0') && `${user}${password}`.isWellFormed());
      const changed = printConnectionUri({ ...parseConnectionString(text), user, password });
      expect(changed).not.toContain('secret');
      expect(parseConnectionString(changed)).toMatchObject({
        user,
        password,
        host: 'db.example',
        port: 5433,
        database: 'app',
        sslMode: 'require',
      });
    }),
  );
});

test.each([
  'postgresql://u:p%40%2F@one,[::1]:5433,three:1/d?target_session_attrs=primary&sslmode=disable',
  'host=/run/postgresql,db.example port=1,2 user=u passfile=/p options=-csearch_path=a application_name=x',
  'host=db.example hostaddr=::1 user=u dbname=d sslmode=verify-full sslrootcert=/ca sslcert=/c sslkey=/k connect_timeout=3',
])('keeps all parts of %s', (text) => {
  const target = parseConnectionString(text);
  expect(parseConnectionString(printConnectionUri(target))).toEqual(target);
});
