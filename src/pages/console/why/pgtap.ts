/** Formats the result as a pgTAP test (pgTAP 1.3). The test fails if the behavior of the database has changed. */
import { quoteIdentifier, quoteLiteral } from '../../../base/kernel/sql.ts';
import type { Identity } from '../persona/act.ts';
import { settingsOf } from '../persona/act.ts';
import type { AccessReport } from './contract.ts';
import type { Cells, WhyStatement } from './statement.ts';

export function pgTapTest(report: AccessReport, statement: WhyStatement, identity: Identity): string {
  const { relation, operation, truth, persona } = report;
  const table = `${quoteIdentifier(relation.schema)}.${quoteIdentifier(relation.name)}`;
  const row = `this row of ${relation.schema}.${relation.name}`;
  const what = {
    allowed: `${persona} may ${operation} ${row}`,
    hidden: `${persona} can't see ${row} to ${operation} it`,
    refused: `${persona} may not ${operation} ${row}`,
  }[truth.verdict];
  const settings = identity.claims === undefined ? [] : settingsOf(identity, ['public', 'extensions']);
  return `${[
    'begin;',
    'select plan(1);',
    '',
    '-- The row must already exist. To make the test independent of it, insert the row here.',
    ...settings
      .filter(([name]) => name !== 'search_path')
      .map(([name, value]) => `select set_config(${quoteLiteral(name)}, ${quoteLiteral(value)}, true);`),
    '',
    assertion(report, statementText(table, statement), what),
    '',
    'reset role;',
    'select * from finish();',
    'rollback;',
  ].join('\n')}\n`;
}

function assertion({ truth }: AccessReport, statement: string, what: string): string {
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

/**
 * Returns the statement to use in the test. If a row is returned, the statement had an effect. RETURNING with only a
 * constant doesn't require the privilege to read a column.
 */
function statementText(table: string, { operation, key, values, returned }: WhyStatement): string {
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

/** Quotes text with a dollar-quote tag that the text doesn't contain. */
function dollarQuoted(text: string): string {
  let tag = 'test';
  while (text.includes(`$${tag}$`)) tag += '_';
  return `$${tag}$${text}$${tag}$`;
}
