/** Checks the script in a request before the script runs. */
import { ConsoleError } from '../errors.ts';
import type { ParameterValue } from './contract.ts';
import { parameterNames } from './core/parameters.ts';
import { type Statement, splitStatements } from './core/statements.ts';

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
