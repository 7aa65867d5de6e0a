/** Commands for stored objects: `storage ls`, `storage mv` and `storage rm`. */
import { type Command, projectOptions, UsageError } from '../command.ts';
import { confirm } from '../confirm.ts';
import { CommandError } from '../errors.ts';
import { print, say } from '../output.ts';
import { locationOf } from '../project-location.ts';
import {
  createStorageApi,
  type StorageApi,
  StorageResponseError,
  storageTargetOf,
  storageTargetOptions,
} from '../storage/api.ts';
import { baseName, folderKey, parseStorageUrl, shownPath } from '../storage/core/storage-path.ts';
import { below, namesBuckets, withPrefix } from '../storage/walk.ts';

export const storageLs: Command = {
  name: 'storage ls',
  takes: '[PATH]',
  about:
    'Lists the buckets, folders and objects whose names begin with a path. Names of folders and buckets end with a slash.\n' +
    'PATH is ss:///BUCKET/KEY. Without PATH, all buckets are listed.',
  options: {
    ...projectOptions,
    recursive: { type: 'boolean', short: 'r', help: 'Lists the objects in all folders, with full paths.' },
    ...storageTargetOptions,
  },
  examples: [
    ['plinth storage ls ss:///images/', 'lists the contents of the images bucket'],
    ['plinth storage ls -r ss:///images/cats', 'lists all objects whose key begins with cats'],
  ],
  run: async (input) => {
    const path = parseStorageUrl(input.positionals[0] ?? 'ss:///');
    const api = createStorageApi(await storageTargetOf(locationOf(input), input));
    if (input.flag('recursive')) {
      for await (const found of withPrefix(api, path))
        print(found.key === '' ? `${found.bucket}/` : shownPath(found));
    } else if (namesBuckets(path)) {
      for (const bucket of await api.listBuckets()) if (bucket.startsWith(path.bucket)) print(`${bucket}/`);
    } else {
      const folder = path.key.lastIndexOf('/') + 1;
      for await (const page of api.list(path.bucket, path.key, { isDeep: false }))
        for (const { key } of page) print(key.slice(folder));
    }
    return 0;
  },
};

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

export const storageRm: Command = {
  name: 'storage rm',
  takes: 'PATH...',
  about:
    'Permanently deletes objects, or folders and buckets with --recursive. Asks for confirmation once per\n' +
    'bucket. Without a terminal, nothing is deleted unless you use --yes. With --recursive and no PATH, all buckets are\n' +
    'deleted.',
  options: {
    ...projectOptions,
    recursive: { type: 'boolean', short: 'r', help: 'Deletes folders, and a bucket if PATH has no key.' },
    yes: { type: 'boolean', help: 'Deletes without asking.' },
    ...storageTargetOptions,
  },
  examples: [
    ['plinth storage rm ss:///images/a.png ss:///images/b.png', 'deletes two objects'],
    ['plinth storage rm -r ss:///images/cats --yes', 'deletes a folder without asking'],
    ['plinth storage rm -r ss:///images', 'deletes a bucket and everything in it'],
  ],
  run: async (input) => {
    const isRecursive = input.flag('recursive');
    const groups = new Map<string, string[]>();
    for (const text of input.positionals) {
      const { bucket, key, isFolder } = parseStorageUrl(text);
      if (bucket === '') throw new UsageError('You must specify a bucket to delete.');
      if ((key === '' || isFolder) && !isRecursive)
        throw new UsageError('You must specify -r flag to delete directories.');
      groups.set(bucket, [...(groups.get(bucket) ?? []), key]);
    }
    if (groups.size === 0 && !isRecursive)
      throw new UsageError('You must specify -r flag to delete directories.');
    const api = createStorageApi(await storageTargetOf(locationOf(input), input));
    if (groups.size === 0) for (const bucket of await api.listBuckets()) groups.set(bucket, ['']);
    for (const [bucket, keys] of groups) {
      if (await confirm(input, `Confirm deleting files in bucket ${bucket}?`, false))
        await removeAll(api, bucket, keys, isRecursive);
      else if (!process.stdin.isTTY) say(`Nothing was deleted in bucket ${bucket}. Use --yes to confirm.`);
    }
    return 0;
  },
};

async function removeAll(
  api: StorageApi,
  bucket: string,
  keys: readonly string[],
  isRecursive: boolean,
): Promise<void> {
  const named = keys.filter((key) => key !== '');
  let removed = new Set<string>();
  if (named.length > 0) {
    say(`Deleting objects: ${named.join(', ')}`);
    removed = new Set(await api.remove(bucket, named));
  }
  for (const key of keys) {
    if (key === '') await removeBucket(api, bucket);
    else if (isRecursive) await removeFolder(api, bucket, folderKey(key), removed.has(key));
    else if (!removed.has(key)) say(`Object not found: ${key}`);
  }
}

async function removeFolder(
  api: StorageApi,
  bucket: string,
  prefix: string,
  wasObject: boolean,
): Promise<void> {
  if ((await removeBelow(api, bucket, prefix)) === 0 && !wasObject)
    throw new CommandError(`Object not found: ${bucket}/${prefix}`);
}

async function removeBucket(api: StorageApi, bucket: string): Promise<void> {
  try {
    await removeBelow(api, bucket, '');
    say(`Deleting bucket: ${bucket}`);
    say(await api.deleteBucket(bucket));
  } catch (error) {
    if (!(error instanceof StorageResponseError) || !error.isMissing) throw error;
    say(`Bucket not found: ${bucket}`);
  }
}

/** Deletes the objects with this prefix, page by page, and returns the number of deleted objects. */
async function removeBelow(api: StorageApi, bucket: string, prefix: string): Promise<number> {
  let count = 0;
  for await (const page of api.list(bucket, prefix, { isDeep: true })) {
    if (page.length === 0) continue;
    const keys = page.map(({ key }) => key);
    say(`Deleting objects: ${keys.length <= 20 ? keys.join(', ') : `${keys.length} in ${bucket}/${prefix}`}`);
    await api.remove(bucket, keys);
    count += keys.length;
  }
  return count;
}
