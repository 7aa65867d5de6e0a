import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ConnectionStringError } from '../errors.ts';
import { parseConnectionString } from './connection-string.ts';

test.each([
  [
    'postgresql://postgres:secret@127.0.0.1:54322/app',
    {
      host: '127.0.0.1',
      port: 54322,
      user: 'postgres',
      password: 'secret',
      database: 'app',
      sslMode: 'prefer',
    },
  ],
  ['postgres://me@db.example/', { host: 'db.example', port: 5432, user: 'me', database: 'me' }],
  ['postgresql://', { host: 'localhost', port: 5432, user: 'postgres', database: 'postgres' }],
  [
    'postgresql://u:p%40ss%2Fword@[::1]:6000/d',
    { host: '::1', port: 6000, password: 'p@ss/word', database: 'd' },
  ],
  ['postgresql://u:p@ss@h/d', { host: 'h', user: 'u', password: 'p@ss' }],
  [
    'postgresql:///d?host=/run/postgresql&port=5433&user=u',
    { host: '/run/postgresql', port: 5433, user: 'u' },
  ],
  ['postgresql://%2Frun%2Fpg/d', { host: '/run/pg', database: 'd' }],
  [
    'postgresql://h/d?sslmode=verify-full&sslrootcert=/ca.pem',
    { sslMode: 'verify-full', sslRootCert: '/ca.pem' },
  ],
  ['postgresql://h/d?sslmode=allow', { sslMode: 'prefer' }],
  ['postgresql://h/d?connect_timeout=3&options=-c%20a%3Db', { connectTimeoutMs: 3000, options: '-c a=b' }],
  [
    "host=/tmp port=1 user='a b' password='it\\'s' dbname=d",
    { host: '/tmp', port: 1, user: 'a b', password: "it's" },
  ],
  [
    'postgresql://u@one,two:5433,[::1]:5434/d?target_session_attrs=read-write',
    {
      host: 'one',
      port: 5432,
      otherHosts: [
        { host: 'two', port: 5433 },
        { host: '::1', port: 5434 },
      ],
      sessionKind: 'read-write',
    },
  ],
  ['host=a,b port=6000', { host: 'a', port: 6000, otherHosts: [{ host: 'b', port: 6000 }] }],
  [
    'host=a,,/run port=,1,2',
    {
      port: 5432,
      otherHosts: [
        { host: 'localhost', port: 1 },
        { host: '/run', port: 2 },
      ],
    },
  ],
  ['postgresql://,b/d', { host: 'localhost', otherHosts: [{ host: 'b', port: 5432 }] }],
  ['host=db.example hostaddr=10.0.0.1', { host: 'db.example', address: '10.0.0.1' }],
  ['hostaddr=10.0.0.1', { host: '10.0.0.1', address: '10.0.0.1' }],
  ['postgresql://h/d', { otherHosts: undefined, sessionKind: 'any', passwordFile: undefined }],
  [
    'postgresql://h/d?sslcert=/c.pem&sslkey=/k.pem&sslpassword=x&passfile=/p',
    { sslCert: '/c.pem', sslKey: '/k.pem', sslPassword: 'x', passwordFile: '/p' },
  ],
  ['postgresql://h/d?ssl=true', { sslMode: 'require' }],
  [
    'postgresql://h/d?keepalives=1&channel_binding=prefer&fallback_application_name=x',
    { applicationName: 'x' },
  ],
  ['postgresql://h/d?sslrootcert=system', { sslMode: 'verify-full', sslRootCert: 'system' }],
])('parses %s', (text, expected) => {
  expect(parseConnectionString(text)).toMatchObject(expected);
});

test.each([
  'postgresql://h:0/d',
  'postgresql://h:99999/d',
  'postgresql://h:x/d',
  'postgresql://a,b:x/d',
  'host=a,b port=1,2,3',
  'host=a,b hostaddr=10.0.0.1',
  'postgresql://h/d?target_session_attrs=maybe',
  'postgresql://h/d?sslmode=maybe',
  'postgresql://h/d?sslmode=require&sslrootcert=system',
  'postgresql://h/d?sslcert=/c.pem',
  'postgresql://h/%zz',
  'mysql://h/d',
  'postgresql://h/d?pgbouncer=true',
  'host=h schema=public',
  'host=h ssl=true',
  'postgresql://h/d?channel_binding=require',
  'host=h require_auth=scram-sha-256',
  'nonsense',
])('%s is rejected', (text) => {
  expect(() => parseConnectionString(text)).toThrow(ConnectionStringError);
});

test('the error for an unknown parameter contains its name', () => {
  expect(() => parseConnectionString('postgresql://h/d?pgbouncer=true')).toThrow(
    /unknown parameter: pgbouncer$/,
  );
});

test('an address in the connection string overrides the host name from the environment', () => {
  expect(parseConnectionString('hostaddr=10.0.0.1', { host: 'db.example' })).toMatchObject({
    host: '10.0.0.1',
  });
});

test('names, passwords and databases with any characters are parsed unchanged', () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1 });
  fc.assert(
    fc.property(text, text, text, (user, password, database) => {
      const url = `postgresql://${[user, password].map(encodeURIComponent).join(':')}@h/${encodeURIComponent(database)}`;
      expect(parseConnectionString(url)).toMatchObject({ user, password, database });
    }),
  );
});

test('any text is parsed as a target or causes a ConnectionStringError', () => {
  const anything = fc.oneof(
    fc.string(),
    fc.string().map((rest) => `postgresql://${rest}`),
  );
  fc.assert(
    fc.property(anything, (text) => {
      try {
        expect(parseConnectionString(text).port).toBeGreaterThan(0);
      } catch (error) {
        expect(error).toBeInstanceOf(ConnectionStringError);
      }
    }),
  );
});
