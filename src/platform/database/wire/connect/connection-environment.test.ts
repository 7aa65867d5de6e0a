import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConnectionStringError } from '../errors.ts';
import { connectionOf } from './connection-environment.ts';

let home: string;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'plinth-home-'));
  writeFileSync(
    join(home, '.pg_service.conf'),
    '# services\n[other]\nhost=other\n\n[prod]\n# the primary\nhost=db.example\nport=6000\nuser=app\nsslmode=require\n[last]\nbad line\n',
  );
  mkdirSync(join(home, 'etc'));
  writeFileSync(join(home, 'etc', 'pg_service.conf'), '[system]\nhost=system.example\n');
});
afterAll(() => rmSync(home, { recursive: true }));

test('the connection string overrides the service, and the service overrides the environment', () => {
  const environment = { HOME: home, PGUSER: 'someone', PGPORT: '1', PGDATABASE: 'app', PGPASSWORD: 'p' };
  expect(connectionOf('service=prod port=7000', environment)).toMatchObject({
    host: 'db.example',
    port: 7000,
    user: 'app',
    password: 'p',
    database: 'app',
    sslMode: 'require',
    passwordFile: join(home, '.pgpass'),
  });
});

test.each([
  ['postgresql://?service=other', {}, 'other'],
  ['', { PGSERVICE: 'prod' }, 'db.example'],
  ['service=system', { PGSYSCONFDIR: 'etc' }, 'system.example'],
])('a service from %j %j', (text, environment, host) => {
  const { PGSYSCONFDIR } = environment as { PGSYSCONFDIR?: string };
  const folder = PGSYSCONFDIR === undefined ? undefined : join(home, PGSYSCONFDIR);
  expect(connectionOf(text, { ...environment, HOME: home, PGSYSCONFDIR: folder }).host).toBe(host);
});

test.each(['service=nowhere', 'service=last', 'service=prod color=red'])('%s is rejected', (text) => {
  expect(() => connectionOf(text, { HOME: home })).toThrow(ConnectionStringError);
});
