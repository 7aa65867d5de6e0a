/**
 * Finds the object to which a DDL statement belongs, so that changes can be listed by object. Columns, constraints,
 * indexes, policies, triggers and privileges belong to their table.
 */

export interface Subject {
  /** The kind as SQL keywords in lowercase, such as `table` or `materialized view`. */
  readonly kind: string;
  /** The name with its schema, without quotes. Overloaded functions have the same name. */
  readonly name: string;
}

const part = '(?:"(?:[^"]|"")*"|[\\w$\\u0080-\\uffff]+)';
const path = `${part}(?:\\.${part})*`;

/** The kinds of objects that statements name. Longer names come first. */
const kinds = [
  'MATERIALIZED VIEW',
  'FOREIGN TABLE',
  'FOREIGN DATA WRAPPER',
  'FOREIGN SERVER',
  'EVENT TRIGGER',
  'USER MAPPING',
  'ACCESS METHOD',
  'TEXT SEARCH PARSER',
  'TEXT SEARCH TEMPLATE',
  'TEXT SEARCH DICTIONARY',
  'TEXT SEARCH CONFIGURATION',
  'OPERATOR FAMILY',
  'OPERATOR CLASS',
  'OPERATOR',
  'TABLE',
  'VIEW',
  'SEQUENCE',
  'FUNCTION',
  'PROCEDURE',
  'AGGREGATE',
  'ROUTINE',
  'TYPE',
  'DOMAIN',
  'SCHEMA',
  'EXTENSION',
  'ROLE',
  'PUBLICATION',
  'SUBSCRIPTION',
  'STATISTICS',
  'COLLATION',
  'CONVERSION',
  'SERVER',
  'LANGUAGE',
  'CAST',
  'TRANSFORM',
] as const;

const kind = `(${kinds.join('|')})`;
const exists = '(?:IF (?:NOT )?EXISTS )?';

const one = (source: string): RegExp => new RegExp(`^${source.replaceAll(' ', '\\s+')}`, 'i');

const indexPattern = one(
  `CREATE (?:UNIQUE )?INDEX (?:CONCURRENTLY )?${exists}(${part}) ON (?:ONLY )?(${path})`,
);
const alteredIndex = one(`(?:ALTER|DROP|COMMENT ON) INDEX (?:CONCURRENTLY )?${exists}(${path})`);
const columnComment = one(`COMMENT ON COLUMN (${path})`);
const ofTable = [
  one(`(?:CREATE|ALTER|DROP) POLICY ${exists}${part} ON (${path})`),
  one(
    `CREATE (?:OR REPLACE )?(?:CONSTRAINT )?TRIGGER ${part} (?:BEFORE|AFTER|INSTEAD OF) [\\s\\S]*? ON (${path})`,
  ),
  one(`(?:ALTER|DROP) TRIGGER ${exists}${part} ON (${path})`),
  one(`CREATE (?:OR REPLACE )?RULE ${part} AS ON \\w+ TO (${path})`),
  one(`(?:ALTER|DROP) RULE ${exists}${part} ON (${path})`),
  one(`COMMENT ON (?:CONSTRAINT|POLICY|TRIGGER|RULE) ${part} ON (${path})`),
];
const domainConstraint = one(`COMMENT ON CONSTRAINT ${part} ON DOMAIN (${path})`);
const userMapping = one(`(?:CREATE|ALTER|DROP) USER MAPPING ${exists}FOR ${part} SERVER (${part})`);
const privileges = one(`(?:GRANT|REVOKE) [\\s\\S]*? ON (?:${kind} )?(${path})`);
const membership = one(`(?:GRANT|REVOKE) (?:[\\w\\s]+? FOR )?(${part}) (?:TO|FROM)`);
const named = one(
  `(?:CREATE|ALTER|DROP|COMMENT ON|SECURITY LABEL ON) (?:OR REPLACE )?(?:UNLOGGED |TEMP |TEMPORARY |RECURSIVE )*${kind} (?:CONCURRENTLY )?${exists}(?:ONLY )?(${path})`,
);
const defaultPrivileges = one('ALTER DEFAULT PRIVILEGES');

