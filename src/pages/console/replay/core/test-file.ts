/** Formats a replayed request as a pgTAP test (pgTAP 1.3). */
import { quoteIdentifier, quoteLiteral } from '../../../../base/kernel/sql.ts';
import type { ReplayedStatement, ReplayResponse } from '../../../../services/rest/index.ts';
import { ConsoleError } from '../../errors.ts';
import type { Expectation } from '../contract.ts';
import { hasFailed } from './meets.ts';
import type { Target } from './target.ts';

export interface TestedRequest {
  readonly method: string;
  readonly url: string;
  readonly target: Extract<Target, { readonly path: string }>;
  /** The schema that the request selects. */
  readonly schema: string;
  readonly persona: string;
  readonly response: ReplayResponse;
  readonly expects: Expectation;
}

/**
 * Returns the text of the test. If the request reached the database, the test runs the request's statements. A request
 * that failed because of a missing table, column or function is tested for this object.
 * @throws {ConsoleError} refused if neither is possible
 */
export function testText(tested: TestedRequest): string {
  const { response, expects } = tested;
  const what = comment(`${tested.method} ${tested.url} as ${tested.persona}`);
  const missing = response.statements.length === 0 ? missingObject(tested) : undefined;
  if (response.statements.length === 0 && missing === undefined)
    throw new ConsoleError('refused', {
      message: 'This request fails before a statement runs, so a test in SQL is not possible.',
    });
  if (missing !== undefined && expects !== 'succeeds')
    throw new ConsoleError('refused', {
      message:
        'This request fails because of a missing object. A test can only expect that the object exists.',
    });
  return `${[
    `-- ${what}`,
    '-- Generated from a replayed request. The rows that the request needs must exist before the test, or be inserted',
    '-- here before the role is set.',
    'begin;',
    'select plan(1);',
    '',
    ...(missing === undefined ? statementTest(tested, what) : [`${missing};`]),
    '',
    'select * from finish();',
    'rollback;',
  ].join('\n')}\n`;
}

function statementTest(tested: TestedRequest, what: string): string[] {
  const { response, target, expects } = tested;
  const { statements } = response;
  const last = statements.at(-1) as ReplayedStatement;
  const isPlainRest = target.kind === 'rest' && !/^explain/i.test(last.text);
  if ((expects === 'rows' || expects === 'no-rows') && !isPlainRest)
    throw new ConsoleError('refused', {
      message: 'Only tests of REST requests can expect a number of rows.',
    });
  if (
    (expects === 'succeeds' || expects === 'fails') &&
    hasFailed(response) &&
    response.sqlstate === undefined
  )
    return serviceRejection(tested, what);
  return withAssertion(tested, what, expects);
}

/**
 * A request can fail although the database executed its statements. SQL can express only that a single row was expected
 * and none was found.
 * @throws {ConsoleError} refused
 */
function serviceRejection(tested: TestedRequest, what: string): string[] {
  const isEmpty = codeOf(tested.response.text) === 'PGRST116' && /contains 0 rows/.test(tested.response.text);
  if (!isEmpty)
    throw new ConsoleError('refused', {
      message:
        'The database executed this request, and the service rejected the result, so a test in SQL is not possible.',
    });
  return withAssertion(tested, what, tested.expects === 'succeeds' ? 'rows' : 'no-rows');
}

function withAssertion({ response }: TestedRequest, what: string, expects: Expectation): string[] {
  const { statements } = response;
  const last = statements.at(-1) as ReplayedStatement;
  const isSummary = /^with pgrst_source as/i.test(last.text);
  const name = unusedName(statements);
  const prepared = statements.flatMap((statement, index) => prepare(`${name}_${index + 1}`, statement));
  const runs = statements.map((statement, index) => executeText(`${name}_${index + 1}`, statement));
  return [
    ...prepared,
    '',
    ...settingsOf(last),
    '',
    ...runs.slice(0, -1).map((text) => `${text};`),
    ...assertion({ expects, isSummary, run: runs.at(-1) ?? '', what: quoteLiteral(what), name, response }),
    'reset role;',
  ];
}

