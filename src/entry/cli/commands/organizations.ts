/** Adds organizations to a project: the migration with their tables, and the setting. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setToml } from '../../../platform/config/index.ts';
import { type Command, projectOptions } from '../command.ts';
import { CommandError } from '../errors.ts';
import { newMigration, writeMigration } from '../migration-file.ts';
import { organizationsMigration } from '../organizations.ts';
import { print, say } from '../output.ts';
import { locationOf } from '../project-location.ts';

export const organizationsInit: Command = {
  name: 'organizations init',
  about:
    'Writes a migration that creates organizations, their members, roles, invitations and requests, and sets\n' +
    'organizations = true in [account] in supabase/plinth.toml. The migration belongs to the project, so you can change\n' +
    'it. "plinth migration up" applies it.',
  options: { workdir: projectOptions.workdir },
  examples: [['plinth organizations init && plinth migration up', 'adds organizations to a running project']],
  run: async (input) => {
    const { projectDir } = locationOf(input);
    const settings = changedSettings(projectDir);
    const existing = findMigration(projectDir);
    if (existing === undefined) {
      const migration = newMigration(projectDir, 'organizations');
      writeMigration(migration, organizationsMigration());
      print(`Created new migration at ${migration.shownPath}`);
    } else print(`supabase/migrations/${existing} already creates organizations.`);
    if (settings !== undefined) {
      mkdirSync(join(settings.path, '..'), { recursive: true });
      writeFileSync(settings.path, settings.text);
      print('Set organizations = true in [account] in supabase/plinth.toml.');
    }
    say('Run "plinth migration up" to apply the migration, or "plinth start" in a new project.');
    return 0;
  },
};

/** Returns the name of the migration that an earlier call of the command wrote. */
function findMigration(projectDir: string): string | undefined {
  const folder = join(projectDir, 'supabase', 'migrations');
  if (!existsSync(folder)) return undefined;
  return readdirSync(folder).find((name) => /^\d+_organizations\.sql$/.test(name));
}

/**
 * Returns the settings file with the setting, or undefined if the setting is already on.
 * @throws {CommandError} if the file isn't valid TOML
 */
function changedSettings(projectDir: string): { readonly path: string; readonly text: string } | undefined {
  const path = join(projectDir, 'supabase', 'plinth.toml');
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  try {
    const changed = setToml(text, ['account', 'organizations'], true);
    return changed === text ? undefined : { path, text: changed };
  } catch (error) {
    throw new CommandError(`${path} isn't valid: ${(error as Error).message}`);
  }
}
