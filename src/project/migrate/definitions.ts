/** Creates the source's definitions on the target in one transaction. */
import type { MoveStatement, ProjectPlan } from '../../operations/dump/index.ts';
import { PostgresError } from '../../platform/database/index.ts';
import { MigrateError } from './errors.ts';
import type { End } from './types.ts';

interface ApplyOptions {
  /** Skips statements that fail, and returns them. */
  readonly keepGoing: boolean;
  /** Rolls back all changes, and skips failed statements even if `keepGoing` is false. */
  readonly dryRun?: boolean;
}

interface SkippedDefinition {
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

export interface DefinitionPlan {
  /** Statements to run, in order. */
  readonly missing: readonly MoveStatement[];
  /** Objects whose definitions on source and target differ and that no statement can replace. */
  readonly different: readonly string[];
  /** Definitions that exist only on the target. */
  readonly extra: readonly string[];
  /** Extensions that the target's database server doesn't offer. */
  readonly unavailable: readonly string[];
}

interface ExtensionFacts {
  readonly extensions: ReadonlySet<string>;
  readonly availableExtensions: ReadonlySet<string>;
}

type Side = Pick<ProjectPlan, 'roles' | 'statements'>;

/** Determines which of the source's definitions are missing on the target. */
export function planDefinitions(source: Side, target: Side, facts: ExtensionFacts): DefinitionPlan {
  const present = new Set([...target.roles, ...target.statements].map(({ text }) => text));
  const wanted = new Set([...source.roles, ...source.statements].map(({ text }) => text));
  const existing = new Set(target.statements.filter(creates).map(({ subject }) => subject));
  const extensionOf = ({ kind, identity = '' }: MoveStatement): string | undefined =>
    kind === 'EXTENSION' ? unquoted(identity) : undefined;
  const unavailable = new Set<string>();
  const different: string[] = [];
  const missing: MoveStatement[] = [];
  const recreated = new Set<string>();
  for (const statement of [...source.roles, ...source.statements]) {
    if (present.has(statement.text) && !recreated.has(statement.subject)) continue;
    const extension = extensionOf(statement);
    if (extension !== undefined) {
      if (facts.extensions.has(extension)) continue;
      if (!facts.availableExtensions.has(extension)) {
        unavailable.add(extension);
        continue;
      }
    }
    if (creates(statement) && existing.has(statement.subject)) {
      if (!replaceable.has(statement.kind ?? '')) {
        if (!isRepeatable(statement.text)) {
          different.push(statement.subject);
          continue;
        }
      } else if (!recreated.has(statement.subject)) {
        recreated.add(statement.subject);
        missing.push({ ...statement, text: `DROP ${statement.kind} ${statement.identity}` });
      }
    }
    missing.push(statement);
  }
  const extra = target.statements
    .filter(({ text, kind }) => !wanted.has(text) && kind !== 'EXTENSION' && !isRepeatable(text))
    .map(({ subject }) => subject);
  return {
    missing,
    different: [...new Set(different)],
    extra: [...new Set(extra)].filter((subject) => !different.includes(subject)),
    unavailable: [...unavailable],
  };
}

const creates = ({ text }: MoveStatement): boolean => text.startsWith('CREATE ');

/** Kinds of objects that can be dropped and recreated, because no other objects depend on them. */
const replaceable: ReadonlySet<string> = new Set(['POLICY', 'TRIGGER', 'EVENT TRIGGER']);

/** Whether the statement also succeeds if the object exists with a different definition. */
const isRepeatable = (text: string): boolean =>
  /^(CREATE OR REPLACE|CREATE \w+ IF NOT EXISTS|DO )/.test(text);

const unquoted = (identity: string): string =>
  identity.startsWith('"') ? identity.slice(1, -1).replaceAll('""', '"') : identity;

/** Whether the definition is created after the rows are copied if triggers and foreign keys can't be disabled. */
export const isLate = ({ kind }: MoveStatement): boolean => kind === 'TRIGGER' || kind === 'FOREIGN KEY';
