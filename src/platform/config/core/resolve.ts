/**
 * Determines the value of each setting in the schema. The sources, in order of precedence, are flags, the environment,
 * the settings file and defaults. Collects all errors and warnings.
 */
import { join, resolve as resolvePath } from 'node:path';
import type { Fields, Names, Node, Section, Setting, Type } from '../schema/define.ts';
import { globFolder, type NamedFile } from './confine.ts';
import { decryptSecret, encryptedPrefix } from './decrypt.ts';
import { aliasOf } from './names.ts';
import { nearest } from './nearest.ts';
import type { Notice, RawNode, RawTable, SourceLocation } from './tree.ts';
import { type Parsed, parseBoolean, parseScalar } from './values.ts';

export interface Sources {
  /** Values by the setting's dotted key. Flags take precedence over all other sources. */
  readonly flags: Readonly<Record<string, string | number | boolean>>;
  readonly environment: Readonly<Record<string, string>>;
  /** The prefix of environment variables, such as `SUPABASE`. */
  readonly prefix: string;
  readonly supabaseDir: string;
  /** The folder of the saved settings, if there is one. */
  readonly savedDir?: string | undefined;
  /**
   * Whether the file exists. For some settings, this function determines which folder a relative path is resolved
   * against.
   */
  readonly exists: (path: string) => boolean;
  readonly privateKeys: readonly string[];
  /**
   * Whether durations can be numbers, in milliseconds. True for settings that come from code. Durations in files
   * require a unit.
   */
  readonly numbersAreUnits: boolean;
  /**
   * Whether a setting that refers to an unset environment variable counts as unset. False for upstream's settings, which
   * keep the text `env(NAME)` unless they are secrets.
   */
  readonly dropsUnset: boolean;
}

export interface Resolved {
  readonly value: unknown;
  readonly faults: Notice[];
  readonly warnings: Notice[];
  /** The positions of settings and sections, by key. */
  readonly locations: ReadonlyMap<string, SourceLocation>;
  /** The names of unset environment variables that settings refer to with `env(NAME)`, by the setting's key. */
  readonly unset: ReadonlyMap<string, string>;
  /** The files that settings refer to and that must be inside the project folder. */
  readonly files: readonly NamedFile[];
  readonly overrides: Overrides;
  readonly references: References;
}

/** The beginning of a path to a template in the layer of saved settings, such as `saved:recovery.html`. */
export const savedPrefix = 'saved:';

/** Returns the folder of the templates in the layer. */
export const savedTemplates = (savedDir: string): string => join(savedDir, 'templates');

/**
 * The settings whose value refers to an environment variable, by key. The value is the text in the file, such as
 * `env(NAME)`.
 */
export type References = ReadonlyMap<string, string | readonly string[]>;

/**
 * The settings whose value doesn't come from a file, by key. The value is the environment variable's name, or null for
 * a command-line flag.
 */
export type Overrides = ReadonlyMap<string, string | null>;

/**
 * Returns the name of the environment variable for a setting. For example, `environmentName('SUPABASE', ['api',
 * 'port'])` returns `SUPABASE_API_PORT`.
 */
export function environmentName(prefix: string, path: readonly string[]): string {
  return [prefix, ...path]
    .join('_')
    .toUpperCase()
    .replace(/[^A-Z0-9_]/g, '_');
}

export function resolve(schema: Section<Fields>, root: RawTable, sources: Sources): Resolved {
  const walk = new Walk(sources);
  const value = walk.section(schema, { value: root }, [], true);
  return {
    value,
    faults: walk.faults,
    warnings: walk.warnings,
    locations: walk.locations,
    unset: walk.unset,
    files: walk.files,
    overrides: walk.overrides,
    references: walk.references,
  };
}

/** Where a node is in the configuration. */
interface Place {
  readonly path: readonly string[];
  /** Whether all sections around the node are enabled. */
  readonly on: boolean;
  /** The value that replaces the setting's default. */
  readonly fallback: unknown;
}

