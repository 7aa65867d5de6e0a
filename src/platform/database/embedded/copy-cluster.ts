/**
 * Copies a prepared cluster. A copy doesn't have any secrets in common with the original. The copy has its own system
 * identifier and vault key, and its passwords are changed when the copy is first used.
 *
 * Gives a copied cluster a new system identifier. If all copies had the same identifier, PostgreSQL and backup tools
 * would treat them as one cluster and could apply one copy's WAL to another. initdb generates the identifier, and
 * PostgreSQL's programs can't change it without discarding the WAL. Therefore, this module directly edits `pg_control`,
 * which begins with the identifier and ends with a CRC-32C, and the first page of each WAL file
 * (`XLogLongPageHeaderData`).
 */
import { randomBytes, randomInt } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { chown, copyFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { vaultKeyFile } from './initdb.ts';

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

/** The offset of `xlp_sysid` in the first page of a WAL file, after the 24 bytes of the short header. */
const walOffset = 24;
/** The data in pg_control ends before this offset, so that disks write the data atomically. */
const maxControlBytes = 512;
/** The checksum in pg_control follows the fields, so the checksum can't be before this offset. */
const minControlBytes = 128;

/**
 * Returns an identifier in initdb's format, which consists of the seconds since 1970, the microseconds, and 12 bits of
 * the process ID. Unlike in initdb, the last 12 bits are random.
 */
function newSystemIdentifier(nowMs: number, random: number): bigint {
  const seconds = BigInt(Math.floor(nowMs / 1000));
  // The last three digits of the microseconds are random, because two clusters can be created in the same millisecond.
  const micros = BigInt(Math.floor(nowMs % 1000)) * 1000n + BigInt(random % 1000);
  const suffix = BigInt(Math.floor(random / 1000)) & 0xfffn;
  return (seconds << 32n) | (micros << 12n) | suffix;
}

/**
 * Writes the identifier into a cluster that was shut down cleanly. Returns false, without changing anything, if the
 * files don't have the expected format.
 */
function setSystemIdentifier(pgdata: string, identifier: bigint): boolean {
  const path = join(pgdata, 'global', 'pg_control');
  const control = readFileSync(path);
  const crcAt = checksumOffset(control);
  const old = control.subarray(0, 8);
  const segments = readdirSync(join(pgdata, 'pg_wal'))
    .filter((name) => /^[0-9A-F]{24}$/.test(name))
    .map((name) => join(pgdata, 'pg_wal', name));
  // One segment with the old identifier is enough. Recycled segments contain pages of earlier segments, and PostgreSQL
  // will overwrite these pages.
  if (crcAt === undefined || !segments.some((segment) => identifierOf(segment).equals(old))) return false;
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(identifier);
  for (const segment of segments) if (identifierOf(segment).equals(old)) writeAt(segment, walOffset, bytes);
  bytes.copy(control);
  control.writeUInt32LE(crc32c(control.subarray(0, crcAt)), crcAt);
  writeFileSync(path, control);
  return true;
}

export const readSystemIdentifier = (pgdata: string): bigint =>
  readFileSync(join(pgdata, 'global', 'pg_control')).readBigUInt64LE(0);

/** Finds the checksum's offset by comparing values, because the offset differs between major versions. */
function checksumOffset(control: Buffer): number | undefined {
  for (let at = minControlBytes; at + 4 <= Math.min(maxControlBytes, control.length); at += 4) {
    if (control.readUInt32LE(at) === crc32c(control.subarray(0, at))) return at;
  }
  return undefined;
}

function identifierOf(segment: string): Buffer {
  const bytes = Buffer.alloc(8);
  const handle = openSync(segment, 'r');
  try {
    readSync(handle, bytes, 0, 8, walOffset);
  } finally {
    closeSync(handle);
  }
  return bytes;
}

function writeAt(path: string, offset: number, bytes: Buffer): void {
  const handle = openSync(path, 'r+');
  try {
    writeSync(handle, bytes, 0, bytes.length, offset);
  } finally {
    closeSync(handle);
  }
}

/** Computes the CRC-32C (Castagnoli) bit by bit, which is fast enough because the input has at most 512 bytes. */
function crc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
