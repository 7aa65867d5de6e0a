import { type Command, projectOptions, UsageError } from '../command.ts';
import { confirm } from '../confirm.ts';
import { CommandError } from '../errors.ts';
import { say } from '../output.ts';
import { locationOf } from '../project-location.ts';
import { createStorageApi, type StorageApi, StorageResponseError } from '../storage/api.ts';
import { folderKey, parseStorageUrl } from '../storage/core/storage-url.ts';
import { storageTargetOf, storageTargetOptions } from '../storage/target.ts';

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
