/**
 * The building blocks of the schema. A *setting* is one key with type, default and help. A *section* is a table of
 * settings and sections. A *table of names* has keys that the user chooses (`[functions.hello]`).
 *
 * The static type of the configuration is derived from the same data: {@link ValueOf}.
 */

/** How a value is written and validated. */
export type Type =
  | { readonly name: 'boolean' }
  /** `isVersion`: only the first number of a version counts. */
  | { readonly name: 'integer'; readonly min: number; readonly max: number; readonly isVersion?: true }
  /** 0 selects a free port. */
  | { readonly name: 'port' }
  | { readonly name: 'text' }
  /** Text that never appears in a message. An unresolved `env()` counts as unset. */
  | { readonly name: 'secret' }
  | { readonly name: 'enum'; readonly values: readonly string[] }
  /** Written as in Go ("2m30s"). The configuration contains milliseconds. */
  | { readonly name: 'duration' }
  /** Written as "50MiB". The configuration contains bytes. */
  | { readonly name: 'size' }
  /** `files`: globs, relative to `supabase/`. */
  | { readonly name: 'list'; readonly files?: boolean }
  /** Any value, for keys without effect. */
  | { readonly name: 'any' }
  /**
   * A file. The configuration contains an absolute path. `either` tries `supabase/` first, then the project folder.
   * `anywhere`: the file can be outside the project folder, because nothing shows its content.
   */
  | { readonly name: 'path'; readonly base: PathBase; readonly anywhere: boolean };

type PathBase = 'supabase' | 'project' | 'either';

export interface Setting<T> {
  readonly kind: 'setting';
  readonly type: Type;
  /** The default as the configuration contains it. `undefined` if the setting is optional. */
  readonly default: T;
  /** The default in words, where the value alone isn't clear. */
  readonly defaultText?: string;
  readonly help: string;
  /** The name of the same key in another generation of upstream's CLI. */
  readonly alias?: string;
  /** Accepted so that projects load, but without effect in Plinth. The sentence states the reason. */
  readonly ignored?: string;
  /** Read and validated, but not implemented in this version. The sentence is the warning for a setting that is set. */
  readonly pending?: string;
}

export interface Section<F extends Fields> {
  readonly kind: 'section';
  readonly help: string;
  readonly fields: F;
  readonly alias?: string;
  /** Defaults that apply only if the file contains the table. */
  readonly whenPresent?: Readonly<Record<string, boolean>>;
  /** Like a setting's `pending`, but for the whole section. Enabling the section causes the warning. */
  readonly pending?: string;
}

export interface Names<V extends Node> {
  readonly kind: 'names';
  readonly help: string;
  /** The placeholder in the documentation: `SLUG`, `NAME`. */
  readonly placeholder: string;
  readonly value: V;
  /** The pattern of valid names. Any other name is an error. */
  readonly pattern: RegExp;
  /** Whether names are converted to uppercase. */
  readonly upperCase?: boolean;
}

export interface Fields {
  readonly [key: string]: Node;
}

// biome-ignore lint/suspicious/noExplicitAny: any node, whatever its value
export type Node = Setting<any> | Section<any> | Names<any>;

/** The type of the configuration that a node describes. */
export type ValueOf<N> =
  N extends Setting<infer T>
    ? T
    : N extends Section<infer F>
      ? { readonly [K in keyof F]: ValueOf<F[K]> }
      : N extends Names<infer V>
        ? Readonly<Record<string, ValueOf<V>>>
        : never;

/** For settings that are recognized and validated but have no effect yet. */
export const notYet = { pending: 'not supported in this version of Plinth, so it has no effect' };

type Extras = Pick<Setting<unknown>, 'alias' | 'ignored' | 'defaultText' | 'pending'>;

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

export const majorVersion = (value: number, help: string, { min, max }: Required<Bounds>) =>
  setting<number>({ name: 'integer', min, max, isVersion: true }, value, help);

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

/** Globs of files, relative to `supabase/`. */
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
  extras: Pick<Section<F>, 'alias' | 'whenPresent' | 'pending'> = {},
): Section<F> => ({ kind: 'section', help, fields, ...extras });

export const names = <V extends Node>(
  placeholder: string,
  help: string,
  value: V,
  extras: { readonly pattern?: RegExp; readonly upperCase?: boolean } = {},
): Names<V> => ({ kind: 'names', help, placeholder, value, pattern: /^/, ...extras });
