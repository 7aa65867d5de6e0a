/**
 * Copies a prepared cluster. A copy doesn't have any secrets in common with the original. The copy has its own system
 * identifier and vault key, and its passwords are changed when the copy is first used.
 */
import { randomBytes, randomInt } from 'node:crypto';
import { constants, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { chown, copyFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { vaultKeyFile } from './initdb.ts';
import { newSystemIdentifier, setSystemIdentifier } from './system-identifier.ts';

/** The user that owns the copied files. Undefined if this process isn't able to change the owner. */
export type Owner = { readonly uid: number; readonly gid: number } | undefined;

/**
 * Creates the folder `work`, which contains a copy of the cluster and its extensions. The copy has its own system
 * identifier and vault key. Returns false if the format of the source is unknown.
 */
export async function copyCluster(
  source: string,
  work: string,
  options: { readonly owner: Owner; readonly parallel: number },
): Promise<boolean> {
  mkdirSync(work, { mode: 0o711 });
  const pgdata = join(work, 'postgres');
  await copyFolder(join(source, 'postgres'), pgdata, 0o700, options);
  const extensions = join(source, 'extensions');
  if (existsSync(extensions))
    await copyFolder(extensions, join(work, 'extensions'), 0o755, { ...options, owner: undefined });
  const keyFile = join(pgdata, vaultKeyFile);
  writeFileSync(keyFile, randomBytes(32).toString('hex'), { mode: 0o600 });
  if (options.owner !== undefined) await chown(keyFile, options.owner.uid, options.owner.gid);
  return setSystemIdentifier(pgdata, newSystemIdentifier(Date.now(), randomInt(4096 * 1000)));
}

/**
 * Copies the files and their modes, a few files at a time. If the file system supports it, the copies share disk blocks
 * with the originals (`FICLONE`).
 */
async function copyFolder(
  from: string,
  to: string,
  mode: number,
  { owner, parallel }: { readonly owner: Owner; readonly parallel: number },
): Promise<void> {
  const give = async (path: string): Promise<void> => {
    if (owner !== undefined) await chown(path, owner.uid, owner.gid);
  };
  const entries = await readdir(from, { recursive: true, withFileTypes: true });
  const targetOf = (entry: (typeof entries)[number]) =>
    `${to}${join(entry.parentPath, entry.name).slice(from.length)}`;
  const folders = [to, ...entries.filter((entry) => entry.isDirectory()).map(targetOf)];
  for (const folder of folders) {
    mkdirSync(folder, { mode });
    await give(folder);
  }
  const files = entries.filter((entry) => entry.isFile()).values();
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      for (const file of files) {
        await copyFile(join(file.parentPath, file.name), targetOf(file), constants.COPYFILE_FICLONE);
        await give(targetOf(file));
      }
    }),
  );
}
