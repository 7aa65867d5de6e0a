/**
 * The database that `link` saved for `db push` in `.plinth/link.json` (mode 0600, because it can contain a password).
 * The user specifies the database by a URL or a project ref. As in upstream's CLI, the project ref is also stored in
 * `supabase/.temp/project-ref`.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CommandError } from './errors.ts';
import type { ProjectLocation } from './project-location.ts';
import { ensureDataDir } from './state.ts';

const ownFile = ({ dataDir }: ProjectLocation) => join(dataDir, 'link.json');
const refFile = ({ projectDir }: ProjectLocation) => join(projectDir, 'supabase', '.temp', 'project-ref');
const poolerFile = ({ projectDir }: ProjectLocation) => join(projectDir, 'supabase', '.temp', 'pooler-url');

const readText = (path: string): string | undefined =>
  existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;

export function hostedTargetOf(location: ProjectLocation, ref: string): LinkedTarget {
  return hostedTarget(ref, readText(poolerFile(location)));
}

export function readLink(location: ProjectLocation): LinkedTarget | undefined {
  const own = readText(ownFile(location));
  if (own !== undefined) return JSON.parse(own) as LinkedTarget;
  const ref = readText(refFile(location));
  return ref !== undefined && isProjectRef(ref) ? hostedTargetOf(location, ref) : undefined;
}

export function writeLink(location: ProjectLocation, target: LinkedTarget): void {
  ensureDataDir(location.dataDir);
  writeFileSync(ownFile(location), JSON.stringify(target), { mode: 0o600 });
  rmSync(refFile(location), { force: true });
  if (target.ref === undefined) return;
  mkdirSync(dirname(refFile(location)), { recursive: true });
  writeFileSync(refFile(location), target.ref);
}

/** Removes the link. Returns false if there was no linked database. */
export function removeLink(location: ProjectLocation): boolean {
  const files = [ownFile(location), refFile(location), poolerFile(location)].filter((path) =>
    existsSync(path),
  );
  for (const path of files) rmSync(path, { force: true });
  return files.length > 0;
}

/** Returns the linked database. @throws {CommandError} if no database is linked */
export function linkedUrl(location: ProjectLocation): string {
  const linked = readLink(location);
  if (linked !== undefined) return linked.url;
  throw new CommandError(
    'No database is linked.',
    'Use --db-url URL, or run "plinth link --db-url URL" once.',
  );
}

export interface LinkedTarget {
  readonly url: string;
  /** The project ref of a hosted project. */
  readonly ref?: string | undefined;
}

/**
 * Whether the text is a project ref, which consists of twenty letters. This check ensures that no other text becomes
 * part of the hostname.
 */
export const isProjectRef = (text: string): boolean => /^[a-z]{20}$/.test(text);

/**
 * Returns a hosted project's database.
 *
 * @param poolerUrl the URL that the `link` command of upstream's CLI wrote. The URL is used only if it belongs to this
 * project's pooler.
 */
export function hostedTarget(ref: string, poolerUrl?: string): LinkedTarget {
  return {
    ref,
    url:
      poolerOf(ref, poolerUrl) ?? `postgresql://postgres@db.${ref}.supabase.co:5432/postgres?sslmode=require`,
  };
}

/** Returns the pooler URL without the password placeholder, and with port 5432 (session mode) instead of 6543. */
function poolerOf(ref: string, text: string | undefined): string | undefined {
  if (text === undefined || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (!url.hostname.endsWith('.pooler.supabase.com') || url.username !== `postgres.${ref}`) return undefined;
  return `postgresql://postgres.${ref}@${url.hostname}:5432/postgres?sslmode=require`;
}

/** Returns text that identifies the target to users and doesn't contain the password. */
export function shownTarget({ url, ref }: LinkedTarget): string {
  return ref ?? url.replace(/^([a-z]+:\/\/[^/@:]*):[^@]*@/i, '$1@').replace(/\bpassword=\S+/i, 'password=…');
}