function assertion({
  expects,
  isSummary,
  run,
  what,
  name,
  response,
}: {
  readonly expects: Expectation;
  readonly isSummary: boolean;
  readonly run: string;
  readonly what: string;
  readonly name: string;
  readonly response: ReplayResponse;
}): string[] {
  const quoted = quoteLiteral(run);
  switch (expects) {
    case 'succeeds':
      return [`select lives_ok(${quoted}, ${what});`];
    case 'fails': {
      const state = response.sqlstate;
      return [
        `select throws_ok(${quoted}, ${state === undefined ? 'null' : quoteLiteral(state)}, null, ${what});`,
      ];
    }
    case 'rows':
    case 'no-rows': {
      if (!isSummary)
        return [`select ${expects === 'rows' ? 'isnt_empty' : 'is_empty'}(${quoted}, ${what});`];
      const table = quoteIdentifier(`${name}_result`);
      return [
        `create temporary table ${table} as ${run};`,
        `select cmp_ok((select rows from pg_temp.${table})::bigint, ${quoteLiteral(expects === 'rows' ? '>' : '=')}, 0::bigint, ${what});`,
      ];
    }
  }
}

/** Returns the code of a REST error. */
function codeOf(text: string): string | undefined {
  try {
    const { code } = JSON.parse(text) as { code?: unknown };
    return typeof code === 'string' ? code : undefined;
  } catch {
    return undefined;
  }
}

const prepare = (name: string, { text }: ReplayedStatement): string[] => [
  `prepare ${quoteIdentifier(name)} as`,
  `${text};`,
];

function executeText(name: string, { params }: ReplayedStatement): string {
  const values = params.map((value) =>
    value === null
      ? 'null'
      : quoteLiteral(typeof value === 'string' ? value : Buffer.from(value).toString('utf8')),
  );
  return `execute ${quoteIdentifier(name)}${values.length === 0 ? '' : ` (${values.join(', ')})`}`;
}

/** Returns the settings of the request's transaction, except the token in its headers. */
function settingsOf({ settings }: ReplayedStatement): string[] {
  return settings
    .filter(([name]) => name !== 'search_path')
    .map(([name, value]) => {
      const shown = name === 'request.headers' ? withoutToken(value) : value;
      return `select set_config(${quoteLiteral(name)}, ${quoteLiteral(shown)}, true);`;
    });
}

function withoutToken(json: string): string {
  const { authorization: _token, ...headers } = JSON.parse(json) as Record<string, unknown>;
  return JSON.stringify(headers);
}

/** Returns a name that no statement contains. */
function unusedName(statements: readonly ReplayedStatement[]): string {
  let name = 'request';
  while (statements.some(({ text }) => text.includes(`${name}_`))) name += 'x';
  return name;
}

/** Returns the assertion that the object exists that the request needs. */
function missingObject({ response, target, schema }: TestedRequest): string | undefined {
  const code = codeOf(response.text);
  const [, first = '', second = ''] = target.path.split('/').map(decodeURIComponent);
  const schemaText = quoteLiteral(schema);
  if (code === 'PGRST205')
    return `select has_relation(${schemaText}, ${quoteLiteral(first)}, ${quoteLiteral(`${schema}.${first} exists`)})`;
  if (code === 'PGRST202')
    return `select has_function(${schemaText}, ${quoteLiteral(second)}, ${quoteLiteral(`${schema}.${second} exists`)})`;
  if (code === 'PGRST204') {
    const column = /'(.*)' column of '/s.exec(response.text)?.[1];
    if (column === undefined) return undefined;
    const shown = quoteLiteral(`${schema}.${first} has a column ${column}`);
    return `select has_column(${schemaText}, ${quoteLiteral(first)}, ${quoteLiteral(column)}, ${shown})`;
  }
  return undefined;
}

/** Returns text for a comment on one line. */
const comment = (text: string): string => text.replaceAll(/\p{Cc}|\p{Zl}|\p{Zp}/gu, ' ').slice(0, 300);

/** Returns the name of the test's file. */
export function testName({ method, target }: Pick<TestedRequest, 'method' | 'target'>): string {
  const words = target.kind === 'rest' ? target.path : target.kind;
  const slug = words
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .toLowerCase()
    .slice(0, 60);
  return `replay_${method.toLowerCase()}_${slug || 'root'}`;
}
