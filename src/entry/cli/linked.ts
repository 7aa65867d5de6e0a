/**
 * The target of database commands with `--linked`: a Plinth server (`management/target.ts`) or a database. `link` saved
 * the database in `.plinth/link.json` (mode 0600, because it can contain a password). The user specifies the database by
 * a URL or a project ref. As in upstream's CLI, the project ref is also stored in `supabase/.temp/project-ref`.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CommandError } from './errors.ts';
import type { ManagementClient } from './management/client.ts';
import { linkedClient, readRemote } from './management/target.ts';
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

/** Removes the database that `plinth link` saved, if any, because the server that is linked now replaces it. */
export function removeLinkedDatabase(location: ProjectLocation): boolean {
  const isLinked = existsSync(ownFile(location));
  if (isLinked) removeLink(location);
  return isLinked;
}

/** Removes the link. Returns false if there was no linked database. */
export function removeLink(location: ProjectLocation): boolean {
  const files = [ownFile(location), refFile(location), poolerFile(location)].filter((path) =>
    existsSync(path),
  );
  for (const path of files) rmSync(path, { force: true });
  return files.length > 0;
}

/** The linked Plinth server, or the linked database. */
export type Linked = { readonly server: ManagementClient } | { readonly database: LinkedTarget };

/**
 * Returns the target of a database command with `--linked`. A database that `plinth link` saved takes precedence over a
 * server, because linking a server removes it. The project ref of upstream's CLI counts only if nothing else is linked.
 *
 * @throws {CommandError} if nothing is linked, or if no access token for the linked server is available
 */
export function readLinked(location: ProjectLocation): Linked {
  if (!existsSync(ownFile(location)) && readRemote(location) !== undefined)
    return { server: linkedClient(location, undefined) };
  const database = readLink(location);
  if (database !== undefined) return { database };
  throw new CommandError(
    'No server or database is linked.',
    'Run "plinth link URL" with the URL of a server\'s Console, or use --db-url URL.',
  );
}

/**
 * Returns the URL of the linked database, for a command that requires a connection to it.
 * @throws {CommandError} if nothing or a server is linked
 */
export function linkedUrl(location: ProjectLocation): string {
  const linked = readLinked(location);
  if ('database' in linked) return linked.database.url;
  throw new CommandError(
    `This command requires a connection to the database, which the link to ${linked.server.consoleUrl} doesn't provide.`,
    'Use --db-url URL, or run the command on the server.',
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
