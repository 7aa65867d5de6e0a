import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/**
 * Returns the closest folder whose `supabase/` contains a configuration file or migrations, starting at `from` and
 * searching upward. Returns undefined if no folder matches.
 *
 * @example findProjectDir('/home/ada/app/src') // '/home/ada/app'
 */
export function findProjectDir(from: string): string | undefined {
  for (let dir = resolve(from); ; dir = dirname(dir)) {
    const supabase = join(dir, 'supabase');
    const marks = ['config.toml', 'config.json', 'config.jsonc', 'plinth.toml', 'migrations'];
    if (marks.some((mark) => existsSync(join(supabase, mark)))) return dir;
    if (dirname(dir) === dir) return undefined;
  }
}
