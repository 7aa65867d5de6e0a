/**
 * Checks the text with which an operator defines a function, a view or a trigger. The text may contain only statements
 * that create the object, or drop it and create it again with its grants, comment and indexes. Anything else belongs on
 * the SQL page, where destructive statements are confirmed.
 */
import { significant, tokenize } from '../../../../base/shared/sql/lex.ts';
import { statementsOf } from '../../core/statements-of.ts';
import type { DefinedObject } from '../definition-changes.ts';

/** Thrown if the text contains anything else. `message` is for the operator. */
export class DefinitionFault extends Error {}

const creations: Record<DefinedObject, RegExp> = {
  routine: /^create (?:or replace )?(?:function|procedure) /,
  view: /^create (?:(?:or replace )?(?:recursive )?|materialized )view /,
  trigger: /^create (?:or replace )?(?:constraint )?trigger /,
};

/** A name with its schema in the outline of a statement. */
const name = '[^ ,;()]+(?: \\. [^ ,;()]+)*';
const parameters = '(?: \\((?:[^()]|\\([^()]*\\))*\\))?';

/**
 * Statements that can precede or follow the creation. DROP can name only one object and can't have CASCADE, and ALTER
 * TABLE can have only one action, because other statements could delete rows and columns without a confirmation.
 */
const companions: Record<DefinedObject, RegExp> = {
  routine: new RegExp(
    `^(?:drop (?:function|procedure) (?:if exists )?${name}${parameters}(?: restrict)?$|alter (?:function|procedure) |(?:grant|revoke) .*\\bon (?:function|procedure) |comment on (?:function|procedure) )`,
  ),
  view: new RegExp(
    `^(?:drop (?:materialized )?view (?:if exists )?${name}(?: restrict)?$|alter (?:materialized )?view |create (?:unique )?index |create (?:or replace )?trigger |(?:grant|revoke) (?!.* on (?:all|schema|function|procedure|routine|sequence|database|type|domain|language|large|parameter|tablespace|foreign) ).* on |comment on (?:materialized view|view|column|index) )`,
  ),
  trigger: new RegExp(
    `^(?:drop trigger (?:if exists )?${name} on ${name}(?: restrict)?$|comment on trigger |alter table (?:only )?${name} (?:enable|disable) (?:always |replica )?trigger ${name}$)`,
  ),
};

const words: Record<DefinedObject, string> = {
  routine: 'CREATE FUNCTION or CREATE PROCEDURE',
  view: 'CREATE VIEW or CREATE MATERIALIZED VIEW',
  trigger: 'CREATE TRIGGER',
};

/** Returns the statements in the text. @throws {DefinitionFault} */
export function definitionStatements(object: DefinedObject, text: string): string[] {
  const statements = statementsOf(text).filter((statement) => outlineOf(statement) !== '');
  const outlines = statements.map(outlineOf);
  if (!outlines.some((outline) => creations[object].test(outline)))
    throw new DefinitionFault(`The text must contain ${words[object]}.`);
  for (const outline of outlines)
    if (!creations[object].test(outline) && !companions[object].test(outline))
      throw new DefinitionFault(
        `The text can contain only ${words[object]} and statements about the same object, not: ${outline.slice(0, 60)}…`,
      );
  return statements;
}

/**
 * Returns the statement's words in lowercase, separated by single spaces, without comments. Strings and quoted names are
 * empty, so that their text can't be mistaken for words.
 */
const outlineOf = (statement: string): string =>
  significant(tokenize(statement))
    .map(({ kind, text }) => (kind === 'string' ? "''" : kind === 'name' ? '""' : text))
    .join(' ');

/** Returns the name in the statement that creates the object, as written. Used for the audit log and suggested names. */
export function definedName(object: DefinedObject, text: string): string | undefined {
  for (const statement of statementsOf(text)) {
    const tokens = significant(tokenize(statement));
    const creation = creations[object].exec(`${outlineOf(statement)} `);
    if (creation === null) continue;
    let at = creation[0].trim().split(' ').length;
    // CREATE VIEW doesn't have IF NOT EXISTS, but CREATE MATERIALIZED VIEW does.
    if (tokens[at]?.text === 'if') at += 3;
    const parts: string[] = [];
    for (; tokens[at] !== undefined && parts.length < 5; at++) {
      const { kind, text: part } = tokens[at] as { kind: string; text: string };
      if (kind !== 'word' && kind !== 'name' && part !== '.') break;
      if (kind !== 'symbol' && parts.length > 0 && parts.at(-1) !== '.') break;
      parts.push(part);
    }
    return parts.join('') || undefined;
  }
  return undefined;
}

/** Returns the keywords with which the statement begins, such as `create or replace function public`. */
export function headOf(statement: string): string {
  const tokens = significant(tokenize(statement));
  const end = tokens.findIndex(({ kind }) => kind !== 'word');
  return tokens
    .slice(0, Math.min(end === -1 ? tokens.length : end, 6))
    .map(({ text }) => text)
    .join(' ');
}
