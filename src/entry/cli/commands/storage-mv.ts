import { type Command, projectOptions, UsageError } from '../command.ts';
import { CommandError } from '../errors.ts';
import { say } from '../output.ts';
import { locationOf } from '../project-location.ts';
import { createStorageApi, type StorageApi, StorageResponseError } from '../storage/api.ts';
import { baseName, folderKey, parseStorageUrl, shownPath } from '../storage/core/storage-url.ts';
import { storageTargetOf, storageTargetOptions } from '../storage/target.ts';
import { below } from '../storage/walk.ts';

export const storageMv: Command = {
  name: 'storage mv',
  takes: 'SRC DST',
  about:
    'Moves an object, or a folder with --recursive, to another path in the same bucket. If DST ends with a slash, the\n' +
    'object keeps its name. An existing object is never replaced.',
  options: {
    ...projectOptions,
    recursive: { type: 'boolean', short: 'r', help: 'Moves all objects in a folder.' },
    ...storageTargetOptions,
  },
  examples: [
    ['plinth storage mv ss:///images/a.png ss:///images/old/', 'moves an object to a folder'],
    ['plinth storage mv -r ss:///images/cats ss:///images/animals/cats', 'moves a folder'],
  ],
  run: async (input) => {
    const [src, dst] = input.positionals;
    if (src === undefined || dst === undefined) throw new UsageError('A source and a target are required');
    const [from, to] = [parseStorageUrl(src), parseStorageUrl(dst)];
    if (from.key === '' && to.key === '') throw new UsageError('You must specify an object path');
    if (from.bucket !== to.bucket) throw new UsageError('Moving between buckets is unsupported');
    const api = createStorageApi(await storageTargetOf(locationOf(input), input));
    const keepsName = to.key === '' || to.isFolder;
    const key = keepsName ? `${folderKey(to.key)}${baseName(from)}` : to.key;
    if (from.key !== '' && !from.isFolder) {
      say(`Moving object: ${shownPath(from)} => ${shownPath({ ...to, key })}`);
      const message = await api.move(from.bucket, from.key, key).catch((error: unknown) => {
        if (input.flag('recursive') && error instanceof StorageResponseError && error.isMissing)
          return undefined;
        throw error;
      });
      if (message !== undefined) {
        say(message);
        return 0;
      }
    } else if (!input.flag('recursive')) {
      throw new UsageError('You must specify -r flag to move directories.');
    }
    await moveFolder(api, from.bucket, folderKey(from.key), folderKey(to.key));
    return 0;
  },
};

/** Lists all keys first, because objects moved to a target inside the source folder would otherwise be listed again. */
async function moveFolder(api: StorageApi, bucket: string, from: string, to: string): Promise<void> {
  const keys: string[] = [];
  for await (const { key } of below(api, { bucket, key: from, isFolder: true }))
    if (key !== '') keys.push(key);
  if (keys.length === 0) throw new CommandError(`Object not found: ${shownPath({ bucket, key: from })}`);
  for (const key of keys) {
    const target = `${to}${key.slice(from.length)}`;
    say(`Moving object: ${shownPath({ bucket, key })} => ${shownPath({ bucket, key: target })}`);
    await api.move(bucket, key, target);
  }
}
