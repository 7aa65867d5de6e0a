import { describe, expect, test } from 'vitest';
import { DeployError } from '../errors.ts';
import { checkSecret } from './secret-rules.ts';

test.each([
  ['API_KEY', 'x'],
  ['_a1', ''],
  ['supabase_url', 'x'],
  ['LONG', 'x'.repeat(24 * 1024)],
  ['LINES', 'a\nb="c"'],
  ['ENV', 'production'],
  ['NODE_ENV', 'production'],
  ['HOME_URL', 'x'],
  ['DENO_AUTH_TOKENS', 'x@npm.example'],
])('allows %s', (name, value) => expect(() => checkSecret({ name, value })).not.toThrow());

describe('rejects a secret', () => {
  test.each([
    ['', 'x', 'consist of letters'],
    ['1A', 'x', 'consist of letters'],
    ['A-B', 'x', 'consist of letters'],
    ['A=B', 'x', 'consist of letters'],
    ['A\n', 'x', 'consist of letters'],
    ['A'.repeat(257), 'x', 'consist of letters'],
    ['SUPABASE_URL', 'x', 'SUPABASE_ prefix'],
    ['LD_PRELOAD', '/tmp/x.so', 'started'],
    ['DYLD_INSERT_LIBRARIES', '/tmp/x.so', 'started'],
    ['NODE_OPTIONS', '--require x', 'started'],
    ['DENO_DIR', '/tmp', 'started'],
    ['DENO_V8_FLAGS', '--expose-gc', 'started'],
    ['deno_dir', '/tmp', 'started'],
    ['BASH_ENV', '/tmp/x', 'started'],
    ['HOME', '/home/ada', 'started'],
    ['PATH', '/tmp', 'started'],
    ['BIG', 'x'.repeat(24 * 1024 + 1), '24 KiB'],
    ['NUL', 'a\0b', 'null character'],
  ])('%s', (name, value, reason) => {
    const error = (() => {
      try {
        checkSecret({ name, value });
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toBeInstanceOf(DeployError);
    expect([(error as DeployError).status, (error as Error).message]).toEqual([
      400,
      expect.stringContaining(reason),
    ]);
  });
});
