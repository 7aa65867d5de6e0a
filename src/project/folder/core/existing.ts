/** Explains which statement has already created an object, if another statement fails because the object exists. */
import { creates, identifier, partsOf, type SqlText, withoutComments } from './missing.ts';
import { splitStatements } from './split.ts';

export interface ExistingOptions {
  /** The file and the line of the statement that failed. */
  readonly failed: string;
  readonly line: number;
  /** The files in the order in which they are applied. */
  readonly files: readonly SqlText[];
}

interface Existing {
  readonly kind: string;
  readonly name: string;
  /** The table of a policy, trigger, constraint or column. */
  readonly table?: string | undefined;
  /** How the statement can be written so that it succeeds if the object exists. */
  readonly remedy: string;
}

const name = '"((?:[^"]|"")+)"';
const ifNotExists = 'IF NOT EXISTS';
const rules: readonly (readonly [code: string, pattern: RegExp, kind: string, remedy: string])[] = [
  ['42P07', new RegExp(`^relation ${name} already exists`), 'relation', ifNotExists],
  [
    '42710',
    new RegExp(`^policy ${name} for (?:table|relation) ${name} already exists`),
    'policy',
    'DROP POLICY IF EXISTS',
  ],
  [
    '42710',
    new RegExp(`^trigger ${name} for relation ${name} already exists`),
    'trigger',
    'CREATE OR REPLACE TRIGGER',
  ],
  [
    '42710',
    new RegExp(`^constraint ${name} for relation ${name} already exists`),
    'constraint',
    'DROP CONSTRAINT IF EXISTS',
  ],
  [
    '42710',
    new RegExp(`^event trigger ${name} already exists`),
    'event trigger',
    'DROP EVENT TRIGGER IF EXISTS',
  ],
  ['42710', new RegExp(`^enum label ${name} already exists`), 'value', ifNotExists],
  [
    '42710',
    new RegExp(`^(type|role|extension|publication|server|rule|operator|language) ${name}.* already exists`),
    '',
    '',
  ],
  [
    '42723',
    new RegExp(`^(?:function|procedure) ${name} already exists`),
    'function',
    'CREATE OR REPLACE FUNCTION',
  ],
  ['42701', new RegExp(`^column ${name} of relation ${name} already exists`), 'column', ifNotExists],
  ['42P06', new RegExp(`^schema ${name} already exists`), 'schema', ifNotExists],
];

/** The roles that the server creates before the project's files run. */
const ownRoles =
  /^(?:anon|authenticated|authenticator|service_role|postgres|dashboard_user|supabase_\w+|pgbouncer)$/;

/**
 * Returns the lines of the advice. Returns an empty list for other errors, and if the files don't explain the failure.
 *
 * @example
 * explainExisting({ code: '42P07', message: 'relation "docs" already exists' }, { failed: '2_b.sql', line: 1, files });
 * // ['1_a.sql:3 has already created docs. …']
 */
export function explainExisting(
  error: { readonly code: string; readonly message: string },
  { failed, line, files }: ExistingOptions,
): string[] {
  const existing = existingOf(error);
  if (existing === undefined) return [];
  const place = creatorOf(existing, { failed, line, files });
  const shown = shownName(existing);
  if (place !== undefined)
    return [
      `${place} has already created ${shown}. Remove one of the two statements, or use ${existing.remedy}.`,
    ];
  if (existing.kind === 'role' && ownRoles.test(existing.name))
    return [`Plinth creates ${shown}, as the hosted service does, so remove the statement.`];
  return [];
}

function existingOf({
  code,
  message,
}: {
  readonly code: string;
  readonly message: string;
}): Existing | undefined {
  for (const [wanted, pattern, kind, remedy] of rules) {
    const match = wanted === code ? pattern.exec(message) : null;
    if (match === null) continue;
    const [, first = '', second = ''] = match;
    if (kind !== '') return { kind, name: first, table: second || undefined, remedy };
    const isExtension = first === 'extension';
    return {
      kind: first,
      name: second,
      remedy: isExtension ? ifNotExists : `DROP ${first.toUpperCase()} IF EXISTS`,
    };
  }
  return undefined;
}

const shownName = ({ kind, name: own, table }: Existing): string =>
  kind === 'relation' ? own : `the ${kind} ${own}${table === undefined ? '' : ` of ${table}`}`;

/** Returns the file and line of the first statement before the failed one that creates the object. */
function creatorOf(existing: Existing, { failed, line, files }: ExistingOptions): string | undefined {
  const isListed = files.some(({ shownPath }) => shownPath === failed);
  for (const { shownPath, text } of files) {
    for (const statement of splitStatements(text)) {
      if (shownPath === failed && statement.line >= line) return undefined;
      if (isCreator(withoutComments(statement.text), existing)) return `${shownPath}:${statement.line}`;
    }
    if (isListed && shownPath === failed) return undefined;
  }
  return undefined;
}

const qualified = String.raw`(${identifier}(?:\s*\.\s*${identifier})?)`;

function isCreator(text: string, existing: Existing): boolean {
  const { kind, name: own, table } = existing;
  if (kind === 'relation' || kind === 'type' || kind === 'function' || kind === 'schema')
    return creates(text, { kind, shown: own, schema: undefined, name: own });
  if (kind === 'policy' || kind === 'trigger' || kind === 'rule') {
    const pattern = new RegExp(
      String.raw`\bcreate\s+(?:or\s+replace\s+)?(?:constraint\s+)?${kind}\s+${qualified}[\s\S]*?\bon\s+(?:only\s+)?${qualified}`,
      'gi',
    );
    return [...text.matchAll(pattern)].some(
      ([, created = '', on = '']) => lastOf(created) === own && (table === undefined || lastOf(on) === table),
    );
  }
  if (kind === 'value') return text.includes(`'${own}'`) && /\b(?:create|alter)\s+type\b/i.test(text);
  if (kind === 'column' || kind === 'constraint') return namesTable(text, table) && names(text).includes(own);
  const word = kind === 'role' ? 'role|user|group' : kind.replace(' ', String.raw`\s+`);
  const pattern = new RegExp(
    String.raw`\bcreate\s+(?:${word})\s+(?:if\s+not\s+exists\s+)?${qualified}`,
    'gi',
  );
  return [...text.matchAll(pattern)].some(([, created = '']) => lastOf(created) === own);
}

const names = (text: string): string[] => partsOf(text);
const lastOf = (written: string): string => partsOf(written).at(-1) ?? '';

/** Whether the text creates the table, or adds something to it. */
function namesTable(text: string, table: string | undefined): boolean {
  const pattern = new RegExp(
    String.raw`\b(?:create\s+(?:\w+\s+){0,2}table|alter\s+table)\s+(?:if\s+(?:not\s+)?exists\s+)?(?:only\s+)?${qualified}`,
    'gi',
  );
  return [...text.matchAll(pattern)].some(([, created = '']) => lastOf(created) === table);
}
