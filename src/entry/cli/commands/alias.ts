/** Makes `supabase` in the scripts of an existing project run Plinth. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { type Command, projectOptions, UsageError } from '../command.ts';
import {
  aliasFolder,
  aliasManifest,
  aliasScript,
  replacedVersion,
  supabaseVersion,
  withSupabase,
} from '../core/alias-package.ts';
import { CommandError } from '../errors.ts';
import { print } from '../output.ts';
import { locationOf } from '../project-location.ts';

export const alias: Command = {
  name: 'alias',
  takes: 'supabase',
  about:
    'Makes "npx supabase" and "supabase" in package.json scripts run Plinth, with the flags and defaults of the\n' +
    "upstream CLI. Writes a small package to supabase/cli and adds it to the project's package.json instead of the\n" +
    'upstream CLI, which remains available as "npx supabase@3.1.0".',
  options: {
    ...projectOptions,
    remove: { type: 'boolean', help: 'Removes the package, and restores the version of the upstream CLI.' },
  },
  examples: [
    ['plinth alias supabase', 'then "npm install" makes "npx supabase start" start Plinth'],
    ['plinth alias supabase --remove', 'undoes it'],
  ],
  run: async (input) => {
    if (input.positionals[0] !== 'supabase')
      throw new UsageError('The only name is "supabase": plinth alias supabase');
    const { projectDir } = locationOf(input);
    const manifest = manifestFor(projectDir);
    const folder = join(projectDir, aliasFolder);
    const version = `file:${relative(dirname(manifest), folder).replaceAll('\\', '/')}`;
    if (input.flag('remove')) return removeAlias(manifest, folder, version);
    const before = edited(manifest, supabaseVersion);
    requirePlinth(manifest);
    const replaced = before === version ? recordedIn(folder) : before;
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), aliasManifest(replaced));
    writeFileSync(join(folder, 'supabase.mjs'), aliasScript);
    chmodSync(join(folder, 'supabase.mjs'), 0o755);
    writeFileSync(
      manifest,
      edited(manifest, (text) => withSupabase(text, version)),
    );
    print(`Added "supabase": "${version}" to ${manifest}.`);
    print(
      `Run "${installerFor(manifest)} install" and commit package.json, the lockfile and ${aliasFolder}.`,
    );
    return 0;
  },
};

function removeAlias(manifest: string, folder: string, version: string): number {
  if (edited(manifest, supabaseVersion) !== version) {
    print(`${manifest} doesn't contain the alias.`);
    return 0;
  }
  const replaced = recordedIn(folder);
  writeFileSync(
    manifest,
    edited(manifest, (text) => withSupabase(text, replaced)),
  );
  rmSync(folder, { recursive: true, force: true });
  print(
    replaced === undefined
      ? `Removed "supabase" from ${manifest}.`
      : `Restored "supabase": "${replaced}" in ${manifest}.`,
  );
  print(`Run "${installerFor(manifest)} install".`);
  return 0;
}

function recordedIn(folder: string): string | undefined {
  const file = join(folder, 'package.json');
  return existsSync(file) ? replacedVersion(readFileSync(file, 'utf8')) : undefined;
}

/** Returns the closest package.json, from the project folder upward. @throws {CommandError} if there is none */
function manifestFor(projectDir: string): string {
  const found = upward(projectDir, (dir) => existsSync(join(dir, 'package.json')));
  if (found !== undefined) return join(found, 'package.json');
  throw new CommandError(
    `Neither ${projectDir} nor a folder above it contains a package.json.`,
    'Create one with "npm init -y", and install Plinth with "npm install --save-dev plinth".',
  );
}

/** Checks that package managers find Plinth in this project. @throws {CommandError} */
function requirePlinth(manifest: string): void {
  try {
    createRequire(manifest).resolve('plinth/package.json');
  } catch {
    throw new CommandError(
      `Plinth isn't installed in ${dirname(manifest)}.`,
      'Install it there first, for example with "npm install --save-dev plinth".',
    );
  }
}

/** Passes the text of a package.json to a function. @throws {CommandError} if the text isn't a JSON object */
function edited<T>(manifest: string, edit: (text: string) => T): T {
  try {
    return edit(readFileSync(manifest, 'utf8'));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new CommandError(`${manifest} isn't valid JSON: ${error.message}`);
  }
}

const lockfiles: readonly (readonly [file: string, installer: string])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
];

/** Returns the package manager whose lockfile the project has. */
function installerFor(manifest: string): string {
  const dir = upward(dirname(manifest), (each) => lockfiles.some(([file]) => existsSync(join(each, file))));
  const found = lockfiles.find(([file]) => dir !== undefined && existsSync(join(dir, file)));
  return found?.[1] ?? 'npm';
}

/** Returns the closest folder that matches, starting at `from` and searching upward. */
function upward(from: string, matches: (dir: string) => boolean): string | undefined {
  for (let dir = from; ; dir = dirname(dir)) {
    if (matches(dir)) return dir;
    if (dirname(dir) === dir) return undefined;
  }
}
