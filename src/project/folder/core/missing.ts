/**
 * Explains why an object that a statement needs doesn't exist. The object may belong to an extension, be created by a
 * later file, or have been created in the hosted project's dashboard instead of by a file.
 */

import { lex } from '../../../base/shared/sql/lex.ts';

export interface SqlText {
  /** The path that messages show, such as `supabase/migrations/1_init.sql`. */
  readonly shownPath: string;
  readonly text: string;
}

export interface MissingOptions {
  /** The file that failed. `files` might not contain this file, for example if it is a seed. */
  readonly failed: string;
  /** The files in the order in which they are applied. */
  readonly files: readonly SqlText[];
  /** A sentence about the extension to which the object belongs, if the server doesn't have that extension. */
  readonly absentExtension?: string | undefined;
  /** Returns the path to the file with generated types that contains the object, relative to the project folder. */
  readonly typesFileNaming?: (schema: string | undefined, name: string) => string | undefined;
  /** Returns the tool that creates the project's tables instead of the migrations. */
  readonly findSchemaTool?: (() => SchemaTool | undefined) | undefined;
}

export interface SchemaTool {
  readonly name: string;
  /** The command that creates the tables. */
  readonly command: string;
  /** The tool's file, relative to the project folder. */
  readonly file: string;
}

type Kind = 'relation' | 'type' | 'function' | 'schema' | 'column';

interface Missing {
  readonly kind: Kind;
  /** The name as PostgreSQL's message contains it, such as `public.documents`. */
  readonly shown: string;
  /** The schema. Undefined if the name in the message doesn't contain a schema. */
  readonly schema: string | undefined;
  readonly name: string;
}

/**
 * Returns the lines of the advice. Returns an empty list if the files don't explain the failure.
 *
 * @example
 * explainMissing({ code: '42P01', message: 'relation "docs" does not exist' }, { failed: 'supabase/seed.sql', files: [] })[0];
 * // 'No migration creates docs. Was it created in the hosted project's dashboard?'
 */
export function explainMissing(
  error: { readonly code: string; readonly message: string },
  { failed, files, absentExtension, typesFileNaming, findSchemaTool }: MissingOptions,
): string[] {
  const missing = missingOf(error);
  const isTheirs = missing !== undefined && files.some(({ text }) => creates(text, missing));
  if (absentExtension !== undefined && !isTheirs) return [absentExtension];
  if (missing === undefined) return [];
  const extension = isTheirs ? undefined : extensionOf(missing);
  if (extension !== undefined) return extensionAdvice(missing, extension, files);
  if (missing.schema !== undefined && serviceSchemas.has(missing.schema)) return [];
  if (missing.kind === 'column') {
    const isKnown = files.some(({ shownPath, text }) => shownPath !== failed && mentions(text, missing.name));
    return isKnown ? [] : originAdvice(missing, 'adds', { failed, files, tool: findSchemaTool?.() });
  }
  const creators = files.filter(({ text }) => creates(text, missing));
  if (creators.length === 0) {
    const typesFile = typesFileNaming?.(missing.schema, missing.name);
    const origin = originAdvice(missing, 'creates', { failed, files, tool: findSchemaTool?.() });
    return [...origin, ...baselineAdvice(typesFile)];
  }
  const [first] = creators;
  const isLater = files.findIndex(({ shownPath }) => shownPath === failed) < files.indexOf(first as SqlText);
  const isMigration = files.some(({ shownPath }) => shownPath === failed);
  return isLater && isMigration
    ? [`${first?.shownPath} creates ${missing.shown}, but runs later because files run in name order.`]
    : [];
}

/**
 * Returns the missing object that PostgreSQL's message names. Only English messages are recognized, so messages in
 * other languages get no advice.
 */
