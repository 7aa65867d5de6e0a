import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type Command, type Input, projectOptions } from '../command.ts';
import { initialConfig } from '../core/initial-config.ts';
import { CommandError } from '../errors.ts';
import { print } from '../output.ts';

export const init: Command = {
  name: 'init',
  about: 'Creates supabase/config.toml in the working directory. The file is optional.',
  options: {
    workdir: projectOptions.workdir,
    force: { type: 'boolean', help: 'Replaces an existing config.toml.' },
  },
  examples: [
    ['plinth init && plinth start', 'starts a new project'],
    ['plinth init --force', 'restores the defaults'],
  ],
  run: async (input) => {
    const projectDir = projectDirOf(input);
    const supabaseDir = join(projectDir, 'supabase');
    const path = join(supabaseDir, 'config.toml');
    if (existsSync(path) && !input.flag('force')) {
      throw new CommandError(`${path} already exists.`, 'Use --force to replace it.');
    }
    mkdirSync(supabaseDir, { recursive: true });
    writeFileSync(path, initialConfig(basename(projectDir)));
    if (isInGit(projectDir)) ignoreFiles(join(supabaseDir, '.gitignore'));
    print('Finished plinth init.');
    return 0;
  },
};

const projectDirOf = (input: Input) => resolve(input.text('workdir') ?? process.cwd());

const isInGit = (dir: string): boolean =>
  existsSync(join(dir, '.git')) || (dirname(dir) !== dir && isInGit(dirname(dir)));

/** Private files that upstream's CLI and dotenv create. */
const ignored = ['.branches', '.temp', '.env.keys', '.env.local', '.env.*.local'];

function ignoreFiles(path: string): void {
  const before = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const missing = ignored.filter((name) => !before.split('\n').includes(name));
  if (missing.length === 0) return;
  appendFileSync(path, `${before === '' || before.endsWith('\n') ? '' : '\n'}${missing.join('\n')}\n`);
}
