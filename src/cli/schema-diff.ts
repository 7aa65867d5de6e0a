/** Compares the schemas of two databases for a command, and asks about renames. */
import { createInterface } from 'node:readline/promises';
import type { ConnectionOptions } from '../database/index.ts';
import { compareSnapshots, diffScript, type Rename, readSnapshot, type SchemaDiff } from '../diff/index.ts';
import { describeError } from './errors.ts';
import { say } from './output.ts';

export interface SchemaDiffOptions {
  readonly from: ConnectionOptions;
  readonly to: ConnectionOptions;
  readonly schemas: readonly string[];
  /** Runs the result in `from`, if that is a temporary database. */
  readonly rehearse?: ((text: string) => Promise<void>) | undefined;
}

/**
 * Returns the SQL that turns `from` into `to`, or an empty string. With `rehearse`, the SQL is run, and statements for
 * the remaining differences are appended.
 */
export async function schemaDiff({ from, to, schemas, rehearse }: SchemaDiffOptions): Promise<string> {
  say(schemas.length === 0 ? 'Diffing schemas...' : `Diffing schemas: ${schemas.join(',')}`);
  const [before, after] = [await readSnapshot(from), await readSnapshot(to)];
  const compare = (renames: readonly Rename[]): SchemaDiff =>
    compareSnapshots(before, after, { schemas, renames });
  const diff = compare([]);
  const renames = await acceptedRenames(diff.possibleRenames);
  const result = renames.length === 0 ? diff : compare(renames);
  warnOfDrops(result);
  const text = diffScript(result);
  if (text === '' || rehearse === undefined) return text;
  try {
    await rehearse(text);
  } catch (error) {
    say(`WARNING: These statements fail in a database with the migrations:\n${describeError(error).message}`);
    return text;
  }
  const rest = diffScript(compareSnapshots(await readSnapshot(from), after, { schemas }));
  return rest === '' ? text : `${text}\n${rest}`;
}

async function acceptedRenames(candidates: readonly Rename[]): Promise<Rename[]> {
  if (candidates.length === 0 || !process.stdin.isTTY) return [];
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const accepted: Rename[] = [];
    for (const rename of candidates) {
      if (accepted.some(({ from, to }) => from === rename.from || to === rename.to)) continue;
      const answer = await terminal.question(
        `Was ${rename.kind} ${rename.from} renamed to ${rename.to}? [y/N] `,
      );
      if (/^y/i.test(answer.trim())) accepted.push(rename);
    }
    return accepted;
  } finally {
    terminal.close();
  }
}

function warnOfDrops({ statements }: SchemaDiff): void {
  const drops = statements.filter(
    ({ text, isDestructive }) => isDestructive || /^(DROP|ALTER .* DROP) /.test(text),
  );
  if (drops.length === 0) return;
  say('Found drop statements in schema diff. Please double check if these are expected:');
  for (const { text } of drops) say(text);
}
