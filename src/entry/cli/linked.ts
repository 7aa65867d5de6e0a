/**
 * The database that `link` saved for `db push` in `.plinth/link.json` (mode 0600, because it can contain a password).
 * As in upstream's CLI, the project ref is also stored in `supabase/.temp/project-ref`.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hostedTarget, isProjectRef, type LinkedTarget } from './core/linked-target.ts';
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
