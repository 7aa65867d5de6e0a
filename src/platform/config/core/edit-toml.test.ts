import fc from 'fast-check';
import { getStaticTOMLValue, parseTOML } from 'toml-eslint-parser';
import { expect, test } from 'vitest';
import { setToml, type TomlValue } from './edit-toml.ts';

const parsed = (text: string): Record<string, unknown> =>
  getStaticTOMLValue(parseTOML(text, { tomlVersion: '1.0' })) as Record<string, unknown>;

const file = `# Ours
project_id = "demo" # the name

[api]
# Keep this comment.
port = 54321   # and this
schemas = ["public", "graphql_public"]

[auth]
enabled = true
email.enable_signup = true

[auth.external]
github = { enabled = true, client_id = "abc" }
`;

test.each<[string, string[], TomlValue | undefined, string, string]>([
  [
    'a value keeps its comment',
    ['api', 'port'],
    8000,
    'port = 54321   # and this',
    'port = 8000   # and this',
  ],
  ['a list', ['api', 'schemas'], ['public'], '["public", "graphql_public"]', '["public"]'],
  [
    'a dotted key',
    ['auth', 'email', 'enable_signup'],
    false,
    'email.enable_signup = true',
    'email.enable_signup = false',
  ],
  ['within an inline table', ['auth', 'external', 'github', 'client_id'], 'x', '"abc"', '"x"'],
  ['into an inline table', ['auth', 'external', 'github', 'skip'], true, '"abc" }', '"abc", skip = true }'],
  ['a new key of a table', ['api', 'max_rows'], 5, '"graphql_public"]', '"graphql_public"]\nmax_rows = 5'],
  ['at the top', ['site'], 'x', '"demo" # the name', '"demo"\nsite = "x" # the name'],
  ['removed with its line', ['api', 'port'], undefined, 'port = 54321   # and this\n', ''],
  [
    'removed from an inline table',
    ['auth', 'external', 'github', 'client_id'],
    undefined,
    ', client_id = "abc"',
    '',
  ],
])('%s', (...[, path, value, before, after]) => {
  if (path[0] === 'site') {
    expect(parsed(setToml(file, path, value))).toEqual({ ...parsed(file), site: 'x' });
    return;
  }
  expect(setToml(file, path, value)).toBe(file.replace(before, after));
});

test('a new table is added at the end, or at the beginning of an empty file', () => {
  expect(setToml(file, ['storage', 'enabled'], true)).toBe(`${file}\n[storage]\nenabled = true\n`);
  expect(setToml('', ['a b', 'c'], 'd')).toBe('["a b"]\nc = "d"\n');
  expect(setToml(file, ['nothing', 'here'], undefined)).toBe(file);
});

test('a byte order mark remains at the beginning', () => {
  expect(setToml('\uFEFF[api]\nport = 1', ['api', 'port'], 2)).toBe('\uFEFF[api]\nport = 2');
  expect(setToml('\uFEFF[api]', ['site'], 'x')).toBe('\uFEFFsite = "x"\n\n[api]');
});

test('a path through a value is rejected', () => {
  expect(() => setToml(file, ['api', 'port', 'x'], 1)).toThrow("isn't a table");
});

test('a written value is read back, and nothing else changes', () => {
  const name = fc.stringMatching(/^[a-z]{1,6}$/);
  const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.array(fc.string(), { maxLength: 3 }));
  fc.assert(
    fc.property(fc.array(fc.tuple(name, name, value), { maxLength: 8 }), (changes) => {
      let text = file;
      const expected = structuredClone(parsed(file)) as Record<string, Record<string, unknown>>;
      for (const [table, key, given] of changes) {
        const inside = `t${table}`;
        text = setToml(text, [inside, key], given);
        expected[inside] = { ...expected[inside], [key]: given };
      }
      expect(parsed(text)).toEqual(expected);
      expect(text.startsWith(file.trimEnd())).toBe(true);
    }),
  );
});