/** The kinds without a schema. */
const global: ReadonlySet<string> = new Set([
  'schema',
  'extension',
  'role',
  'publication',
  'subscription',
  'server',
  'foreign server',
  'foreign data wrapper',
  'event trigger',
  'access method',
  'language',
  'cast',
]);

/** Returns the parts of a name without quotes. Names without quotes are in lowercase, as in PostgreSQL. */
const partsOf = (name: string): string[] =>
  (name.match(new RegExp(part, 'g')) ?? []).map((each) =>
    each.startsWith('"') ? each.slice(1, -1).replaceAll('""', '"') : each.toLowerCase(),
  );

const qualified = (parts: readonly string[]): string =>
  parts.length === 1 ? `public.${parts[0]}` : parts.join('.');

const table = (parts: readonly string[]): Subject => ({ kind: 'table', name: qualified(parts) });

/** The tables of indexes, by the index's name with its schema. */
export type IndexTables = ReadonlyMap<string, string>;

/** Returns the tables of the indexes that these statements create. */
export function indexTables(statements: readonly string[]): IndexTables {
  const found = new Map<string, string>();
  for (const statement of statements) {
    const [, index = '', relation] = indexPattern.exec(statement) ?? [];
    if (relation === undefined) continue;
    const name = qualified(partsOf(relation));
    found.set(`${name.slice(0, name.lastIndexOf('.'))}.${partsOf(index).join('.')}`, name);
  }
  return found;
}

/**
 * Returns the object to which the statement belongs, or undefined if the statement doesn't change an object. Names
 * without a schema refer to `public`.
 * @example subjectOf('create policy "p" on notes using (true)', new Map()); // { kind: 'table', name: 'public.notes' }
 */
export function subjectOf(statement: string, indexes: IndexTables): Subject | undefined {
  const text = statement.trimStart();
  const [, , indexed] = indexPattern.exec(text) ?? [];
  if (indexed !== undefined) return table(partsOf(indexed));
  const [, index] = alteredIndex.exec(text) ?? [];
  if (index !== undefined) {
    const name = qualified(partsOf(index));
    const relation = indexes.get(name);
    return relation === undefined ? { kind: 'index', name } : { kind: 'table', name: relation };
  }
  const [, domain] = domainConstraint.exec(text) ?? [];
  if (domain !== undefined) return { kind: 'domain', name: qualified(partsOf(domain)) };
  const [, column] = columnComment.exec(text) ?? [];
  if (column !== undefined) return table(partsOf(column).slice(0, -1));
  for (const pattern of ofTable) {
    const [, relation] = pattern.exec(text) ?? [];
    if (relation !== undefined) return table(partsOf(relation));
  }
  if (defaultPrivileges.test(text)) return { kind: 'default privileges', name: '' };
  const [, server] = userMapping.exec(text) ?? [];
  if (server !== undefined) return { kind: 'server', name: partsOf(server).join('.') };
  const granted = privileges.exec(text);
  if (granted !== null) return of(granted[1] ?? 'TABLE', partsOf(granted[2] ?? ''));
  const [, role] = membership.exec(text) ?? [];
  if (role !== undefined) return of('ROLE', partsOf(role));
  const found = named.exec(text);
  return found === null ? undefined : of(found[1] ?? '', partsOf(found[2] ?? ''));
}

function of(words: string, parts: readonly string[]): Subject {
  const shown = words.toLowerCase().replaceAll(/\s+/g, ' ');
  const kind = shown === 'foreign server' ? 'server' : shown === 'routine' ? 'function' : shown;
  return { kind, name: global.has(kind) ? parts.join('.') : qualified(parts) };
}

/** The kinds that share their names with tables. A statement can change a view with ALTER TABLE. */
const relations: ReadonlySet<string> = new Set([
  'table',
  'view',
  'materialized view',
  'foreign table',
  'sequence',
]);

/** Returns a key that is the same for all statements that belong to an object. */
export const keyOf = ({ kind, name }: Subject): string =>
  JSON.stringify([relations.has(kind) ? 'relation' : kind === 'procedure' ? 'function' : kind, name]);
