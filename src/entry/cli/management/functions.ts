/** Finds the functions of a project, and sends them to a server. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../../platform/config/index.ts';
import { say } from '../output.ts';
import type { ManagementClient } from './client.ts';
import type { FunctionUpload } from './function-files.ts';

/** A function on a server. */
export interface FunctionFields {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly status: string;
  readonly version: number;
  readonly updated_at: number;
  readonly verify_jwt: boolean;
  readonly entrypoint_path: string;
  readonly import_map_path?: string;
  /** The hash of a deployed function's files. */
  readonly ezbr_sha256?: string;
  readonly source?: 'deployed' | 'project folder';
}

export interface NamedUpload extends FunctionUpload {
  readonly slug: string;
}

export const slugPattern = /^[A-Za-z][A-Za-z0-9_-]*$/;

/** Returns the names of the functions in `supabase/functions` and in config.toml, also those that are disabled. */
export function slugsOf(projectDir: string, config: Pick<Config, 'functions'>): string[] {
  const dir = join(projectDir, 'supabase', 'functions');
  const folders = existsSync(dir)
    ? readdirSync(dir).filter(
        (name) =>
          slugPattern.test(name) &&
          statSync(join(dir, name, 'index.ts'), { throwIfNoEntry: false })?.isFile() === true,
      )
    : [];
  return [...new Set([...folders, ...Object.keys(config.functions)])].sort();
}

/** Sends a function. A staged function isn't served until it is activated. */
export async function sendFunction(
  client: ManagementClient,
  { slug, metadata, files }: NamedUpload,
  isStaged: boolean,
): Promise<FunctionFields> {
  for (const { path } of files) say(`Uploading asset (${slug}): ${path}`);
  return await client.call<FunctionFields>('deployFunction', { slug, metadata, files, bundleOnly: isStaged });
}
