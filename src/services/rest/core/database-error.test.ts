import { describe, expect, test } from 'vitest';
import { databaseError } from './database-error.ts';

const lost = (code: string, message = 'gone') =>
  Object.assign(new Error(message), { name: 'ConnectionError', code, severity: 'FATAL', untouched: false });
const failed = (code: string, message = 'failed') =>
  Object.assign(new Error(message), { name: 'PostgresError', code, severity: 'ERROR' });
const response = (error: unknown, isAnonymous = false) => {
  const { status, code, message, details } = databaseError(error, isAnonymous);
  return { status, code, message, details };
};

describe('the connection', () => {
  test.each(['08001', '28P01', '28000', '3D000', '42501', '53300', '55000', '57P03'])(
    '%s is reported as a rejected connection',
    (code) =>
      expect(response(lost(code, 'why'))).toEqual({
        status: 503,
        code: 'PGRST000',
        message: 'Database connection error.',
        details: 'why',
      }),
  );
  test.each(['08006', '57P02', '57P04', '57P05', '25P03', 'XX000'])(
    '%s is reported as a connection lost during a request',
    (code) => expect(response(lost(code))).toMatchObject({ status: 503, code: 'PGRST001', details: 'gone' }),
  );
  test('a connection that an administrator closed is reported with PostgreSQL’s message', () =>
    expect(response(lost('57P01'))).toEqual({ status: 503, code: '57P01', message: 'gone', details: null }));
  test('a timeout is reported if no connection becomes available', () =>
    expect(response(Object.assign(new Error(), { name: 'PoolTimeoutError' }))).toMatchObject({
      status: 504,
      code: 'PGRST003',
    }));
  test('an overload is reported if too many requests are waiting', () =>
    expect(
      databaseError(Object.assign(new Error(), { name: 'PoolFullError', retryAfterSeconds: 2 }), true),
    ).toMatchObject({
      status: 503,
      code: 'PGRSTX05',
      headers: [['Retry-After', '2']],
    }));
});

test.each([
  ['42501', '', 403],
  ['22023', 'role "x" does not exist', 401],
  ['22023', 'invalid value for parameter', 400],
  ['21000', 'UPDATE requires a WHERE clause', 400],
  ['21000', 'more than one row returned', 500],
  ['42883', 'function xmlagg(json) does not exist', 406],
  ['42883', 'operator does not exist', 404],
  ['57014', '', 500],
  ['53100', '', 503],
  ['53400', '', 500],
  ['25006', '', 405],
  ['PT418', 'I am a teapot', 418],
  ['PT999999', '', 500],
  ['99999', '', 400],
])('error %s (%s) has status %i', (code, message, status) =>
  expect(response(failed(code, message)).status).toBe(status),
);

test('an error that isn’t from PostgreSQL isn’t shown to the client', () => {
  for (const fault of [new TypeError('x is undefined'), 'text', undefined]) {
    expect(response(fault)).toEqual({
      status: 500,
      code: 'PGRSTX00',
      message: 'Internal error',
      details: null,
    });
  }
});
