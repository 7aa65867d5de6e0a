/** The programs that the drill needs and that npm doesn't install. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const packages = { haproxy: 'haproxy', 'nats-server': 'nats-server', pgbouncer: 'pgbouncer' } as const;
export type Program = keyof typeof packages;

const find = (name: string): string | undefined =>
  [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
    .map((folder) => join(folder, name))
    .find((file) => existsSync(file));

/** Returns the path of a program. */
export function programPath(name: Program): string {
  const path = find(name);
  if (path === undefined) throw new Error(`${name} isn't installed. ${installHint([name])}`);
  return path;
}

export const missingPrograms = (): Program[] =>
  (Object.keys(packages) as Program[]).filter((name) => find(name) === undefined);

export const installHint = (missing: readonly Program[]): string =>
  `Install it with: apt-get install --no-install-recommends ${missing.map((name) => packages[name]).join(' ')}`;
