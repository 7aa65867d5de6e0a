/**
 * Functions and types for defining the schema. A *setting* is a key with a type, a default and a help text. A *section*
 * is a table of settings and sections. A *table of names* has user-chosen keys (`[functions.hello]`).
 *
 * The static type of the configuration is derived from the definitions in the schema ({@link ValueOf}).
 */

/** A setting's type, which determines how a value is written in the file and how it is validated. */
export type Type =
  | { readonly name: 'boolean' }
  /**
   * An integer. With `isVersion`, the value can also be a version number, of which only the first part is used. With
   * `orAuto`, the value can also be the text `auto`.
   */
  | {
      readonly name: 'integer';
      readonly min: number;
      readonly max: number;
      readonly isVersion?: true;
      readonly orAuto?: true;
    }
  /** A port number. 0 selects a free port. */
  | { readonly name: 'port' }
  | { readonly name: 'text' }
  /**
   * Text that is never included in messages. If an `env()` reference can't be resolved, the setting is treated as
   * unset.
   */
  | { readonly name: 'secret' }
  | { readonly name: 'enum'; readonly values: readonly string[] }
  /** A duration, written as in Go ("2m30s"). In the loaded configuration, durations are numbers in milliseconds. */
  | { readonly name: 'duration' }
  /** A size, such as "50MiB". In the loaded configuration, sizes are numbers in bytes. */
  | { readonly name: 'size' }
  /** A list of strings. With `files`, the strings are glob patterns relative to `supabase/`. */
  | { readonly name: 'list'; readonly files?: boolean }
  /** Any value, for keys that have no effect. */
  | { readonly name: 'any' }
  /**
   * A file. The loaded configuration contains the file's absolute path. With `either`, Plinth looks for the file in
   * `supabase/`, then in the project folder. With `anywhere`, the file can be outside the project folder, because its
   * content is never displayed.
   */
  | { readonly name: 'path'; readonly base: PathBase; readonly anywhere: boolean };

type PathBase = 'supabase' | 'project' | 'either';

/**
 * Whether a change takes effect while the server runs or only after a restart. The reason for a restart is worded as
 * the end of the sentence "Needs a restart because".
 */
export type Applies = 'live' | { readonly restart: string };

export interface Setting<T> {
  readonly kind: 'setting';
  readonly type: Type;
  /** The default value, in the form used in the loaded configuration. `undefined` if the setting is optional. */
  readonly default: T;
  /** A description of the default, if the value alone isn't clear. */
  readonly defaultText?: string;
  readonly help: string;
  /** The key's name in other versions of upstream's CLI. */
  readonly alias?: string;
  /**
   * Set if the setting has no effect in Plinth and is accepted only so that existing projects load. The text explains
   * why the setting has no effect.
   */
  readonly ignored?: string;
  /**
   * Set if the setting is validated but not implemented in this version of Plinth. The text is the warning that Plinth
   * prints if the setting is used.
   */
  readonly pending?: string;
  /** Defaults to the `applies` value of the nearest enclosing section that has one. */
  readonly applies?: Applies;
}

export interface Section<F extends Fields> {
  readonly kind: 'section';
  readonly help: string;
  readonly fields: F;
  /** The default value of `applies` for all settings in the section. */
  readonly applies?: Applies;
  readonly alias?: string;
  /** Default values that apply only if the file contains the section's table. */
  readonly whenPresent?: Readonly<Record<string, boolean>>;
  /** Like a setting's `pending`, but for the whole section. Plinth prints the warning if the section is enabled. */
  readonly pending?: string;
}

export interface Names<V extends Node> {
  readonly kind: 'names';
  readonly help: string;
  /** The placeholder for names in the documentation, such as `SLUG` or `NAME`. */
  readonly placeholder: string;
  readonly value: V;
  /** The pattern that names must match. Names that don't match are reported as errors. */
  readonly pattern: RegExp;
  /** Whether names are converted to uppercase. */
  readonly upperCase?: boolean;
}

export interface Fields {
  readonly [key: string]: Node;
}

// biome-ignore lint/suspicious/noExplicitAny: this type accepts nodes with values of any type
export type Node = Setting<any> | Section<any> | Names<any>;

/** The type of the configuration that a node of the schema describes. */
export type ValueOf<N> =
  N extends Setting<infer T>
    ? T
    : N extends Section<infer F>
      ? { readonly [K in keyof F]: ValueOf<F[K]> }
      : N extends Names<infer V>
        ? Readonly<Record<string, ValueOf<V>>>
        : never;

/** Marks settings that are read each time they are needed, so that changes take effect while the server runs. */
export const live = { applies: 'live' } as const;

/**
 * Marks settings that are read only at startup.
 * @param reason the reason, worded as the end of the sentence "Needs a restart because"
 */
export const restart = (reason: string) => ({ applies: { restart: reason } }) as const;

/** Marks settings that are validated but have no effect yet. */
export const notYet = { pending: 'not supported in this version of Plinth, so it has no effect' };

type Extras = Pick<Setting<unknown>, 'alias' | 'ignored' | 'defaultText' | 'pending' | 'applies'>;