class Walk {
  readonly faults: Notice[] = [];
  readonly warnings: Notice[] = [];
  readonly locations = new Map<string, SourceLocation>();
  readonly unset = new Map<string, string>();
  readonly files: NamedFile[] = [];
  readonly overrides = new Map<string, string | null>();
  readonly references = new Map<string, string | readonly string[]>();
  /** Aliases for the last part of a key, by the whole key. */
  readonly #aliases = new Map<string, string>();
  readonly #sources: Sources;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  section(schema: Section<Fields>, raw: RawNode | undefined, path: readonly string[], on: boolean): object {
    const table = this.#table(raw, path);
    const result: Record<string, unknown> = {};
    const known = new Map<string, Node>();
    for (const [key, node] of Object.entries(schema.fields)) {
      known.set(key, node);
      const alias = aliasOf(node);
      if (alias === undefined) continue;
      known.set(alias, node);
      this.#aliases.set([...path, key].join('.'), alias);
    }
    const enabledHere = on && this.#isEnabled(schema, table, path);
    for (const [key, node] of Object.entries(schema.fields)) {
      const member = this.#pick(table, key, aliasOf(node), path);
      const fallback = table === undefined ? undefined : schema.whenPresent?.[key];
      result[key] = this.#node(node, member, { path: [...path, key], on: enabledHere, fallback });
    }
    if (schema.pending && on && result.enabled === true && !isOnByDefault(schema)) {
      this.#warn([...path, 'enabled'], schema.pending, table?.get('enabled')?.location);
    }
    for (const [key, member] of table ?? []) {
      if (!known.has(key)) this.#unknownKey([...path, key], member, known.keys());
    }
    return result;
  }

  #node(node: Node, raw: RawNode | undefined, place: Place): unknown {
    const { path, on } = place;
    if (raw?.location !== undefined) this.locations.set(path.join('.'), raw.location);
    if (node.kind === 'section') return this.section(node, raw, path, on);
    if (node.kind === 'names') return this.#names(node, raw, path, on);
    return this.#setting(node, raw, place);
  }

  #names(node: Names<Node>, raw: RawNode | undefined, path: readonly string[], on: boolean): object {
    const result: Record<string, unknown> = Object.create(null);
    for (const [written, member] of this.#table(raw, path) ?? []) {
      const name = node.upperCase ? written.toUpperCase() : written;
      if (!node.pattern.test(name)) {
        this.#fault([...path, written], `isn't a valid name (${node.pattern.source})`, member.location);
      }
      result[name] = this.#node(node.value, member, { path: [...path, name], on, fallback: undefined });
    }
    return result;
  }

  #setting(setting: Setting<unknown>, raw: RawNode | undefined, { path, on, fallback }: Place): unknown {
    const given = this.#fromOutside(path) ?? raw;
    const standard = fallback ?? setting.default;
    if (given === undefined) return standard;
    const parsed = this.#parse(setting.type, given, path, on);
    if ('value' in parsed) {
      if (parsed.value !== undefined) this.#noteFiles(setting.type, parsed.value, path, given.location);
      const isNonDefault =
        parsed.value !== undefined && String(parsed.value) !== String(setting.default ?? '');
      if (parsed.readAs !== undefined) {
        this.#warn(path, `${JSON.stringify(given.value)} is read as ${parsed.readAs}`, given.location);
      }
      if (setting.pending && on && isNonDefault) this.#warn(path, setting.pending, given.location);
      return parsed.value ?? standard;
    }
    this.#fault(path, parsed.fault, given.location);
    return standard;
  }

  #noteFiles(
    type: Type,
    value: unknown,
    path: readonly string[],
    location: SourceLocation | undefined,
  ): void {
    const key = path.join('.');
    if (type.name === 'path' && !type.anywhere)
      this.files.push({ key, path: value as string, isFolder: false });
    if (type.name !== 'list' || type.files !== true) return;
    for (const glob of value as readonly string[]) {
      const folder = globFolder(this.#sources.supabaseDir, glob);
      if (folder === undefined) this.#fault(path, `${glob}: ".." isn't allowed after a wildcard`, location);
      else this.files.push({ key, path: folder, isFolder: path.at(-1) === 'static_files' });
    }
  }

  /** Returns a setting's value from its flag, or from the environment variable for its name or alias. */
  #fromOutside(path: readonly string[]): RawNode | undefined {
    const key = path.join('.');
    const flag = this.#sources.flags[key];
    if (flag !== undefined) {
      this.overrides.set(key, null);
      return { value: flag };
    }
    for (const names of this.#spellings(path)) {
      const name = environmentName(this.#sources.prefix, names);
      const value = this.#sources.environment[name];
      if (value === undefined || value === '') continue;
      this.overrides.set(key, name);
      return { value };
    }
    return undefined;
  }

  #spellings(path: readonly string[]): string[][] {
    let spellings: string[][] = [[]];
    path.forEach((part, index) => {
      const alias = this.#aliases.get(path.slice(0, index + 1).join('.'));
      const parts = alias === undefined ? [part] : [part, alias];
      spellings = spellings.flatMap((before) => parts.map((name) => [...before, name]));
    });
    return spellings;
  }

  #parse(type: Type, raw: RawNode, path: readonly string[], on: boolean): Parsed {
    if (type.name === 'any') return { value: raw.value };
    if (type.name === 'list') return this.#list(raw, path, on);
    if (raw.value === null) return { value: undefined };
    if (typeof raw.value === 'object') return { fault: `must be ${article(type)}` };
    if (typeof raw.value !== 'string') {
      return parseScalar(type, raw.value, this.#sources.numbersAreUnits);
    }
    const text = this.#substitute(raw, path, type, on);
    if (text === undefined) return { value: undefined };
    const parsed = this.#text(type, text);
    const name = this.unset.get(path.join('.'));
    return 'fault' in parsed && name !== undefined
      ? { fault: `the environment variable ${name} isn't set` }
      : parsed;
  }

  #text(type: Type, text: string): Parsed {
    if (type.name === 'secret') return this.#decrypted(text);
    if (type.name === 'path') return { value: this.#path(type.base, text) };
    if (type.name === 'integer' && text.trim() === '') return { fault: 'must be a number' };
    return parseScalar(type, text, this.#sources.numbersAreUnits);
  }

  #list(raw: RawNode, path: readonly string[], on: boolean): Parsed {
    const type = { name: 'list' } as const;
    if (Array.isArray(raw.value)) {
      const items: string[] = [];
      for (const item of raw.value as readonly RawNode[]) {
        if (typeof item.value === 'object') return { fault: 'must be a list of strings' };
        const text = this.#substitute(item, path, type, on);
        if (text !== undefined) items.push(text);
      }
      const texts = (raw.value as readonly RawNode[]).map((item) => String(item.value));
      if (this.references.has(path.join('.'))) this.references.set(path.join('.'), texts);
      return { value: items };
    }
    if (typeof raw.value === 'object') return { fault: 'must be a list of strings' };
    const text = this.#substitute(raw, path, type, on);
    if (text === undefined) return { value: undefined };
    return { value: text === '' ? [] : text.split(',').map((item) => item.trim()) };
  }

  /**
   * Replaces a value of the form `env(NAME)` with the variable's value. If the variable isn't set, the value of a
   * secret and of Plinth's own settings is undefined. For other settings, the text is kept and a warning is reported.
   */
  #substitute(
    { value: given, location }: RawNode,
    path: readonly string[],
    type: Type,
    on: boolean,
  ): string | undefined {
    const text = String(given);
    const name = /^env\((.*)\)$/.exec(text)?.[1];
    if (name === undefined) return text;
    const value = this.#sources.environment[name];
    if (value !== undefined && value !== '') {
      this.references.set(path.join('.'), text);
      return value;
    }
    this.unset.set(path.join('.'), name);
    if (this.#sources.dropsUnset) {
      // An empty variable means that the setting is unset on purpose.
      if (value === undefined && on)
        this.#warn(path, `the environment variable ${name} isn't set, so the setting isn't used`, location);
      return undefined;
    }
    if (type.name === 'secret') return undefined;
    const staysText = type.name === 'text' || type.name === 'list' || type.name === 'path';
    if (staysText && on)
      this.#warn(
        path,
        `the environment variable ${name} isn't set, so the setting keeps the text env(${name})`,
        location,
      );
    return text;
  }

  #decrypted(text: string): Parsed {
    if (!text.startsWith(encryptedPrefix)) return { value: text === '' ? undefined : text };
    const plain = decryptSecret(text, this.#sources.privateKeys);
    return plain === undefined
      ? { fault: 'is encrypted, but no DOTENV_PRIVATE_KEY in the environment decrypts it' }
      : { value: plain };
  }

  #path(base: 'supabase' | 'project' | 'either', text: string): string | undefined {
    if (text === '') return undefined;
    const { supabaseDir, savedDir, exists } = this.#sources;
    if (savedDir !== undefined && text.startsWith(savedPrefix))
      return resolvePath(savedTemplates(savedDir), text.slice(savedPrefix.length));
    const inSupabase = resolvePath(supabaseDir, text);
    const inProject = resolvePath(join(supabaseDir, '..'), text);
    if (base === 'supabase') return inSupabase;
    return base === 'project' || !exists(inSupabase) ? inProject : inSupabase;
  }

  #table(raw: RawNode | undefined, path: readonly string[]): RawTable | undefined {
    if (raw === undefined || raw.value === null) return undefined;
    if (raw.value instanceof Map) return raw.value;
    this.#fault(path, `must be a table: [${path.join('.')}]`, raw.location);
    return undefined;
  }

  /**
   * Returns the value of a key, or the value of its alias if the key isn't set. Reports a warning if both the key and
   * its alias are set.
   */
  #pick(
    table: RawTable | undefined,
    key: string,
    alias: string | undefined,
    path: readonly string[],
  ): RawNode | undefined {
    if (alias === undefined || !table?.has(alias)) return table?.get(key);
    if (!table.has(key)) return table.get(alias);
    this.#warn([...path, alias], `ignored because ${key} is also set`, table.get(alias)?.location);
    return table.get(key);
  }

  #isEnabled(schema: Section<Fields>, table: RawTable | undefined, path: readonly string[]): boolean {
    const node = schema.fields.enabled;
    if (node?.kind !== 'setting') return true;
    const raw = this.#fromOutside([...path, 'enabled']) ?? table?.get('enabled');
    if (raw === undefined) return schema.whenPresent?.enabled ?? node.default === true;
    const parsed = parseBoolean(String(raw.value));
    return 'value' in parsed && parsed.value === true;
  }

  #unknownKey(path: readonly string[], raw: RawNode, known: Iterable<string>): void {
    const key = path.at(-1) ?? '';
    const oidc = path.length === 3 && path[1] === 'external' && (key === 'linkedin' || key === 'slack');
    if (oidc) {
      const message = `ignored because this provider was removed. Use [auth.external.${key}_oidc]`;
      this.#warn(path, message, raw.location);
      return;
    }
    const near = nearest(key, known);
    const advice = near === undefined ? '' : `; did you mean ${near}?`;
    this.#warn(path, `unknown key, ignored${advice}`, raw.location);
  }

  #fault(path: readonly string[], message: string, location: SourceLocation | undefined): void {
    this.faults.push({ key: path.join('.'), message, ...(location === undefined ? {} : { location }) });
  }

  #warn(path: readonly string[], message: string, location: SourceLocation | undefined): void {
    this.warnings.push({ key: path.join('.'), message, ...(location === undefined ? {} : { location }) });
  }
}

const isOnByDefault = ({ fields: { enabled } }: Section<Fields>) =>
  enabled?.kind === 'setting' && enabled.default === true;

function article(type: Type): string {
  const words: Partial<Record<Type['name'], string>> = {
    boolean: 'true or false',
    integer: 'a number',
    port: 'a port',
    duration: 'a duration such as "30s"',
    size: 'a size such as "50MiB"',
  };
  return words[type.name] ?? 'a string';
}
