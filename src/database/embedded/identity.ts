/**
 * Who the server runs as. PostgreSQL refuses to run as root, so root hands it to an unprivileged user: the owner of
 * the project folder, else `postgres`, else `nobody`. Where that user cannot reach the folders (a 0700 home), a user
 * namespace of one user does: the files stay root's, no account and no chown is needed.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
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
 * The identity for a server that must reach all of `folders` (existing ones), the first being the data folder;
 * undefined when there is none and a folder elsewhere has to be used with {@link unprivilegedAccount}.
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

/** An account to give a folder elsewhere to. */
export function unprivilegedAccount(): Account | undefined {
  return candidates(readAccounts(), 0)[0];
}

/** The command line that runs `file` as `identity`; the process id is that of `file` itself in every case. */
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

function candidates(accounts: readonly Account[], ownerUid: number): Account[] {
  const owner = accounts.filter((account) => ownerUid !== 0 && account.uid === ownerUid);
  const named = ['postgres', 'nobody'].flatMap((name) => accounts.filter((account) => account.name === name));
  return [...owner, ...named];
}

/** A user namespace whose one user is an ordinary account: initdb insists on a name for its uid. */
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

/** True when every folder from the root down to `path` lets the account through. */
function canEnter(path: string, account: Account): boolean {
  for (let folder = path; ; folder = dirname(folder)) {
    const { mode, uid, gid } = statSync(folder);
    const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0;
    if (((mode >> shift) & 1) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}
