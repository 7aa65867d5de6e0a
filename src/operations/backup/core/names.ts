/** The file names in a backup target. The names contain only fixed words, IDs, WAL positions and times. */

export const targetInfoName = 'plinth-backup.json';
/** The name of the file that identifies the server that writes to the target. */
export const ownerName = 'owner';

/** A range of WAL. At `timeMs`, the archive was complete up to `end`. */
export interface WalRange {
  readonly name: string;
  readonly timeline: number;
  readonly start: bigint;
  readonly end: bigint;
  readonly timeMs: number;
}

const hex = (value: bigint, digits: number): string => value.toString(16).padStart(digits, '0');
const timeText = (timeMs: number): string => String(Math.trunc(timeMs)).padStart(13, '0');

export const walFolder = 'wal/';
export const timelineFolder = (timeline: number): string => `wal/${hex(BigInt(timeline), 8)}/`;
export const historyName = (timeline: number): string => `${timelineFolder(timeline)}history`;

/** Returns the name of the file that identifies the server that archives a timeline. */
export const timelineOwnerName = (timeline: number): string => `${timelineFolder(timeline)}owner`;

export const walRangeName = ({ timeline, start, end, timeMs }: Omit<WalRange, 'name'>): string =>
  `${timelineFolder(timeline)}${hex(start, 16)}-${hex(end, 16)}-${timeText(timeMs)}`;

/** Parses the name of a WAL range. Returns undefined for the names of other files. */
export function parseWalRange(name: string): WalRange | undefined {
  const found = /^wal\/([0-9a-f]{8})\/([0-9a-f]{16})-([0-9a-f]{16})-([0-9]{13})$/.exec(name);
  if (found === null) return undefined;
  const [, timeline = '', start = '', end = '', time = ''] = found;
  const range = { start: BigInt(`0x${start}`), end: BigInt(`0x${end}`) };
  if (range.end <= range.start) return undefined;
  return { name, timeline: Number.parseInt(timeline, 16), ...range, timeMs: Number(time) };
}

export function parseHistoryName(name: string): number | undefined {
  const found = /^wal\/([0-9a-f]{8})\/history$/.exec(name);
  return found === null ? undefined : Number.parseInt(found[1] as string, 16);
}

export const headFolder = 'wal/head-';
export const headName = (timeMs: number): string => `${headFolder}${timeText(timeMs)}`;
export const snapshotFolder = 'files/';
export const snapshotName = (timeMs: number): string => `${snapshotFolder}${timeText(timeMs)}`;
/**
 * The folder that contains holds. A hold's name contains the start time of a restore in progress and the ID of the base
 * backup that is being restored.
 */
export const holdFolder = 'holds/';
export const holdName = (timeMs: number, id: string): string => `${holdFolder}${timeText(timeMs)}-${id}`;

export function parseHold(name: string): { readonly timeMs: number; readonly id: string } | undefined {
  const [, time = '', id = ''] = /^holds\/([0-9]{13})-(.+)$/.exec(name) ?? [];
  return isBackupId(id) ? { timeMs: Number(time), id } : undefined;
}

export const unusedFolder = 'unused/';
export const unusedName = (timeMs: number): string => `${unusedFolder}${timeText(timeMs)}`;

/** Returns the time at the end of a file name, or undefined if the name doesn't end with a time. */
export function timeOfName(name: string, folder: string): number | undefined {
  const rest = name.startsWith(folder) ? name.slice(folder.length) : '';
  return /^[0-9]{13}$/.test(rest) ? Number(rest) : undefined;
}

export const bodyFolder = 'bodies/';
const versionPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
export const isVersion = (text: string): boolean => versionPattern.test(text);
export const bodyName = (version: string): string => `${bodyFolder}${version.slice(0, 2)}/${version}`;

export function versionOfBody(name: string): string | undefined {
  const version = name.split('/')[2] ?? '';
  return isVersion(version) && bodyName(version) === name ? version : undefined;
}

export const baseFolder = 'base/';
const idPattern = /^[0-9]{8}T[0-9]{6}Z-[0-9a-f]{6}$/;
export const isBackupId = (text: string): boolean => idPattern.test(text);
export const baseFile = (id: string, file: 'data' | 'pg-manifest' | 'manifest'): string =>
  `${baseFolder}${id}/${file}`;

/**
 * Returns a new backup ID.
 *
 * @example newBackupId(0, 'abcdef') // '19700101T000000Z-abcdef'
 */
export const newBackupId = (nowMs: number, random: string): string =>
  `${new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, '')}-${random}`;

export function parseBaseName(name: string): { readonly id: string; readonly file: string } | undefined {
  const [folder, id = '', file = '', rest] = name.split('/');
  return folder === 'base' && isBackupId(id) && rest === undefined ? { id, file } : undefined;
}
