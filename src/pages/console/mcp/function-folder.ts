/** Saves functions that an agent deploys in the project folder, in development. */
import { downloadPath } from '../../../base/shared/function-paths.ts';
import type { Config } from '../../../platform/config/index.ts';
import type { FunctionFile, FunctionFolder } from './types.ts';

interface Deployed {
  readonly slug: string;
  readonly entrypointPath: string;
  readonly importMapPath: string | undefined;
  readonly verifyJwt: boolean;
  readonly files: readonly FunctionFile[];
}

export interface Saved {
  /** Whether the function in the folder replaces the deployed version, which must then be deleted. */
  readonly isServed: boolean;
  /** The text for the agent. */
  readonly note: string;
}

/**
 * Writes the function to `supabase/functions`. The deployed version is needed only if config.toml doesn't serve the
 * folder in the same way. As long as it exists, changes in the folder have no effect.
 */
export async function saveInFolder(
  folder: FunctionFolder,
  settings: Config['functions'][string] | undefined,
  deployed: Deployed,
): Promise<Saved> {
  const { slug, entrypointPath, files } = deployed;
  const pathOf = (path: string) => downloadPath(slug, entrypointPath, path);
  try {
    const saved = files.map(({ path, content }) => ({ path: requirePath(path, pathOf(path)), content }));
    await folder.save(slug, saved);
  } catch (error) {
    return { isServed: false, note: `${(error as Error).message} ${onlyDeployed(slug)}` };
  }
  const missing = missingSettings(settings, deployed, pathOf);
  const written = `Wrote ${files.length === 1 ? 'the file' : `${files.length} files`} to supabase/functions (${slug}).`;
  return missing.length === 0
    ? { isServed: true, note: `${written} The function is served from this folder. Commit it.` }
    : {
        isServed: false,
        note:
          `${written} The settings in supabase/config.toml differ from the deployment, so the deployed version is served. ` +
          `To serve the folder, set ${missing.join(' and ')} in [functions.${slug}], and run "plinth functions delete ${slug}".`,
      };
}

const onlyDeployed = (slug: string): string =>
  `The function is deployed and served, but isn't part of the project folder. To serve the folder again, run "plinth functions delete ${slug}".`;

function requirePath(given: string, path: string | undefined): string {
  if (path === undefined) throw new Error(`${given} would be outside supabase/functions.`);
  return path;
}

/** Returns the settings that config.toml needs to serve the folder like the deployed version. */
function missingSettings(
  settings: Config['functions'][string] | undefined,
  { slug, entrypointPath, importMapPath, verifyJwt }: Deployed,
  pathOf: (path: string) => string | undefined,
): string[] {
  const entrypoint = pathOf(entrypointPath);
  const map = importMapPath === undefined ? undefined : pathOf(importMapPath);
  const usual = [undefined, 'deno.json', 'import_map.json'].map((name) => name && `${slug}/${name}`);
  const isEntrypoint = settings?.entrypoint === undefined && entrypoint === `${slug}/index.ts`;
  const isMap = settings?.import_map === undefined && usual.includes(map);
  return [
    ...((settings?.verify_jwt ?? true) === verifyJwt ? [] : [`verify_jwt = ${verifyJwt}`]),
    ...(isEntrypoint ? [] : [`entrypoint = "./functions/${entrypoint}"`]),
    ...(isMap ? [] : [`import_map = "./functions/${map ?? `${slug}/deno.json`}"`]),
  ];
}