const setting = <T>(type: Type, value: T, help: string, extras: Extras = {}): Setting<T> => ({
  kind: 'setting',
  type,
  default: value,
  help,
  ...extras,
});

export const boolean = (value: boolean, help: string, extras?: Extras) =>
  setting<boolean>({ name: 'boolean' }, value, help, extras);

export const optionalBoolean = (help: string, extras?: Extras) =>
  setting<boolean | undefined>({ name: 'boolean' }, undefined, help, extras);

interface Bounds {
  readonly min?: number;
  readonly max?: number;
}

const integerType = ({ min = 0, max = 2 ** 31 - 1 }: Bounds = {}): Type => ({ name: 'integer', min, max });

export const integer = (value: number, help: string, bounds?: Bounds, extras?: Extras) =>
  setting<number>(integerType(bounds), value, help, extras);

export const integerOrAuto = (
  value: number | 'auto',
  help: string,
  { min, max }: Required<Bounds>,
  extras?: Extras,
) => setting<number | 'auto'>({ name: 'integer', min, max, orAuto: true }, value, help, extras);

export const majorVersion = (value: number, help: string, { min, max }: Required<Bounds>, extras?: Extras) =>
  setting<number>({ name: 'integer', min, max, isVersion: true }, value, help, extras);

export const optionalInteger = (help: string, bounds?: Bounds, extras?: Extras) =>
  setting<number | undefined>(integerType(bounds), undefined, help, extras);

export const port = (value: number, help: string, extras?: Extras) =>
  setting<number>({ name: 'port' }, value, help, extras);

export const optionalPort = (help: string, extras?: Extras) =>
  setting<number | undefined>({ name: 'port' }, undefined, help, extras);

export const text = (value: string, help: string, extras?: Extras) =>
  setting<string>({ name: 'text' }, value, help, extras);

export const optionalText = (help: string, extras?: Extras) =>
  setting<string | undefined>({ name: 'text' }, undefined, help, extras);

export const secret = (help: string, extras?: Extras) =>
  setting<string | undefined>({ name: 'secret' }, undefined, help, extras);

export const oneOf = <const V extends string>(
  value: V,
  others: readonly V[],
  help: string,
  extras?: Extras,
) => setting<V>({ name: 'enum', values: [value, ...others] }, value, help, extras);

export const optionalOneOf = <const V extends string>(values: readonly V[], help: string, extras?: Extras) =>
  setting<V | undefined>({ name: 'enum', values }, undefined, help, extras);

export const duration = (milliseconds: number, help: string, extras?: Extras) =>
  setting<number>({ name: 'duration' }, milliseconds, help, extras);

export const optionalDuration = (help: string, extras?: Extras) =>
  setting<number | undefined>({ name: 'duration' }, undefined, help, extras);

export const size = (bytes: number, help: string, extras?: Extras) =>
  setting<number>({ name: 'size' }, bytes, help, extras);

export const optionalSize = (help: string, extras?: Extras) =>
  setting<number | undefined>({ name: 'size' }, undefined, help, extras);

export const list = (value: readonly string[], help: string, extras?: Extras) =>
  setting<readonly string[]>({ name: 'list' }, value, help, extras);

/** Defines a setting that contains glob patterns relative to `supabase/`. */
export const files = (value: readonly string[], help: string, extras?: Extras) =>
  setting<readonly string[]>({ name: 'list', files: true }, value, help, extras);

export const anything = (help: string, extras?: Extras) =>
  setting<unknown>({ name: 'any' }, undefined, help, extras);

export const optionalPath = (
  base: PathBase,
  help: string,
  { anywhere = false, ...extras }: Extras & { readonly anywhere?: boolean } = {},
) => setting<string | undefined>({ name: 'path', base, anywhere }, undefined, help, extras);

export const section = <const F extends Fields>(
  help: string,
  fields: F,
  extras: Pick<Section<F>, 'alias' | 'whenPresent' | 'pending' | 'applies'> = {},
): Section<F> => ({ kind: 'section', help, fields, ...extras });

/** Defines a section whose settings take effect while the server runs, except for settings with their own `applies`. */
export const liveSection: typeof section = (help, fields, extras) =>
  section(help, fields, { ...extras, ...live });

/** Defines a section whose settings need a restart, except for settings with their own `applies`. */
export const restartSection = <const F extends Fields>(reason: string, help: string, fields: F) =>
  section(help, fields, restart(reason));

export const names = <V extends Node>(
  placeholder: string,
  help: string,
  value: V,
  extras: { readonly pattern?: RegExp; readonly upperCase?: boolean } = {},
): Names<V> => ({ kind: 'names', help, placeholder, value, pattern: /^/, ...extras });

/** Reasons for a restart that several settings share. */
export const reasons = {
  opened: 'ports are opened at startup',
  keys: 'keys are read at startup',
} as const;

export const mounted = restart('services are assigned to ports at startup');
export const opened = restart(reasons.opened);
export const keysRead = restart(reasons.keys);

/**
 * The settings files. `config.toml` contains upstream's keys, and `plinth.toml` contains the keys that only Plinth has.
 */
export type SettingsFile = 'config.toml' | 'plinth.toml';
