/**
 * Recognizes the statements in migrations that run even though PostgreSQL allows them only for superusers: those that
 * create event triggers and publications of all tables or of schemas, and those that add schemas to publications. The
 * token grammar is strict, so no other statement can run with Plinth's privileges. All other statements run as
 * `postgres`, and PostgreSQL itself rejects statements that need a superuser.
 */
import { lex } from '../../../base/shared/sql/lex.ts';

export interface Privileged {
  readonly object: 'event trigger' | 'publication' | 'extension';
  /** The object's name as written, which is a single identifier. */
  readonly name: string;
  /** Whether the statement changes an existing object, which only the object's owner can do. */
  readonly isChange?: boolean;
  /** The statement, rebuilt from its tokens. */
  readonly text: string;
}

const name = '(?:"[^"]+"|[a-z_][a-z0-9_$]*)';
const text = "'[a-z_, ]*'";

const eventTrigger = new RegExp(
  `^create event trigger (${name}) on ${name} ` +
    `(?:when ${name} in \\( ${text}(?: , ${text})* \\) (?:and ${name} in \\( ${text}(?: , ${text})* \\) )*)?` +
    `execute (?:function|procedure) ${name}(?: \\. ${name})? \\( \\)$`,
  'i',
);

const option = `${name}(?: = (?:${text}|true|false))?`;
const schemas = `tables in schema ${name}(?: , ${name})*`;
const publication = new RegExp(
  `^create publication (${name}) for (?:all tables|${schemas})(?: with \\( ${option}(?: , ${option})* \\))?$`,
  'i',
);
const publishedSchemas = new RegExp(`^alter publication (${name}) (?:add|set) ${schemas}$`, 'i');

export function asPrivileged(statement: string): Privileged | undefined {
  const tokens: string[] = [];
  for (const { kind, start, end } of lex(statement)) {
    if (kind !== 'space' && kind !== 'comment') tokens.push(statement.slice(start, end));
  }
  const rebuilt = tokens.join(' ');
  const trigger = eventTrigger.exec(rebuilt)?.[1];
  if (trigger !== undefined) return { object: 'event trigger', name: trigger, text: rebuilt };
  const published = publication.exec(rebuilt)?.[1];
  if (published !== undefined) return { object: 'publication', name: published, text: rebuilt };
  const changed = publishedSchemas.exec(rebuilt)?.[1];
  if (changed !== undefined) return { object: 'publication', name: changed, text: rebuilt, isChange: true };
  return undefined;
}
