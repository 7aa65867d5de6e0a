/**
 * Chooses the user that runs the server. PostgreSQL can't run as root. If Plinth runs as root, the server runs as an
 * unprivileged user: the owner of the data folder, `postgres`, or `nobody`. If none of these users can access the
 * folders, for example because they are in a home folder with mode 0700, the server runs in a user namespace with a
 * single user. With a user namespace, root still owns the files, so no account or chown is needed.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';

export type Identity =
  | { readonly kind: 'self' }
  | { readonly kind: 'user'; readonly name: string; readonly uid: number; readonly gid: number }
  | { readonly kind: 'namespace'; readonly uid: number; readonly gid: number };

export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/**
 * Returns an identity that can access all of the `folders`. All of the folders must exist, and the first one must be
 * the data folder. Returns undefined if no user can access all of the folders. If undefined, the caller must use a
 * different folder that {@link unprivilegedAccount} can own.
 */
export function chooseIdentity(folders: readonly string[]): Identity | undefined {
  if (process.getuid?.() !== 0) return { kind: 'self' };
  const accounts = readAccounts();
  const home = folders[0] as string;
  for (const account of candidates(accounts, statSync(home).uid)) {
    if (folders.every((folder) => canEnter(folder, account))) return { kind: 'user', ...account };
  }
  return namespaceIdentity(accounts);
}

/** Returns an account that can own a folder outside the data folder. */
export function unprivilegedAccount(): Account | undefined {
  return candidates(readAccounts(), 0)[0];
}

/**
 * Returns the command line with which `file` is run as `identity`. The resulting process ID is always that of `file`
 * itself.
 */
export function commandAs(
  identity: Identity,
  file: string,
  args: readonly string[],
): { file: string; args: string[]; ids: { uid?: number; gid?: number } } {
  if (identity.kind === 'self') return { file, args: [...args], ids: {} };
  if (identity.kind === 'user')
    return { file, args: [...args], ids: { uid: identity.uid, gid: identity.gid } };
  const map = ['--user', `--map-user=${identity.uid}`, `--map-group=${identity.gid}`, '--'];
  return { file: 'unshare', args: [...map, file, ...args], ids: {} };
}

/** Returns the name that a server running as `identity` sees for the user of this process. */
export function ownNameFor(identity: Identity): string {
  const account =
    identity.kind === 'namespace' ? readAccounts().find(({ uid }) => uid === identity.uid) : undefined;
  return account?.name ?? userInfo().username;
}

function candidates(accounts: readonly Account[], ownerUid: number): Account[] {
  const owner = accounts.filter((account) => ownerUid !== 0 && account.uid === ownerUid);
  const named = ['postgres', 'nobody'].flatMap((name) => accounts.filter((account) => account.name === name));
  return [...owner, ...named];
}

/**
 * Returns an identity in a user namespace that contains a single user. The user needs an account, because initdb fails
 * if the user's ID doesn't have a user name.
 */
function namespaceIdentity(accounts: readonly Account[]): Identity | undefined {
  const account = accounts.find((each) => each.uid === 1000) ?? candidates(accounts, 0)[0];
  if (account === undefined || process.platform !== 'linux') return undefined;
  const identity: Identity = { kind: 'namespace', uid: account.uid, gid: account.gid };
  const { file, args } = commandAs(identity, 'true', []);
  return spawnSync(file, args, { stdio: 'ignore' }).status === 0 ? identity : undefined;
}

function readAccounts(): Account[] {
  return readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .filter((fields) => fields.length >= 4 && Number(fields[2]) > 0)
    .map(([name, , uid, gid]) => ({ name: name as string, uid: Number(uid), gid: Number(gid) }));
}

/** Returns whether the account can access all folders from the root to `path`. */
function canEnter(path: string, account: Account): boolean {
  for (let folder = path; ; folder = dirname(folder)) {
    const { mode, uid, gid } = statSync(folder);
    const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0;
    if (((mode >> shift) & 1) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}
