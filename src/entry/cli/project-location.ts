/** Finds the project folder and the data folder for a command. */
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Input, UsageError } from './command.ts';

export interface ProjectLocation {
  readonly projectDir: string;
  readonly dataDir: string;
}

/**
 * Returns the folder specified with `--workdir`. Defaults to the nearest folder, from the working directory upward,
 * that contains `supabase/`, or to the working directory if none of these folders does.
 *
 * @throws {UsageError} if the `--workdir` folder doesn't exist
 */
export function locationOf(input: Input): ProjectLocation {
  const named = input.text('workdir');
  if (named !== undefined && !existsSync(named))
    throw new UsageError(`--workdir: the folder ${named} doesn't exist`);
  const found = named ?? findProjectDir(process.cwd()) ?? process.cwd();
  const projectDir = realpathSync(resolve(found));
  return { projectDir, dataDir: resolve(input.text('data-dir') ?? join(projectDir, '.plinth')) };
}

/**
 * Returns the closest folder whose `supabase/` contains a configuration file or migrations, starting at `from` and
 * searching upward. Returns undefined if no folder matches.
 *
 * @example findProjectDir('/home/ada/app/src') // '/home/ada/app'
 */
function findProjectDir(from: string): string | undefined {
  for (let dir = resolve(from); ; dir = dirname(dir)) {
    const supabase = join(dir, 'supabase');
    const marks = ['config.toml', 'config.json', 'config.jsonc', 'plinth.toml', 'migrations'];
    if (marks.some((mark) => existsSync(join(supabase, mark)))) return dir;
    if (dirname(dir) === dir) return undefined;
  }
}
