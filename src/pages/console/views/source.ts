/** Prints the statements that define a view. */
import { quoteIdentifier, quoteLiteral } from '../../../base/kernel/sql.ts';
import { grantStatements } from '../core/grants.ts';
import type { ViewFacts } from './queries.ts';

const qualified = ({ schema, name }: { readonly schema: string; readonly name: string }): string =>
  `${quoteIdentifier(schema)}.${quoteIdentifier(name)}`;

/** Returns the statement that creates the view. Names are quoted only if PostgreSQL's printer quotes them. */
export function creationOf(view: ViewFacts): string {
  const { kind, options, query } = view;
  const settings = options.map(({ name, value }) => `${name} = ${quoteLiteral(value)}`).join(', ');
  const head = kind === 'view' ? 'create or replace view' : 'create materialized view';
  const storage = settings === '' ? '' : ` with (${settings})`;
  const rest = kind === 'view' || view.populated ? '' : '\nwith no data';
  return `${head} ${qualified(view)}${storage} as\n${query.trimEnd().replace(/;$/, '')}${rest};`;
}

/** Returns the statements that drop the view and create it again, with everything that belongs to it. */
export function recreationOf(view: ViewFacts, initial: readonly string[]): string {
  const target = qualified(view);
  const object = `${view.kind} ${target}`;
  return [
    `drop ${object};`,
    creationOf(view).replace('create or replace', 'create'),
    ...(view.owner === 'postgres' ? [] : [`alter ${object} owner to ${quoteIdentifier(view.owner)};`]),
    ...view.indexes.map(({ definition }) => `${definition};`),
    ...view.triggers.map((definition) => `${definition};`),
    ...grantStatements(target, view.acl, initial).map((statement) => `${statement};`),
    ...(view.comment === null ? [] : [`comment on ${object} is ${quoteLiteral(view.comment)};`]),
    ...view.column_comments.map(
      ({ column, comment }) =>
        `comment on column ${target}.${quoteIdentifier(column)} is ${quoteLiteral(comment)};`,
    ),
  ].join('\n\n');
}