function missingOf({
  code,
  message,
}: {
  readonly code: string;
  readonly message: string;
}): Missing | undefined {
  const found = (kind: Kind, shown: string | undefined): Missing | undefined => {
    if (shown === undefined) return undefined;
    const parts = shown.split('.');
    return { kind, shown, schema: parts.length > 1 ? parts.at(-2) : undefined, name: parts.at(-1) ?? shown };
  };
  if (code === '42P01') return found('relation', /^relation "(.+)" does not exist$/.exec(message)?.[1]);
  if (code === '42704') return found('type', /^type "(.+?)(?:\[\])*" does not exist$/.exec(message)?.[1]);
  if (code === '42883')
    return found('function', /^(?:function|procedure) ([^(]+)\(.*\) does not exist$/.exec(message)?.[1]);
  if (code === '3F000') return found('schema', /^schema "(.+)" does not exist$/.exec(message)?.[1]);
  if (code !== '42703') return undefined;
  const [, column, relation] = /^column "(.+)" of relation "(.+)" does not exist$/.exec(message) ?? [];
  if (column === undefined) return undefined;
  return { kind: 'column', shown: `the column ${column} of ${relation}`, schema: undefined, name: column };
}

/**
 * Returns the extension to which the missing object belongs. Returns undefined if the object doesn't belong to a known
 * extension.
 */
export function missingExtension(error: {
  readonly code: string;
  readonly message: string;
}): string | undefined {
  const missing = missingOf(error);
  return missing === undefined ? undefined : extensionOf(missing);
}

/** Whether the text creates an object with this name. Dynamic SQL in strings is included. */
export function isCreatedBy(
  text: string,
  kind: 'relation' | 'type' | 'function',
  schema: string,
  name: string,
): boolean {
  return creates(text, { kind, schema, name, shown: name });
}

/** The schemas that Plinth creates. Migrations don't need to create the objects in these schemas. */
export const serviceSchemas = new Set([
  'auth',
  'extensions',
  'graphql',
  'graphql_public',
  'realtime',
  'storage',
  'supabase_functions',
  'supabase_migrations',
  'vault',
]);

export const identifier = String.raw`(?:"(?:[^"]|"")+"|[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*)`;
const qualified = String.raw`(?<name>${identifier}(?:\s*\.\s*${identifier})?)`;
const words: Readonly<Record<Exclude<Kind, 'column'>, string>> = {
  relation: 'table|view|sequence|index',
  type: 'type|domain|table|view',
  function: 'function|procedure|aggregate',
  schema: 'schema',
};

/** Whether the text creates an object of this kind with this name. Dynamic SQL in strings is included. */
export function creates(text: string, { kind, schema, name }: Missing): boolean {
  if (kind === 'column') return false;
  const sql = withoutComments(text);
  const created = new RegExp(
    String.raw`\bcreate\s+(?:(?:or|replace|global|local|temp|temporary|unlogged|unique|recursive|materialized|foreign)\s+)*` +
      String.raw`(?:${words[kind]})\s+(?:concurrently\s+)?(?:if\s+not\s+exists\s+)?${qualified}`,
    'gi',
  );
  const renamed = new RegExp(String.raw`\brename\s+to\s+${qualified}`, 'gi');
  const selected = new RegExp(
    String.raw`\bselect\b[^;]*?\binto\s+(?:temp\s+|temporary\s+|table\s+)*${qualified}`,
    'gi',
  );
  for (const pattern of kind === 'relation' ? [created, renamed, selected] : [created, renamed]) {
    for (const { groups } of sql.matchAll(pattern)) {
      const [own = '', ownSchema] = partsOf(groups?.name ?? '').reverse();
      // `serial` and `primary key` create additional relations, such as documents_id_seq and documents_pkey.
      const isPart = kind === 'relation' && name.startsWith(`${own}_`) && /_(seq|pkey|key|idx)$/.test(name);
      const isSame =
        own === name && (kind === 'schema' || (ownSchema ?? 'public') === (schema ?? ownSchema ?? 'public'));
      if (isPart || isSame) return true;
    }
  }
  return false;
}

/** Splits a name into its parts. For example, `App."Docs"` becomes `app` and `Docs`. */
export function partsOf(written: string): string[] {
  return [...written.matchAll(new RegExp(identifier, 'g'))].map(([part]) =>
    part.startsWith('"') ? part.slice(1, -1).replaceAll('""', '"') : part.toLowerCase(),
  );
}

export function withoutComments(text: string): string {
  let result = '';
  for (const { kind, start, end } of lex(text)) result += kind === 'comment' ? ' ' : text.slice(start, end);
  return result;
}

interface Origin {
  readonly failed: string;
  readonly files: readonly SqlText[];
  readonly tool: SchemaTool | undefined;
}

function originAdvice({ kind, shown }: Missing, verb: string, { failed, files, tool }: Origin): string[] {
  const what = kind === 'relation' || kind === 'column' ? shown : `the ${kind} ${shown}`;
  if (tool !== undefined) return toolAdvice(`No migration ${verb} ${what}.`, failed, files, tool);
  return [
    `No migration ${verb} ${what}. Was it created in the hosted project's dashboard?`,
    `If so, create it in a migration that runs first${exampleOf(files)}. "supabase db dump" of`,
    "upstream's CLI prints the hosted project's schema. Or replace all migrations with that schema: move the files out of",
    'supabase/migrations and run "supabase db pull".',
  ];
}

function toolAdvice(
  sentence: string,
  failed: string,
  files: readonly SqlText[],
  { name, command, file }: SchemaTool,
): string[] {
  const first = `${sentence} This project uses ${name} (${file}), which may create it.`;
  if (files.some(({ shownPath }) => shownPath === failed))
    return [
      first,
      `Migrations run before ${name} does. Write ${name}'s SQL to a migration that runs first${exampleOf(files, name.toLowerCase())}.`,
    ];
  return [
    first,
    `Seeds run at the first start, before "${command}". Turn seeds off with enabled = false in [db.seed] of config.toml, start,`,
    `run "${command}", and then run the seed, for example with "plinth db query --file ${failed}".`,
  ];
}

/** Returns the advice for developers who can't access the hosted project. */
function baselineAdvice(typesFile: string | undefined): string[] {
  if (typesFile === undefined) return [];
  return [
    `If you can't access the hosted project, write a first migration from ${typesFile}, which declares it:`,
    `plinth db baseline --from-types ${typesFile}`,
  ];
}

/** Returns an example of a file name that sorts before all other names. */
function exampleOf(files: readonly SqlText[], name = 'dashboard'): string {
  const versions = files.map(({ shownPath }) => /\/(\d+)_[^/]*$/.exec(shownPath)?.[1] ?? '');
  const first = versions.find((version) => version !== '') ?? '1';
  return /^0+$/.test(first) ? '' : `, such as supabase/migrations/${'0'.repeat(first.length)}_${name}.sql`;
}

const extensionsOfSchemas: Readonly<Record<string, string>> = {
  cron: 'pg_cron',
  net: 'pg_net',
  pgmq: 'pgmq',
};

/**
 * Types and functions that projects use without creating the extension, because the extension was enabled in the
 * dashboard.
 */
const extensionsOfObjects: readonly (readonly [names: RegExp, extension: string])[] = [
  [/^(vector|halfvec|sparsevec)$/, 'vector'],
  [/^(citext|ltree|hstore)$/, ''],
  [/^(geometry|geography|st_\w+)$/, 'postgis'],
  [/^uuid_generate_v[1345]\w*$/, 'uuid-ossp'],
  [/^(crypt|gen_salt|gen_random_bytes|digest|hmac|pgp_\w+)$/, 'pgcrypto'],
  [/^(similarity|word_similarity|strict_word_similarity|show_trgm)$/, 'pg_trgm'],
  [/^unaccent$/, 'unaccent'],
];

function extensionOf({ kind, schema, name }: Missing): string | undefined {
  if (kind === 'schema') return extensionsOfSchemas[name];
  if (schema !== undefined && schema in extensionsOfSchemas) return extensionsOfSchemas[schema];
  if (kind !== 'type' && kind !== 'function') return undefined;
  const entry = extensionsOfObjects.find(([names]) => names.test(name));
  return entry === undefined ? undefined : entry[1] || name;
}

function extensionAdvice(
  { name, kind, shown }: Missing,
  extension: string,
  files: readonly SqlText[],
): string[] {
  const written = extension.includes('-') ? `"${extension}"` : extension;
  const created = new RegExp(
    String.raw`\bcreate\s+extension\s+(?:if\s+not\s+exists\s+)?"?${extension}"?(?![\w-])`,
    'i',
  );
  if (files.some(({ text }) => created.test(withoutComments(text))))
    return kind === 'schema'
      ? []
      : [`The extension ${written} defines it. Include the schema: extensions.${name}.`];
  const where = kind === 'schema' || shown.includes('.') ? '' : ' with schema extensions';
  return [
    `The ${kind} ${shown} belongs to an extension that no migration creates. Add this line before the statement:`,
    `create extension if not exists ${written}${where};`,
  ];
}

/** Whether the statement contains the name as a whole word, with or without its schema and quotes. */
export const mentions = (statement: string, name: string): boolean =>
  new RegExp(String.raw`(?<![\w$])${RegExp.escape(name)}(?![\w$])`, 'i').test(statement);
