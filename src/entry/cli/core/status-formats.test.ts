import { expect, test } from 'vitest';
import { addressesOf } from './status-formats.ts';

test.each([
  ['postgresql://app:secret@db.example:5432/app', 'postgresql://app@db.example:5432/app'],
  ['postgresql://app@db.example:5432/app', 'postgresql://app@db.example:5432/app'],
  [
    'postgresql://app:s%40cret@one.example:5432,[::1]:5433/app?target_session_attrs=primary',
    'postgresql://app@one.example:5432,[::1]:5433/app?target_session_attrs=primary',
  ],
  ['postgresql:///app?host=%2Frun&user=app&password=secret', 'postgresql:///app?host=%2Frun&user=app'],
  ['postgresql://one.example/app?password=secret', 'postgresql://one.example/app'],
  [
    'postgresql://one.example/app?sslkey=k&sslpassword=secret&sslmode=require',
    'postgresql://one.example/app?sslkey=k&sslmode=require',
  ],
])('the addresses contain %s without its password', (DB_URL, expected) => {
  const API_URL = 'http://127.0.0.1:54321';
  expect(addressesOf({ API_URL, DB_URL, SECRET_KEY: 'sb_secret' })).toEqual({ API_URL, DB_URL: expected });
});
