import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { ignoreFiles, isInGit } from '../../../base/kernel/replace-file.ts';
import { type Command, type Input, projectOptions, UsageError } from '../command.ts';
import { initialConfig } from '../core/initial-config.ts';
import { templateNames, templates } from '../core/templates.ts';
import { CommandError } from '../errors.ts';
import { print } from '../output.ts';
import { writeTemplate } from '../template-files.ts';

export const init: Command = {
  name: 'init',
  about:
    'Creates supabase/config.toml, which is optional, in the working directory. With --template, also creates an app with sign-in, a table, realtime and file upload.',
  options: {
    workdir: projectOptions.workdir,
    template: {
      type: 'string',
      value: 'NAME',
      help: `Creates an app from a template: ${templateNames.join(', ')}.`,
    },
    force: { type: 'boolean', help: 'Replaces existing files.' },
  },
  examples: [
    ['plinth init && plinth start', 'starts a new project'],
    ['plinth init --template react', 'creates a React app and its tables'],
    ['plinth init --force', 'restores the defaults'],
  ],
  run: async (input) => {
    const projectDir = projectDirOf(input);
    const supabaseDir = join(projectDir, 'supabase');
    const path = join(supabaseDir, 'config.toml');
    const template = templateOf(input);
    if (existsSync(path) && !input.flag('force')) {
      throw new CommandError(`${path} already exists.`, 'Use --force to replace it.');
    }
    const keptScripts =
      template === undefined ? [] : writeTemplate(template, projectDir, { force: input.flag('force') });
    mkdirSync(supabaseDir, { recursive: true });
    const siteUrl = template === undefined ? undefined : templates[template]?.siteUrl;
    writeFileSync(path, initialConfig(basename(projectDir), siteUrl));
    if (isInGit(projectDir)) ignoreFiles(supabaseDir, ignored);
    print('Finished plinth init.');
    if (template !== undefined)
      print(
        `Created an app with ${templates[template]?.title}. Start it with "npm install" and "npm run dev".`,
      );
    if (keptScripts.length > 0)
      print(
        `package.json already has these scripts, which weren't changed: ${keptScripts.join(', ')}. templates/${template}/package.json in Plinth's package contains the template's scripts.`,
      );
    return 0;
  },
};

function templateOf(input: Input): string | undefined {
  const name = input.text('template');
  if (name !== undefined && !templateNames.includes(name))
    throw new UsageError(`--template: ${name} must be one of ${templateNames.join(', ')}`);
  return name;
}

const projectDirOf = (input: Input) => resolve(input.text('workdir') ?? process.cwd());

/** The private files of upstream's CLI and of dotenv. */
const ignored = ['.branches', '.temp', '.env.keys', '.env.local', '.env.*.local'];
