import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseConnectionString } from '../wire/index.ts';
import { withAccount } from './project-url.ts';

test.each([
  'postgresql://admin:secret@db.example:5433/app?sslmode=require',
  'postgres://admin@db.example:5433/app?user=root&password=x&sslmode=require',
  'postgresql://db.example:5433/app?sslmode=require',
  "host=db.example port=5433 dbname=app user=admin password='a b' sslmode=require",
])('%s for another account is the same place', (url) => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (user, password) => {
      fc.pre(!`${user}${password}`.includes('\0') && `${user}${password}`.isWellFormed());
      const changed = withAccount(url, user, password);
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
