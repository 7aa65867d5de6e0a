import { expect, test } from 'vitest';
import { withoutPassword } from './low-level.ts';

test.each([
  ['host=db password=secret dbname=x', 'host=db  dbname=x'],
  [String.raw`password = 'it\'s secret' host=db`, 'host=db'],
  [String.raw`host=db password=a\ secret`, 'host=db'],
  ['host=db sslpassword=secret', 'host=db'],
  ['postgresql://user:secret@db:5432/x?sslmode=require', 'postgresql://user@db:5432/x?sslmode=require'],
  ['postgres://db/x?password=secret&sslmode=require', 'postgres://db/x?sslmode=require'],
  ['postgres://db/x?sslmode=require&password=secret', 'postgres://db/x?sslmode=require'],
])('%s contains no password after redaction', (text, expected) => {
  expect(withoutPassword(text)).toBe(expected);
  expect(withoutPassword(text)).not.toContain('secret');
});
