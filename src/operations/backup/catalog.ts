/** Reads the catalog of a backup target, which consists of the base backups and the archived WAL. */
import { type Coverage, coverage } from './core/coverage.ts';
import { parseLsn } from './core/lsn.ts';
import {
  baseFile,
  baseFolder,
  headFolder,
  parseBaseName,
  parseHistoryName,
  parseWalRange,
  timeOfName,
  type WalRange,
  walFolder,
} from './core/names.ts';
import { BackupError } from './errors.ts';
import type { Repository } from './repository.ts';
import type { BackupEntry } from './types.ts';

export interface BaseManifest {
  readonly id: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly startLsn: string;
  readonly endLsn: string;
  readonly timeline: number;
  readonly sizeBytes: number;
  readonly storedBytes: number;
  readonly serverVersion: number;
}

interface Head {
  readonly timeMs: number;
  readonly timeline: number;
  readonly lsn: bigint;
}

export interface WalCatalog {
  readonly ranges: readonly WalRange[];
  /** The timelines that have a history file. */
  readonly histories: readonly number[];
  readonly heads: readonly Head[];
}

export async function readWalCatalog(repository: Repository): Promise<WalCatalog> {
  const ranges: WalRange[] = [];
  const histories: number[] = [];
  const heads: Head[] = [];
  for await (const { name } of repository.list(walFolder)) {
    const range = parseWalRange(name);
    if (range !== undefined) ranges.push(range);
    const timeline = parseHistoryName(name);
    if (timeline !== undefined) histories.push(timeline);
    const timeMs = timeOfName(name, headFolder);
    if (timeMs !== undefined) heads.push(...(await readHead(repository, name, timeMs)));
  }
  return { ranges, histories, heads };
}

async function readHead(repository: Repository, name: string, timeMs: number): Promise<Head[]> {
  const bytes = await repository.readBytes(name);
  if (bytes === undefined) return [];
  const { timeline, lsn } = JSON.parse(bytes.toString('utf8')) as { timeline: number; lsn: string };
  return [{ timeMs, timeline, lsn: parseLsn(lsn) }];
}

/** Returns the complete base backups, oldest first. @throws {BackupError} damaged */
export async function readManifests(repository: Repository): Promise<BaseManifest[]> {
  const found: BaseManifest[] = [];
  for await (const { name } of repository.list(baseFolder)) {
    const parsed = parseBaseName(name);
    if (parsed?.file !== 'manifest') continue;
    const bytes = await repository.readBytes(baseFile(parsed.id, 'manifest'));
    // `bytes` is undefined if another process has removed the file since it was listed.
    if (bytes !== undefined) found.push(JSON.parse(bytes.toString('utf8')) as BaseManifest);
  }
  return found.sort((a, b) => a.endedAtMs - b.endedAtMs);
}

export interface Reach extends Coverage {
  readonly newestMs: number;
  /** Whether WAL after `end` is missing. True if the archive contains later WAL of the same timeline. */
  readonly hasGap: boolean;
}

/** Returns the position and time up to which the archive is complete after a base backup's end. */
export function reach({ ranges, heads }: WalCatalog, manifest: BaseManifest): Reach {
  const own = ranges.filter(({ timeline }) => timeline === manifest.timeline);
  const covered = coverage(own, parseLsn(manifest.endLsn));
  const confirmed = heads
    .filter(({ timeline, lsn }) => timeline === manifest.timeline && lsn <= covered.end)
    .map(({ timeMs }) => timeMs);
  const newestMs = Math.max(manifest.endedAtMs, covered.timeMs ?? 0, ...confirmed);
  return { ...covered, newestMs, hasGap: own.some(({ start }) => start > covered.end) };
}

export async function listBackups(repository: Repository): Promise<BackupEntry[]> {
  const wal = await readWalCatalog(repository);
  return (await readManifests(repository)).map((manifest) => entryOf(manifest, wal));
}

export function entryOf(manifest: BaseManifest, wal: WalCatalog): BackupEntry {
  const { id, startedAtMs, endedAtMs, sizeBytes, storedBytes, timeline } = manifest;
  const { newestMs } = reach(wal, manifest);
  return { id, startedAtMs, endedAtMs, sizeBytes, storedBytes, timeline, newestMs };
}

export interface Choice {
  readonly manifest: BaseManifest;
  /** The point at which recovery stops: at a time, at the end of the base backup, or at the end of the archive. */
  readonly until: 'time' | 'backup' | 'end';
  readonly newestMs: number;
  /** The end of the WAL that is available without gaps. */
  readonly end: bigint;
  /** Whether recovery stops at a gap in the WAL. */
  readonly hasGap: boolean;
}

/**
 * Chooses the base backup to restore, which is the newest backup that ended before the requested time. Each timeline
 * begins with a separate base backup, so this choice also determines the timeline.
 * @throws {BackupError} unknown_backup, no_backup, time_too_late
 */
export function chooseBackup(
  manifests: readonly BaseManifest[],
  wal: WalCatalog,
  { toTimeMs, toBackup }: { readonly toTimeMs?: number | undefined; readonly toBackup?: string | undefined },
): Choice {
  const byId = manifests.find(({ id }) => id === toBackup);
  if (toBackup !== undefined) {
    if (byId === undefined) throw new BackupError('unknown_backup', `(${toBackup})`);
    return {
      manifest: byId,
      until: 'backup',
      newestMs: byId.endedAtMs,
      end: parseLsn(byId.endLsn),
      hasGap: false,
    };
  }
  const manifest = manifests.findLast(({ endedAtMs }) => toTimeMs === undefined || endedAtMs <= toTimeMs);
  if (manifest === undefined) {
    const oldest = manifests[0];
    throw new BackupError(
      'no_backup',
      oldest && `The oldest recoverable time is ${new Date(oldest.endedAtMs).toISOString()}.`,
    );
  }
  const { newestMs, end, hasGap } = reach(wal, manifest);
  if (toTimeMs !== undefined && toTimeMs > newestMs)
    throw new BackupError(
      'time_too_late',
      `The newest recoverable time is ${new Date(newestMs).toISOString()}.`,
    );
  return toTimeMs === undefined
    ? { manifest, until: 'end', newestMs, end, hasGap }
    : { manifest, until: 'time', newestMs, end, hasGap: false };
}

/**
 * The number of listings that must all show a gap before it is reported. A running server replaces chunks with
 * segments, so a single listing can lack both the chunks and the segment.
 */
const listings = 3;

/**
 * Lists the target's contents and chooses the base backup. Reports a gap only if several listings show the gap.
 * @throws {BackupError}
 */
export async function readChoice(
  repository: Repository,
  options: Parameters<typeof chooseBackup>[2],
): Promise<{
  readonly manifests: readonly BaseManifest[];
  readonly wal: WalCatalog;
  readonly choice: Choice;
}> {
  for (let listing = 1; ; listing++) {
    const manifests = await readManifests(repository);
    const wal = await readWalCatalog(repository);
    const choice = chooseBackup(manifests, wal, options);
    if (!choice.hasGap || listing === listings) return { manifests, wal, choice };
  }
}
