import { describe, expect, it } from 'vitest';
import { isLoopback, rejectExposure } from './addresses.ts';

describe('allowed listen addresses', () => {
  it.each(['127.0.0.1', '127.5.6.7', '::1', 'localhost'])('%s is the local machine', (host) => {
    expect(isLoopback(host)).toBe(true);
    expect(() => rejectExposure(host, 'development', ['auth.jwt_secret'])).not.toThrow();
    expect(() => rejectExposure(host, 'production', ['auth.jwt_secret'])).toThrow(/auth.jwt_secret/);
    expect(() => rejectExposure(host, 'production', [])).not.toThrow();
  });

  it.each(['0.0.0.0', '::', '192.168.1.5', 'example.com', '127.0.0.1.example.com', '1270.0.1'])(
    '%s isn’t the local machine',
    (host) => {
      expect(isLoopback(host)).toBe(false);
      expect(() => rejectExposure(host, 'development', [])).toThrow(/plinth serve/);
      expect(() => rejectExposure(host, 'production', ['auth.jwt_secret'])).toThrow(/auth.jwt_secret/);
      expect(() => rejectExposure(host, 'production', [])).not.toThrow();
    },
  );
});
