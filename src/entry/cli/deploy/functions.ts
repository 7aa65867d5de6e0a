/**
 * Compares functions by the hashes of their files. Functions that differ are uploaded first and activated together
 * later, so that either all of them change or none.
 */
import { filesDigest } from '../../../base/shared/files-digest.ts';
import type { SentFile } from '../management/encoded-files.ts';
import { collectFunction } from '../management/function-files.ts';
import { type FunctionFields, type NamedUpload, sendFunction, slugsOf } from '../management/functions.ts';
import { say } from '../output.ts';
import type { DeployContext, Part } from './part.ts';

/** @param prunes whether deployed functions that the project doesn't have are deleted */
export async function planFunctions(
  { client, projectDir, config }: DeployContext,
  prunes: boolean,
): Promise<Part> {
  const slugs = slugsOf(projectDir, config);
  const uploads = slugs
    .filter((slug) => config.functions[slug]?.enabled !== false)
    .map(
      (slug): NamedUpload => ({
        slug,
        ...collectFunction(slug, { projectDir, config, importMap: undefined, noVerifyJwt: false, warn: say }),
      }),
    );
  const listed = await client.call<FunctionFields[]>('listFunctions');
  const deployed = new Map(
    listed.flatMap((fields) => (fields.source === 'deployed' ? [[fields.slug, fields]] : [])),
  );
  const changes: string[] = [];
  const sent: NamedUpload[] = [];
  for (const upload of uploads) {
    const current = deployed.get(upload.slug);
    if (current === undefined) changes.push(`+ ${upload.slug}`);
    else if (!isSame(current, upload))
      changes.push(`~ ${upload.slug}: ${(await differences(client, current, upload)).join(', ')}`);
    else continue;
    sent.push(upload);
  }
  const extra = [...deployed.keys()].filter((slug) => !slugs.includes(slug));
  const pruned = prunes ? extra : [];
  changes.push(...pruned.map((slug) => `- ${slug}`));
  const staged: FunctionFields[] = [];
  return {
    changes,
    notes:
      extra.length === pruned.length
        ? []
        : [`Only on the server: ${extra.join(', ')} (--prune deletes deployed functions)`],
    steps: {
      ...(sent.length === 0
        ? {}
        : {
            async upload() {
              for (const upload of sent) staged.push(await sendFunction(client, upload, true));
            },
            async activate() {
              await client.call('activateFunctions', { functions: staged });
            },
          }),
      ...(pruned.length === 0
        ? {}
        : {
            async prune() {
              for (const slug of pruned) await client.call('deleteFunction', { slug });
            },
          }),
    },
  };
}

/** Returns the end of a file's URL, which is the file's path in the project folder. */
const urlOf = (path: string): string => `file:///source/${path.split('/').map(encodeURIComponent).join('/')}`;

function isSame(current: FunctionFields, { metadata, files }: NamedUpload): boolean {
  return current.ezbr_sha256 === filesDigest(files) && settingsOf(current, metadata).length === 0;
}

/** Returns the settings of a deployed function that differ from those of the project. */
function settingsOf(current: FunctionFields, metadata: NamedUpload['metadata']): string[] {
  const { verify_jwt: verifyJwt, entrypoint_path: entrypoint, import_map_path: importMap } = metadata;
  return [
    ...(current.verify_jwt === verifyJwt ? [] : [`verify_jwt = ${verifyJwt}`]),
    ...(current.entrypoint_path === urlOf(entrypoint) ? [] : [`entrypoint ${entrypoint}`]),
    ...(current.import_map_path === (importMap === undefined ? undefined : urlOf(importMap))
      ? []
      : [`import map ${importMap ?? 'removed'}`]),
  ];
}

/** Returns the settings and the paths of the files that differ. */
async function differences(
  client: DeployContext['client'],
  current: FunctionFields,
  { slug, metadata, files }: NamedUpload,
): Promise<string[]> {
  const settings = settingsOf(current, metadata);
  if (current.ezbr_sha256 === filesDigest(files)) return settings;
  const { files: stored } = await client.call<{ readonly files: readonly SentFile[] }>('getFunctionFiles', {
    slug,
  });
  const before = new Map(stored.map(({ path, content }) => [path, content]));
  const after = new Map(files.map(({ path, content }) => [path, content]));
  const changed = [...new Set([...after.keys(), ...before.keys()])].filter(
    (path) => before.get(path)?.equals(after.get(path) ?? Buffer.of()) !== true || !after.has(path),
  );
  return [...settings, ...changed.sort()];
}
