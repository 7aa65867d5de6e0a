/** Which project a command is about, and where its data live. */
import { existsSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findProjectDir } from '../project/index.ts';
import { type Input, UsageError } from './command.ts';

export interface Place {
  readonly projectDir: string;
  readonly dataDir: string;
}

/**
 * `--workdir` as given, else the folder with `supabase/` looked for upward, else the working directory.
 *
 * @throws {UsageError} when the folder named does not exist.
 */
export function placeOf(input: Input): Place {
  const named = input.text('workdir');
  if (named !== undefined && !existsSync(named))
    throw new UsageError(`--workdir: the folder ${named} doesn't exist`);
  const found = named ?? findProjectDir(process.cwd()) ?? process.cwd();
  const projectDir = realpathSync(resolve(found));
  return { projectDir, dataDir: resolve(input.text('data-dir') ?? join(projectDir, '.plinth')) };
}
