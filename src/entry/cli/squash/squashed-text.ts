/**
 * Creates a single migration that has the same result as several migrations, and replaces their files. The original
 * files can always be restored.
 */
import { copyFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import {
  type DumpOptions,
  type DumpReport,
  dumpDatabase,
  streamOutput,
} from '../../../operations/dump/index.ts';
import { compareSnapshots, diffScript, readSnapshot, type Snapshot } from '../../../project/diff/index.ts';
import { CommandError, describeError } from '../errors.ts';
import { say } from '../output.ts';
import type { Shadow, Shadows } from '../shadow.ts';

/** The text between the statements of a role dump. */
const separator = ';\n\n';

/**
 * Applies the migrations up to this version in a temporary database and dumps the database's schema. Runs the dump in
 * another temporary database and compares the schemas of the two databases.
 *
 * @throws {ProjectError} if a migration fails
 * @throws {CommandError} if the dump doesn't create the same schema
 */
export async function squashedText(shadows: Shadows, version: string): Promise<string> {
  const original = await shadows.fromMigrations({ upToVersion: version, isStrict: true });
  const copy = await shadows.fromRoles();
  const roles = await newRoles(copy, original);
  const { text, report } = await dump(original, 'schema');
  for (const object of report.unsupported) say(`WARNING: not included: ${object}`);
  const wanted = await readSnapshot(original.target);
  const squashed = `${roles}${text}`;
  await copy.run(squashed).catch((error: unknown) => {
    const { message, advice } = describeError(error);
    throw new CommandError(
      "The migrations can't be squashed, because the dump of their schema fails. No file was changed.",
      message,
      ...advice,
    );
  });
  const rest = await differences(copy, wanted);
  if (rest === '') return squashed;
  await copy.run(rest);
  const left = await differences(copy, wanted);
  if (left === '') return `${squashed}\n${rest}`;
  throw new CommandError(
    "The migrations can't be squashed, because one file can't create the same schema. No file was changed.",
    'These differences would remain:',
    left,
  );
}

const differences = async (copy: Shadow, wanted: Snapshot): Promise<string> =>
  diffScript(compareSnapshots(await readSnapshot(copy.target), wanted, {}));

/**
 * Returns the statements that create and change roles. A schema dump doesn't contain these statements, because roles
 * don't belong to a schema.
 */
async function newRoles(before: Shadow, after: Shadow): Promise<string> {
  const known = new Set((await dump(before, 'roles')).text.split(separator));
  const added = (await dump(after, 'roles')).text
    .split(separator)
    .filter((statement) => !known.has(statement));
  return added.map((statement) => `${statement}${separator}`).join('');
}

async function dump(
  { target }: Shadow,
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

/**
 * Writes the text to the last file and removes the other files. Keeps copies of all files in `backupDir`. If a step
 * fails, the original files are restored.
 */
export function replaceFiles(paths: readonly string[], text: string, backupDir: string): void {
  const last = paths.at(-1);
  if (last === undefined) return;
  mkdirSync(backupDir, { recursive: true });
  for (const path of paths) copyFileSync(path, join(backupDir, basename(path)));
  // The temporary file doesn't have the extension of migrations, so a leftover file is never run as a migration.
  const partial = join(dirname(last), `.${basename(last)}.new`);
  try {
    writeFileSync(partial, text, { flush: true });
    renameSync(partial, last);
    for (const path of paths.slice(0, -1)) rmSync(path);
  } catch (error) {
    rmSync(partial, { force: true });
    for (const path of paths) copyFileSync(join(backupDir, basename(path)), path);
    throw error;
  }
}
