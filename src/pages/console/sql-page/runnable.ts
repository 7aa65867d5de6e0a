/**
 * Prepares statements to be run: numbers their parameters, binds the values, and checks the queries of read-only
 * operators.
 */
import type { BoundParameter, Database } from '../../../platform/database/types.ts';
import { ConsoleError } from '../errors.ts';
import type { ParameterValue } from './contract.ts';
import { type Numbered, numberParameters, parameterNames } from './core/parameters.ts';
import { type Statement, splitStatements } from './core/statements.ts';
import { typeOids } from './parameter-types.ts';
import { readOnlyQuery } from './read-only.ts';

export interface Runnable {
  readonly statement: Statement;
  /** The text of the statement to run, with numbered parameters. */
  readonly text: string;
  readonly parameters: readonly BoundParameter[];
  /**
   * Converts an offset in {@link text} to an offset in the script. Undefined if the text was printed by PostgreSQL,
   * because its offsets then don't correspond to offsets in the script.
   */
  readonly scriptOffset: ((offset: number) => number) | undefined;
}

/**
 * Prepares the statements in a script.
 *
 * @throws {ConsoleError} read_only if the operator is read-only and may not run a statement
 */
export async function runnables(
  database: Database,
  statements: readonly Statement[],
  options: {
    readonly values: readonly ParameterValue[];
    readonly isReadOnly: boolean;
    readonly signal: AbortSignal;
  },
): Promise<Runnable[]> {
  const { values, isReadOnly, signal } = options;
  const prepared: Runnable[] = [];
  for (const statement of statements) {
    signal.throwIfAborted();
    const numbered = numberParameters(statement);
    const found = numbered.names.map((name) => parameterNamed(name, values));
    prepared.push(
      isReadOnly
        ? {
            statement,
            ...(await readOnlyQuery(database, statement, numbered, found)),
            scriptOffset: undefined,
          }
        : ownText(statement, numbered, found),
    );
  }
  return prepared;
}

const ownText = (statement: Statement, numbered: Numbered, values: readonly ParameterValue[]): Runnable => ({
  statement,
  text: numbered.print((number) => `$${number}`),
  parameters: values.map(({ type, value }) => ({ typeOid: typeOids[type], value })),
  scriptOffset: (offset) => statement.start + numbered.ownOffset(offset),
});

/** Returns the value of a parameter. The caller has already checked that each parameter has a value. */
function parameterNamed(name: string, values: readonly ParameterValue[]): ParameterValue {
  return values.find((each) => each.name === name) ?? { name, type: 'auto', value: null };
}

/** Returns the statements in the text. @throws {ConsoleError} bad_request if the text contains no statements */
export function statementsIn(text: string): Statement[] {
  const statements = splitStatements(text);
  if (statements.length === 0)
    throw new ConsoleError('bad_request', { message: 'The text contains no SQL statement.' });
  return statements;
}

/** Checks that all parameters in the script have values. @throws {ConsoleError} bad_request if a value is missing */
export function requireValues(statements: readonly Statement[], values: readonly ParameterValue[]): void {
  const missing = parameterNames(statements).filter((name) => !values.some((value) => value.name === name));
  if (missing.length === 0) return;
  const shown = missing.map((name) => (/^\d/.test(name) ? `$${name}` : `:${name}`)).join(', ');
  throw new ConsoleError('bad_request', { message: `Enter a value for each parameter: ${shown}.` });
}

/**
 * Returns the text's only statement.
 *
 * @throws {ConsoleError} bad_request if the text doesn't contain exactly one statement
 */
export function oneStatement(text: string): Statement {
  const [statement, second] = splitStatements(text);
  if (statement === undefined || second !== undefined)
    throw new ConsoleError('bad_request', { message: 'Enter exactly one statement.' });
  return statement;
}
