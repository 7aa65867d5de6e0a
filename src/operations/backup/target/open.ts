/** Opens the backup target for the path of a folder or the URL of an S3 bucket. */
import { resolve } from 'node:path';
import { BackupError } from '../errors.ts';
import { folderTarget } from './folder.ts';
import { s3Target } from './s3.ts';
import type { Target } from './types.ts';

export interface TargetOptions {
  /** The folder against which relative target folders are resolved. */
  readonly baseDir: string;
  readonly accessKeyId?: string | undefined;
  readonly secretAccessKey?: string | undefined;
}

/**
 * Opens a target.
 * @example
 * openTarget('/mnt/backups', { baseDir: '/' });
 * openTarget('s3://bucket/prefix?endpoint=https://s3.example.com&region=eu-1', { baseDir: '/' });
 * @throws {BackupError} target_invalid
 */
export function openTarget(to: string, { baseDir, accessKeyId, secretAccessKey }: TargetOptions): Target {
  if (to.startsWith('file://')) return folderTarget(resolve(new URL(to).pathname));
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(to)) return folderTarget(resolve(baseDir, to));
  const url = URL.canParse(to) ? new URL(to) : undefined;
  if (url?.protocol !== 's3:' || url.hostname === '' || url.username !== '' || url.password !== '')
    throw new BackupError('target_invalid');
  const folder = decodeURIComponent(url.pathname).replaceAll(/^\/+|\/+$/g, '');
  return s3Target({
    bucket: url.hostname,
    prefix: folder === '' ? '' : `${folder}/`,
    endpoint: url.searchParams.get('endpoint') ?? undefined,
    region: url.searchParams.get('region') ?? 'us-east-1',
    credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined,
  });
}
