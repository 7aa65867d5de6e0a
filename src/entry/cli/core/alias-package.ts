/**
 * The package that runs Plinth under the name `supabase`, and its entry in a project's package.json. A package in the
 * project's own dependencies replaces the upstream CLI for npx, npm scripts and other package managers, and survives
 * every installation.
 */

/** The folder of the package, relative to the project folder. */
export const aliasFolder = 'supabase/cli';

export const aliasScript = `#!/usr/bin/env node
// Runs Plinth for scripts that call \`supabase\`. Written by "plinth alias supabase", and removed by
// "plinth alias supabase --remove".
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

// Some package managers copy this folder, so Plinth is also searched from the working directory.
const origins = [import.meta.url, pathToFileURL(join(process.cwd(), 'package.json')).href];
const [plinth] = origins.flatMap((origin) => {
  try {
    return [dirname(createRequire(origin).resolve('plinth/package.json'))];
  } catch {
    return [];
  }
});
if (plinth === undefined) {
  console.error("Plinth isn't installed in this project. Install the project's dependencies first.");
  process.exit(1);
}
await import(pathToFileURL(join(plinth, 'bin', 'supabase.mjs')).href);
`;

/** @param replaced the version of the upstream CLI that the project had, which \`--remove\` restores */
export function aliasManifest(replaced: string | undefined): string {
  const manifest = {
    name: 'supabase',
    version: '0.0.0',
    private: true,
    description: 'Runs Plinth for scripts that call supabase',
    bin: { supabase: 'supabase.mjs' },
    ...(replaced === undefined ? {} : { plinth: { replaced } }),
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** Returns the version that {@link aliasManifest} recorded. */
export function replacedVersion(manifest: string): string | undefined {
  const { plinth } = JSON.parse(manifest) as { readonly plinth?: { readonly replaced?: string } };
  return plinth?.replaced;
}

const groups = ['dependencies', 'devDependencies', 'optionalDependencies'] as const;

/** Returns the version of `supabase` in a package.json. @throws {SyntaxError} if the text isn't a JSON object */
export function supabaseVersion(manifest: string): string | undefined {
  const parsed = objectOf(manifest);
  return groups.flatMap((group) => parsed[group]?.supabase ?? [])[0];
}

/**
 * Returns the text of a package.json with another version of `supabase`, in the group that already lists it or in
 * `devDependencies`. The indentation and the order of all other entries stay the same.
 *
 * @param version undefined removes the entry
 * @throws {SyntaxError} if the text isn't a JSON object
 */
export function withSupabase(manifest: string, version: string | undefined): string {
  const parsed = objectOf(manifest);
  const name = groups.find((group) => parsed[group]?.supabase !== undefined) ?? 'devDependencies';
  const { supabase: before, ...others } = parsed[name] ?? {};
  const entries = Object.entries(
    before === undefined || version === undefined ? others : { ...parsed[name], supabase: version },
  );
  if (before === undefined && version !== undefined) {
    const next = entries.findIndex(([other]) => other > 'supabase');
    entries.splice(next === -1 ? entries.length : next, 0, ['supabase', version]);
  }
  const { [name]: _group, ...rest } = parsed;
  const changed = entries.length === 0 ? rest : { ...parsed, [name]: Object.fromEntries(entries) };
  const indent = /^([ \t]+)"/m.exec(manifest)?.[1] ?? '  ';
  return `${JSON.stringify(changed, null, indent)}${/\r?\n$/.exec(manifest)?.[0] ?? ''}`;
}

type Manifest = Record<string, unknown> &
  Partial<Record<(typeof groups)[number], Readonly<Record<string, string>>>>;

function objectOf(text: string): Manifest {
  const parsed: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new SyntaxError('not an object');
  return parsed as Manifest;
}
