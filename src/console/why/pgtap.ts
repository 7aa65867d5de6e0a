/** Prints the result as a pgTAP test (pgTAP 1.3), which fails if the database behaves differently. */
import { quoteIdentifier, quoteLiteral } from '../../kernel/sql.ts';
import type { Identity } from '../persona/act.ts';
import { settingsOf } from '../persona/act.ts';
import type { Answer } from './contract.ts';
import type { Asked, Cells } from './statement.ts';

export function pgTapTest(answer: Answer, asked: Asked, identity: Identity): string {
  const { relation, operation, truth, persona } = answer;
  const table = `${quoteIdentifier(relation.schema)}.${quoteIdentifier(relation.name)}`;
  const what = `${persona} ${words[truth.verdict]} ${operation} this row of ${relation.schema}.${relation.name}`;
  const settings = identity.claims === undefined ? [] : settingsOf(identity, ['public', 'extensions']);
  return `${[
    'begin;',
    'select plan(1);',
    '',
    '-- The row has to be there already: put an insert here if the test is to bring it along.',
    ...settings
      .filter(([name]) => name !== 'search_path')
      .map(([name, value]) => `select set_config(${quoteLiteral(name)}, ${quoteLiteral(value)}, true);`),
    '',
    assertion(answer, statementText(table, asked), what),
    '',
    'reset role;',
    'select * from finish();',
    'rollback;',
  ].join('\n')}\n`;
}

const words = { allowed: 'may', hidden: 'finds nothing to', refused: 'may not' } as const;

function assertion({ truth }: Answer, statement: string, what: string): string {
  const quoted = dollarQuoted(statement);
  switch (truth.verdict) {
    case 'refused':
      return `select throws_ok(${quoted}, ${quoteLiteral(truth.sqlstate ?? '42501')}, null, ${quoteLiteral(what)});`;
    case 'hidden':
      return `select is_empty(${quoted}, ${quoteLiteral(what)});`;
    case 'allowed':
      return `select isnt_empty(${quoted}, ${quoteLiteral(what)});`;
  }
}

/** Returned rows prove that the statement had an effect. RETURNING a constant reads no column. */
function statementText(table: string, { operation, key, values, returned }: Asked): string {
  const columns = returned.length > 0 ? returned.map((name) => quoteIdentifier(name)).join(', ') : '1';
  const where = `where ${Object.entries(key)
    .map(
      ([name, value]) =>
        `${quoteIdentifier(name)} ${value === null ? 'is null' : `= ${quoteLiteral(value)}`}`,
    )
    .join(' and ')}`;
  switch (operation) {
    case 'select':
      return `select ${columns} from ${table} ${where}`;
    case 'insert':
      return `insert into ${table} ${valuesText(values)} returning ${columns}`;
    case 'update':
      return `update ${table} set ${Object.entries(values)
        .map(([name, value]) => `${quoteIdentifier(name)} = ${literal(value)}`)
        .join(', ')} ${where} returning ${columns}`;
    case 'delete':
      return `delete from ${table} ${where} returning ${columns}`;
  }
}

function valuesText(values: Cells): string {
  const names = Object.keys(values);
  if (names.length === 0) return 'default values';
  return `(${names.map((name) => quoteIdentifier(name)).join(', ')}) values (${names
    .map((name) => literal(values[name] ?? null))
    .join(', ')})`;
}

const literal = (value: string | null): string => (value === null ? 'null' : quoteLiteral(value));

/** Quotes a text with a dollar tag that it doesn't contain. */
function dollarQuoted(text: string): string {
  let tag = 'test';
  while (text.includes(`$${tag}$`)) tag += '_';
  return `$${tag}$${text}$${tag}$`;
}
