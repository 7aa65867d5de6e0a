/**
 * Adds Plinth's entries to the JSON files of editors and AI agents. Comments, the indentation and all values that a file
 * already has remain. Has no side effects.
 */
import { createRequire } from 'node:module';
import type * as JsoncParser from 'jsonc-parser';

const require = createRequire(import.meta.url);

type JsonObject = Readonly<Record<string, unknown>>;

interface Edit {
  readonly path: JsoncParser.JSONPath;
  readonly value: unknown;
}

export interface SettingsFile {
  /** The path in the project folder, with slashes. */
  readonly path: string;
  /** Returns the missing entries. Throws if an entry's place contains a value of another type. */
  readonly missing: (settings: JsonObject) => readonly Edit[];
}

/** `--no` prevents npm from downloading another package if Plinth isn't installed. */
const mcpServer = { command: 'npx', args: ['--no', 'plinth', 'mcp'] };
const functionsFolder = 'supabase/functions';
const denoExtension = 'denoland.vscode-deno';

export const settingsFiles: readonly SettingsFile[] = [
  { path: '.mcp.json', missing: (settings) => serverEntry(settings, 'mcpServers', mcpServer) },
  { path: '.cursor/mcp.json', missing: (settings) => serverEntry(settings, 'mcpServers', mcpServer) },
  {
    path: '.vscode/mcp.json',
    missing: (settings) => serverEntry(settings, 'servers', { type: 'stdio', ...mcpServer }),
  },
  { path: '.vscode/settings.json', missing: denoSettings },
  { path: '.vscode/extensions.json', missing: extensionEntry },
];

/** jsonc-parser lets a member named `__proto__` replace the object's prototype, so only own members count. */
const member = (object: JsonObject, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined;

function serverEntry(settings: JsonObject, group: string, entry: object): readonly Edit[] {
  const servers = member(settings, group) ?? {};
  if (!isObject(servers)) throw new TypeError(`${group} isn't an object`);
  return Object.hasOwn(servers, 'plinth') ? [] : [{ path: [group, 'plinth'], value: entry }];
}

/**
 * Limits the Deno extension to the functions, because the app's own files use another runtime. A workspace in which
 * Deno is on for all files stays as it is.
 */
function denoSettings(settings: JsonObject): readonly Edit[] {
  const key = 'deno.enablePaths';
  const paths = member(settings, key);
  if (paths === undefined)
    return member(settings, 'deno.enable') === true ? [] : [{ path: [key], value: [functionsFolder] }];
  return appended(key, paths, (path) => path.replace(/^\.\/|\/+$/g, '') === functionsFolder, functionsFolder);
}

function extensionEntry(settings: JsonObject): readonly Edit[] {
  const isDeno = (name: string) => name.toLowerCase() === denoExtension;
  const recommendations = member(settings, 'recommendations');
  const unwanted = member(settings, 'unwantedRecommendations') ?? [];
  if (listOf('unwantedRecommendations', unwanted).some(isDeno)) return [];
  if (recommendations === undefined) return [{ path: ['recommendations'], value: [denoExtension] }];
  return appended('recommendations', recommendations, isDeno, denoExtension);
}

/** Returns an edit that appends the value to the list, unless the list already has an equal value. */
function appended(
  key: string,
  list: unknown,
  isEqual: (entry: string) => boolean,
  value: string,
): readonly Edit[] {
  // jsonc-parser appends to a list at index -1.
  return listOf(key, list).some(isEqual) ? [] : [{ path: [key, -1], value }];
}

function listOf(key: string, list: unknown): readonly string[] {
  if (!Array.isArray(list)) throw new TypeError(`${key} isn't a list`);
  return list.filter((entry) => typeof entry === 'string');
}

/**
 * Returns the file's text with the missing entries, or undefined if nothing is missing.
 *
 * @param text the file's current text, or undefined if the file doesn't exist
 * @throws {SyntaxError | TypeError} if the text isn't JSON with comments, or contains a value of another type
 */
export function mergedSettings({ missing }: SettingsFile, text: string | undefined): string | undefined {
  const { applyEdits, modify, parse, printParseErrorCode } = require('jsonc-parser') as typeof JsoncParser;
  const mark = text?.startsWith('\uFEFF') ? '\uFEFF' : '';
  const before = text === undefined || text.trim() === '' ? '{}\n' : text.slice(mark.length);
  const errors: JsoncParser.ParseError[] = [];
  const settings: unknown = parse(before, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) throw new SyntaxError(printParseErrorCode(error.error));
  if (!isObject(settings)) throw new TypeError('the file does not contain an object');
  const edits = missing(settings);
  if (edits.length === 0) return undefined;
  const indentation = /^(\t| +)\S/m.exec(before)?.[1] ?? '  ';
  const after = edits.reduce(
    (current, { path, value }) =>
      applyEdits(
        current,
        modify(current, [...path], value, {
          isArrayInsertion: path.at(-1) === -1,
          formattingOptions: {
            insertSpaces: indentation !== '\t',
            tabSize: indentation === '\t' ? 1 : indentation.length,
            eol: before.includes('\r\n') ? '\r\n' : '\n',
          },
        }),
      ),
    before,
  );
  return mark + after;
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
