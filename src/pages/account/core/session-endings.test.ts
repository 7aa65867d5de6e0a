import { expect, test } from 'vitest';
import { AuthRejection } from '../../../base/shared/errors.ts';
import { limitOf, parseEnding } from './session-endings.ts';

test('each session limit has its own reason', () => {
  const reason = (msg: string, error_code = 'session_expired') =>
    limitOf(new AuthRejection(400, { error_code, msg }));
  expect(reason('Invalid Refresh Token: Session Expired (Inactivity)')).toBe('inactive');
  expect(reason('Invalid Refresh Token: Session Expired (Revoked by Newer Login)')).toBe('replaced');
  expect(reason('Invalid Refresh Token: Session Expired')).toBe('expired');
  expect(reason('Session not found', 'session_not_found')).toBeUndefined();
});

test('an unknown reason isn’t shown', () => {
  expect(parseEnding('password_changed')).toBe('password_changed');
  expect(parseEnding('constructor')).toBeUndefined();
  expect(parseEnding(undefined)).toBeUndefined();
});
