/**
 * Creates the text of a single migration that has the same result as several migrations, and checks it in a temporary
 * database.
 */
import { Writable } from 'node:stream';
import {
  type DumpOptions,
  type DumpReport,
  dumpDatabase,
  streamOutput,
} from '../../operations/dump/index.ts';
import type { ConnectionOptions } from '../../platform/database/index.ts';

/** The text between the statements of a role dump. */
const separator = ';\n\n';

/** A temporary database. */
export interface SquashDatabase {
  readonly target: ConnectionOptions;
  /** Runs SQL as a migration. */
  run(text: string): Promise<void>;
}

export interface SquashInput {
  /** Contains the migrations. */
  readonly original: SquashDatabase;
  /** Contains only the roles of `roles.sql`. */
  readonly copy: SquashDatabase;
  /** Returns the statements that turn the schema of `copy` into that of `original`, or an empty string. */
  readonly differences: () => Promise<string>;
  /** Called with each object that the text can't contain. */
  readonly onUnsupported: (object: string) => void;
}

/** The migrations can't be squashed. Either `cause` is the error of the dump, or `differences` would remain. */
export class SquashError extends Error {
  override readonly name = 'SquashError';
  readonly differences: string | undefined;

  constructor(message: string, { cause, differences }: { cause?: unknown; differences?: string }) {
    super(message, { cause });
    this.differences = differences;
  }
}

/**
 * Dumps the schema of `original`, runs the dump in `copy` and compares the schemas of the two databases.
 *
 * @throws {SquashError} if the dump doesn't create the same schema
 */
export async function squashedText({
  original,
  copy,
  differences,
  onUnsupported,
}: SquashInput): Promise<string> {
  const roles = await newRoles(copy, original);
  const { text, report } = await dump(original, 'schema');
  for (const object of report.unsupported) onUnsupported(object);
  const squashed = `${roles}${text}`;
  await copy.run(squashed).catch((cause: unknown) => {
    throw new SquashError(
      "The migrations can't be squashed, because the dump of their schema fails. No file was changed.",
      { cause },
    );
  });
  const rest = await differences();
  if (rest === '') return squashed;
  await copy.run(rest);
  const left = await differences();
  if (left === '') return `${squashed}\n${rest}`;
  throw new SquashError(
    "The migrations can't be squashed, because one file can't create the same schema. No file was changed.",
    { differences: left },
  );
}

/**
 * Returns the statements that create and change roles. A schema dump doesn't contain these statements, because roles
 * don't belong to a schema.
 */
async function newRoles(before: SquashDatabase, after: SquashDatabase): Promise<string> {
  const known = new Set((await dump(before, 'roles')).text.split(separator));
  const added = (await dump(after, 'roles')).text
    .split(separator)
    .filter((statement) => !known.has(statement));
  return added.map((statement) => `${statement}${separator}`).join('');
}

async function dump(
  { target }: SquashDatabase,
  content: DumpOptions['content'],
): Promise<{ text: string; report: DumpReport }> {
  const chunks: Buffer[] = [];
  const output = streamOutput(
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        chunks.push(Buffer.from(chunk));
        done();
      },
    }),
  );
  const report = await dumpDatabase({ target, output, content, onProgress: () => undefined });
  await output.finish();
  return { text: Buffer.concat(chunks).toString('utf8'), report };
}
