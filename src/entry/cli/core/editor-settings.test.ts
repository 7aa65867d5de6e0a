import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { describe, expect, test } from 'vitest';
import { mergedSettings, type SettingsFile, settingsFiles } from './editor-settings.ts';

const fileOf = (path: string): SettingsFile => {
  const file = settingsFiles.find((each) => each.path === path);
  if (file === undefined) throw new Error(path);
  return file;
};
const merge = (path: string, text?: string) => mergedSettings(fileOf(path), text);

test.each(settingsFiles.map((file) => [file.path, file] as const))('%s is created', (_path, file) => {
  const text = mergedSettings(file, undefined) ?? '';
  expect(Object.keys(JSON.parse(text))).toHaveLength(1);
  expect(mergedSettings(file, '')).toBe(text);
  expect(mergedSettings(file, text)).toBeUndefined();
});

describe('an existing file', () => {
  test('keeps its comments, indentation and entries', () => {
    const text =
      '// My settings\r\n{\r\n\t"editor.tabSize": 3, // wide\r\n\t"deno.enablePaths": ["cli"],\r\n}\r\n';
    expect(merge('.vscode/settings.json', text)).toBe(
      text.replace('["cli"]', '[\r\n\t\t"cli",\r\n\t\t"supabase/functions"\r\n\t]'),
    );
    const servers = '{\n    "mcpServers": {\n        "other": { "command": "other" }\n    }\n}\n';
    expect(merge('.mcp.json', servers)).toMatch(
      /^\{\n {4}"mcpServers": \{\n {8}"other": \{\n {12}"command": "other"\n {8}\},/,
    );
  });

  test.each([
    ['.mcp.json', '{ "mcpServers": { "plinth": { "command": "mine" } } }'],
    ['.vscode/settings.json', '{ "deno.enablePaths": ["./supabase/functions/"] }'],
    ['.vscode/settings.json', '{ "deno.enable": true }'],
    ['.vscode/extensions.json', '{ "recommendations": ["DenoLand.vscode-deno"] }'],
    ['.vscode/extensions.json', '{ "unwantedRecommendations": ["denoland.vscode-deno"] }'],
  ])('%s stays as it is with %s', (path, text) => {
    expect(merge(path, text)).toBeUndefined();
  });

  test.each([
    ['.mcp.json', '{ "mcpServers": [] }', "mcpServers isn't an object"],
    ['.mcp.json', '[]', 'does not contain an object'],
    ['.vscode/settings.json', '{ "deno.enablePaths": "supabase/functions" }', "isn't a list"],
    ['.vscode/settings.json', '{ "a": 1', 'CloseBraceExpected'],
    ['.vscode/extensions.json', '{ "recommendations": {} }', "isn't a list"],
  ])('%s with %s is rejected', (path, text, message) => {
    expect(() => merge(path, text)).toThrow(message);
  });

  test('keeps a byte order mark', () => {
    expect(merge('.mcp.json', '\uFEFF{}')).toMatch(/^\uFEFF\{\n? *"mcpServers"/);
  });
});

test.each(settingsFiles)('entries of a prototype don’t count in $path', (file) => {
  const inherited = JSON.stringify(JSON.parse(mergedSettings(file, undefined) ?? ''));
  const merged = mergedSettings(file, `{ "__proto__": ${inherited} }`) ?? '';
  expect(mergedSettings(file, merged)).toBeUndefined();
  expect(merged.length).toBeGreaterThan(inherited.length + 30);
});

// The test compares objects, so a key must not replace the prototype.
const key = fc.string().filter((name) => name !== '__proto__');

test('every object is either extended completely or rejected', () => {
  fc.assert(
    fc.property(fc.constantFrom(...settingsFiles), fc.object({ key }), (file, settings) => {
      const text = JSON.stringify(settings, undefined, 1);
      const merged = mergedSettings(file, text) ?? text;
      expect(mergedSettings(file, merged)).toBeUndefined();
      expect(parse(merged)).toMatchObject(JSON.parse(text));
    }),
  );
});
