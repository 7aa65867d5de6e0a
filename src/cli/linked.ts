/**
 * The database that `link` saved for `db push` in `.plinth/link.json` (mode 0600 because it can contain a password). A project
 * ref is also written to and read from `supabase/.temp/project-ref`, where upstream's CLI stores it.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { hostedTarget, isProjectRef, type LinkedTarget } from './core/linked-target.ts';
import type { Place } from './place.ts';
import { ensureDataDir } from './state.ts';

const ownFile = ({ dataDir }: Place) => join(dataDir, 'link.json');
const refFile = ({ projectDir }: Place) => join(projectDir, 'supabase', '.temp', 'project-ref');
const poolerFile = ({ projectDir }: Place) => join(projectDir, 'supabase', '.temp', 'pooler-url');

const readText = (path: string): string | undefined =>
  existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;

export function hostedTargetOf(place: Place, ref: string): LinkedTarget {
  return hostedTarget(ref, readText(poolerFile(place)));
}

export function readLink(place: Place): LinkedTarget | undefined {
  const own = readText(ownFile(place));
  if (own !== undefined) return JSON.parse(own) as LinkedTarget;
  const ref = readText(refFile(place));
  return ref !== undefined && isProjectRef(ref) ? hostedTargetOf(place, ref) : undefined;
}

export function writeLink(place: Place, target: LinkedTarget): void {
  ensureDataDir(place.dataDir);
  writeFileSync(ownFile(place), JSON.stringify(target), { mode: 0o600 });
  rmSync(refFile(place), { force: true });
  if (target.ref === undefined) return;
  mkdirSync(dirname(refFile(place)), { recursive: true });
  writeFileSync(refFile(place), target.ref);
}

/** Returns false if no database was linked. */
export function removeLink(place: Place): boolean {
  const files = [ownFile(place), refFile(place), poolerFile(place)].filter((path) => existsSync(path));
  for (const path of files) rmSync(path, { force: true });
  return files.length > 0;
}
