import { expect, test } from 'vitest';
import { configFrom } from '../load.ts';
import type { Fields, Node } from '../schema/define.ts';
import { plinthSchema, projectSchema } from '../schema/index.ts';
import { compareConfigs, effectOf } from './changes.ts';

test('only settings that can change are applied', () => {
  const before = configFrom({ api: { max_rows: 5 }, auth: { enable_signup: true } });
  const after = configFrom({
    api: { max_rows: 6, port: 1234 },
    auth: { enable_signup: false, additional_redirect_urls: ['https://a.example'] },
    plinth: { log: { level: 'debug' }, server: { host: '::1' } },
  });
  const { config, live, pending } = compareConfigs(before, after);
  expect([...live].sort()).toEqual([
    'api.max_rows',
    'auth.additional_redirect_urls',
    'auth.enable_signup',
    'plinth.log.level',
  ]);
  expect(pending).toEqual([
    { key: 'api.port', reason: 'ports are opened at startup' },
    { key: 'plinth.server.host', reason: 'ports are opened at startup' },
  ]);
  expect(config.auth.enable_signup).toBe(false);
  expect(config.plinth.log.level).toBe('debug');
  expect(config.api).toEqual({ ...before.api, max_rows: 6 });
  expect(config.plinth.server.host).toBe('127.0.0.1');
});

test('equal configurations have no changes', () => {
  const { config, live, pending } = compareConfigs(configFrom({}), configFrom({}));
  expect([live, pending]).toEqual([[], []]);
  expect(config).toEqual(configFrom({}));
});

test('user-defined names are added and removed', () => {
  const one = configFrom({ auth: { sms: { test_otp: { '4915112345678': '123456' } } } });
  const added = compareConfigs(configFrom({}), one);
  expect(added.live).toEqual(['auth.sms.test_otp.4915112345678']);
  expect(added.config.auth.sms.test_otp).toEqual({ '4915112345678': '123456' });
  const removed = compareConfigs(one, configFrom({}));
  expect(removed.config.auth.sms.test_otp).toStrictEqual({});
});

/** Returns the paths of all maps in the schema, with `name` for the names of outer maps. */
function mapsOf(node: Node, path: readonly string[] = []): string[][] {
  if (node.kind === 'section')
    return Object.entries(node.fields).flatMap(([key, one]) => mapsOf(one as Node, [...path, key]));
  return node.kind === 'names' ? [[...path], ...mapsOf(node.value, [...path, 'name'])] : [];
}

interface Branch {
  [key: string]: Branch | string;
}

/** Returns the map at this path, and creates it if it doesn't exist. */
function mapAt(config: Branch, path: readonly string[]): Branch {
  let branch = config;
  for (const key of path) {
    branch[key] ??= {};
    branch = branch[key] as Branch;
  }
  return branch;
}

const maps = [...mapsOf(projectSchema), ...mapsOf(plinthSchema).map((path) => ['plinth', ...path])];

test.each(maps.map((path) => [path.join('.'), path] as const))(
  'a name that is removed from %s isn’t in the running configuration anymore',
  (_key, path) => {
    const empty = configFrom({});
    const named = structuredClone(empty) as unknown as Branch;
    mapAt(named, path).added = 'x';
    const { config, pending } = compareConfigs(named as never, empty);
    const names = Object.keys(mapAt(config as unknown as Branch, path));
    if (pending.length === 0) expect(names).toEqual(Object.keys(mapAt(empty as unknown as Branch, path)));
    else expect(names).toContain('added');
  },
);

test('settings without an effect are replaced but not listed', () => {
  const after = configFrom({ analytics: { port: 1234 } });
  const { config, live, pending } = compareConfigs(configFrom({}), after);
  expect([live, pending]).toEqual([[], []]);
  expect(config.analytics.port).toBe(1234);
});

/** Returns the paths of all settings. In a path, `NAME` stands for any user-chosen name. */
function pathsIn(node: Node, path: readonly string[]): string[][] {
  if (node.kind === 'setting') return [[...path]];
  if (node.kind === 'names') return pathsIn(node.value, [...path, 'NAME']);
  return Object.entries(node.fields as Fields).flatMap(([key, inner]) => pathsIn(inner, [...path, key]));
}

const paths = [...pathsIn(projectSchema, []), ...pathsIn(plinthSchema, ['plinth'])];

test.each(paths.map((path) => [path.join('.'), path] as const))(
  '%s states when a change takes effect',
  (_key, path) => {
    const effect = effectOf(path);
    expect(effect).toBeDefined();
    // The reason for a restart must be usable as the end of a sentence.
    if (typeof effect === 'object') expect(effect.restart).toMatch(/^\S.*[^.\s]$/);
  },
);

test('settings with dots in their names, tables with custom names and unknown keys', () => {
  expect(effectOf(['storage', 'buckets', 'a.b', 'public'])).toBe('live');
  expect(effectOf(['functions', 'hello'])).toBe('live');
  expect(effectOf(['api', 'port'])).toEqual({ restart: 'ports are opened at startup' });
  expect(effectOf(['analytics', 'port'])).toBe('never');
  expect(effectOf(['api', 'prt'])).toBeUndefined();
  expect(effectOf(['api', 'constructor'])).toBeUndefined();
});
