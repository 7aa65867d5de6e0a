import { type Command, projectOptions, UsageError } from '../command.ts';
import { locationOf } from '../project-location.ts';
import { withAbort } from '../signals.ts';
import { createStorageApi, storageTargetOf, storageTargetOptions } from '../storage/api.ts';
import { copyDown } from '../storage/copy-down.ts';
import { copyUp } from '../storage/copy-up.ts';
import { isStorageUrl, parseStorageUrl } from '../storage/core/storage-path.ts';

const maxJobs = 64;

export const storageCp: Command = {
  name: 'storage cp',
  takes: 'SRC DST',
  about:
    'Uploads a file to ss:///BUCKET/KEY, or downloads an object to a file. With --recursive, copies folders, replaces\n' +
    'existing files, and creates a missing bucket with its settings in config.toml. As in cp, a folder is copied\n' +
    'into the target if the target exists, and becomes the target otherwise.',
  options: {
    ...projectOptions,
    recursive: { type: 'boolean', short: 'r', help: 'Copies a folder.' },
    jobs: { type: 'string', short: 'j', value: 'N', help: 'Number of parallel transfers. Default: 1.' },
    'cache-control': {
      type: 'string',
      value: 'HEADER',
      help: 'Cache-Control header of uploaded objects. Default: max-age=3600.',
    },
    'content-type': {
      type: 'string',
      value: 'TYPE',
      help: 'Content-Type of uploaded objects. Default: detected from the name and content.',
    },
    ...storageTargetOptions,
  },
  examples: [
    ['plinth storage cp readme.md ss:///docs/readme.md', 'uploads a file'],
    ['plinth storage cp -r photos ss:///images/photos -j 4', 'uploads a folder, four files at a time'],
    ['plinth storage cp -r ss:///images/photos .', 'downloads the folder to ./photos'],
  ],
  run: async (input) => {
    const [src, dst] = input.positionals;
    if (src === undefined || dst === undefined) throw new UsageError('A source and a target are required');
    const isUpload = isStorageUrl(dst);
    if (isUpload && isStorageUrl(src)) throw new UsageError('Copying between buckets is not supported');
    if (!isUpload && !isStorageUrl(src))
      throw new UsageError('One of the paths must be in storage, such as ss:///bucket/key');
    const remote = parseStorageUrl(isUpload ? dst : src);
    const location = locationOf(input);
    const api = createStorageApi(await storageTargetOf(location, input));
    const options = { api, remote, isRecursive: input.flag('recursive'), jobs: jobsOf(input.text('jobs')) };
    await withAbort((signal) =>
      isUpload
        ? copyUp(src, {
            ...options,
            projectDir: location.projectDir,
            cacheControl: input.text('cache-control') ?? 'max-age=3600',
            contentType: input.text('content-type'),
            signal,
          })
        : copyDown(dst, { ...options, signal }),
    );
    return 0;
  },
};

function jobsOf(text = '1'): number {
  const jobs = Number(text);
  if (!/^\d+$/.test(text) || jobs < 1 || jobs > maxJobs)
    throw new UsageError(`--jobs: ${text} must be a number from 1 to ${maxJobs}`);
  return jobs;
}
