/** Creates the source's definitions on the target in one transaction. */

import type { MoveStatement } from '../../operations/dump/index.ts';
import { PostgresError } from '../../platform/database/index.ts';
import { MigrateError } from './errors.ts';
import type { End } from './types.ts';

export interface ApplyOptions {
  /** Skips statements that fail, and returns them. */
  readonly keepGoing: boolean;
  /** Rolls back all changes, and skips failed statements even if `keepGoing` is false. */
  readonly dryRun?: boolean;
}

export interface SkippedDefinition {
  readonly text: string;
  /** Whether the project works without the definition. */
  readonly isMinor: boolean;
}

/** Returns the statements that were skipped because they failed. @throws {MigrateError} definition_failed */
export async function applyDefinitions(
  { session }: End,
  statements: readonly MoveStatement[],
  { keepGoing, dryRun = false }: ApplyOptions,
): Promise<SkippedDefinition[]> {
  const skipped: SkippedDefinition[] = [];
  if (statements.length === 0) return skipped;
  await session.exec('begin');
  try {
    // The bodies of functions can refer to objects that are created later.
    await session.exec('set local check_function_bodies = false');
    for (const statement of statements) {
      const failure = await attempt(session, statement);
      if (failure === undefined) continue;
      if (!dryRun && !keepGoing && !isMinor(statement, failure))
        throw new MigrateError(
          'definition_failed',
          { subject: statement.subject, reason: reasonOf(failure) },
          failure,
        );
      skipped.push({
        text: `${statement.subject}: ${reasonOf(failure)}`,
        isMinor: isMinor(statement, failure),
      });
    }
    await session.exec(dryRun ? 'rollback' : 'commit');
    return skipped;
  } catch (error) {
    if (session.isOpen()) await session.exec('rollback');
    throw error;
  }
}

async function attempt(session: End['session'], { text }: MoveStatement): Promise<PostgresError | undefined> {
  await session.exec('savepoint definition');
  try {
    await session.exec(text);
    await session.exec('release savepoint definition');
    return undefined;
  } catch (error) {
    if (!(error instanceof PostgresError) || !session.isOpen()) throw error;
    await session.exec('rollback to savepoint definition');
    return error;
  }
}

/**
 * Whether the project works without this definition. Such definitions refer to roles that the target doesn't have, or
 * require permissions that the account doesn't have.
 */
const isMinor = ({ subject, text }: MoveStatement, { code }: PostgresError): boolean =>
  (code === '42704' || code === '42501') &&
  (/^(privileges on|default privileges|roles|EVENT TRIGGER|PUBLICATION)/.test(subject) ||
    / OWNER TO \S+$/.test(text));

const reasonOf = ({ message, detail }: PostgresError): string =>
  [message, detail].filter(Boolean).join('; ').replaceAll('\n', ' ');
