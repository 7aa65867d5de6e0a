import { type Command, projectOptions } from '../command.ts';
import { print } from '../output.ts';
import { locationOf } from '../project-location.ts';
import { createStorageApi } from '../storage/api.ts';
import { parseStorageUrl, shownPath } from '../storage/core/storage-url.ts';
import { storageTargetOf, storageTargetOptions } from '../storage/target.ts';
import { namesBuckets, withPrefix } from '../storage/walk.ts';

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
