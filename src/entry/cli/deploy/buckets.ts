/**
 * Compares the buckets in config.toml, and the files in their `objects_path`, with those of the server. Creates or changes
 * those that differ.
 */
import { bucketSettings } from '../../../project/folder/index.ts';
import { planObjects } from './objects.ts';
import type { DeployContext, Part } from './part.ts';

interface BucketFields {
  readonly name: string;
  readonly public: boolean;
  readonly file_size_limit: number | null;
  readonly allowed_mime_types: readonly string[] | null;
}

const settingNames = ['public', 'file_size_limit', 'allowed_mime_types'] as const;

export async function planBuckets(context: DeployContext): Promise<Part> {
  const { client, config } = context;
  const onServer = new Map(
    (await client.call<BucketFields[]>('listBuckets')).map((bucket) => [bucket.name, bucket]),
  );
  const wanted = Object.keys(config.storage.buckets).flatMap((name) => {
    const settings = bucketSettings(config, name);
    return settings === undefined ? [] : [{ name, ...settings }];
  });
  const changes: string[] = [];
  const saved = wanted.filter((bucket) => {
    const current = onServer.get(bucket.name);
    if (current === undefined) {
      changes.push(`+ ${bucket.name}`);
      return true;
    }
    const different = settingNames.filter((name) => textOf(current[name]) !== textOf(bucket[name]));
    if (different.length === 0) return false;
    const shown = different.map((name) => `${name} ${textOf(current[name])} -> ${textOf(bucket[name])}`);
    changes.push(`~ ${bucket.name}: ${shown.join(', ')}`);
    return true;
  });
  const names = new Set(wanted.map(({ name }) => name));
  const others = [...onServer.keys()].filter((name) => !names.has(name));
  const notes = others.length === 0 ? [] : [`Only on the server: ${others.join(', ')}`];
  const objects = await planObjects(context, new Set(onServer.keys()));
  return {
    changes: [...changes, ...objects.changes],
    notes: [...notes, ...objects.notes],
    steps: {
      ...(saved.length === 0
        ? {}
        : {
            async buckets() {
              for (const bucket of saved) await client.call('saveBucket', bucket);
            },
          }),
      ...objects.steps,
    },
  };
}

/** An unset value is the same as an empty list of MIME types. */
function textOf(value: BucketFields[(typeof settingNames)[number]]): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(' ');
  return value === null ? 'none' : String(value);
}
