/**
 * The database that `link` has named, for `db push`: `.plinth/link.json`, mode 0600, because it may hold a password. The reference
 * of a hosted project is also where upstream's CLI keeps it, `supabase/.temp/project-ref`, and is read from there.
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

/** False: nothing was linked. */
export function removeLink(place: Place): boolean {
  const files = [ownFile(place), refFile(place), poolerFile(place)].filter((path) => existsSync(path));
  for (const path of files) rmSync(path, { force: true });
  return files.length > 0;
}
