/**
 * Shares the state of a project among several nodes that use the same external database
 * (docs/decisions/0101-group-state.md).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger, silentLogger } from '../../base/kernel/log.ts';
import type { Database, Queryable } from '../database/types.ts';
import { fingerprintOf, isFingerprintOf, newSalt } from './cipher.ts';
import { GroupJoinError } from './errors.ts';
import { type Follower, followGroup } from './follower.ts';
import { channel, SharedState } from './group.ts';
import type { StateFiles } from './local-state.ts';
import { Mailbox } from './mailbox.ts';
import { createMessageSeal } from './message-seal.ts';
import { listNodes, type NodeRow, recordNode, removeNode } from './nodes.ts';
import { createIdentity, findIdentity, type Identity, lockIdentity } from './queries.ts';
import { findSecret, generateSecret, secretFileName } from './secret.ts';
import type { GroupState } from './types.ts';

export { GroupError, GroupJoinError } from './errors.ts';
export type { FolderIndex, StateFiles } from './local-state.ts';
export { listNodes, type NodeRow, type NodeStorage, type RunningNode } from './nodes.ts';
export { type GroupState, localState } from './types.ts';
export type { GroupView } from './view.ts';

/** The maximum time to wait for the database when the node stops. */
const stopMs = 1000;

export interface JoinOptions {
  readonly database: Pick<Database, 'pool' | 'listen'>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly files: StateFiles;
  /** Creates the state files that must exist on every node. Called when no other node can create them. */
  readonly createMissing: () => void | Promise<void>;
  readonly node: NodeRow;
  readonly log?: Logger;
}

/**
 * Checks whether this node can join the group, before the database is changed.
 * @throws {GroupJoinError} if the node has a different secret or none
 */
export async function checkMembership(
  db: Queryable,
  { environment, dataDir }: Pick<JoinOptions, 'environment'> & { readonly dataDir: string },
): Promise<void> {
  const secret = findSecret(environment, dataDir);
  const identity = await findIdentity(db);
  if (identity !== undefined) requireSecret(identity, secret, dataDir);
}

/**
 * Replaces this node's outdated state files, and stores those that the database doesn't contain.
 * @throws {GroupJoinError} if the node can't join the group
 */
export async function joinGroup(options: JoinOptions): Promise<GroupState> {
  const { database, environment, files, createMissing, node, log = silentLogger } = options;
  const { dataDir } = files;
  const pool = database.pool('supabase_admin');
  const [state, seal, finish] = await pool.transaction(async (tx) => {
    const secret = findSecret(environment, dataDir);
    const [identity, known] = await lockOrCreate(tx, secret, dataDir);
    await requireSameStorage(tx, node, log.child({ service: 'group' }));
    await recordNode(tx, node, channel);
    const joined = new SharedState({ pool, files, secret: known, salt: identity.salt, log });
    const messages = createMessageSeal(known, identity.salt);
    return [joined, messages, await joined.join(tx, createMissing)] as const;
  });
  finish();
  const ownLog = log.child({ service: 'group' });
  const view = new Mailbox({ pool, seal, node, channel, log: ownLog });
  let follower: Follower | undefined;
  return {
    isShared: true,
    view,
    replacedAtStart: state.replacedAtStart,
    change: (work) => state.change(work),
    onReplaced: (listener) => state.onReplaced(listener),
    start() {
      const { listen } = database;
      const onMessage = (): void => view.receive();
      follower ??= followGroup({ pool, listen, state, node, onMessage, log: ownLog });
    },
    async stop() {
      await follower?.stop();
      await view.stop();
      await state.settled();
      // The database may be unreachable. Other nodes then ignore the row after a while.
      const removed = removeNode(pool, node.id).catch(() => undefined);
      await Promise.race([removed, sleep(stopMs, undefined, { ref: false })]);
    },
  };
}

/** Returns the identity, whose row is then locked, and the secret that belongs to it. */
async function lockOrCreate(
  tx: Queryable,
  secret: string | undefined,
  dataDir: string,
): Promise<readonly [Identity, string]> {
  const found = await lockIdentity(tx);
  if (found !== undefined) return [found, requireSecret(found, secret, dataDir)];
  const salt = newSalt();
  const generated = secret ?? generateSecret(dataDir);
  await createIdentity(tx, { salt, fingerprint: fingerprintOf(generated, salt) });
  // Another node that started at the same time may have created the row first.
  const created = await lockIdentity(tx);
  if (created === undefined) throw new Error('_plinth.group_identity is empty');
  return [created, requireSecret(created, generated, dataDir)];
}

/** @throws {GroupJoinError} if the secret isn't the group's secret */
function requireSecret({ salt, fingerprint }: Identity, secret: string | undefined, dataDir: string): string {
  if (secret !== undefined && isFingerprintOf(fingerprint, secret, salt)) return secret;
  throw new GroupJoinError(
    secret === undefined
      ? "This database contains the project's keys, which another node or an earlier start has encrypted, and this node has no secret to read them."
      : "This database contains the project's keys, which another node or an earlier start has encrypted with a different secret than this node's.",
    `Set PLINTH_SECRET to the secret of the other nodes or of the earlier start. If it wasn't set there, the data folder of the first start contains it in the file ${secretFileName}, which belongs in ${dataDir}. If the secret is lost, see "Several nodes" in docs/operate.md.`,
  );
}

/**
 * Warns if another node uses a different bucket, which may be the same one at a different address.
 * @throws {GroupJoinError} if another node stores uploaded files in a folder that this node doesn't see
 */
async function requireSameStorage(tx: Queryable, { id, storage }: NodeRow, log: Logger): Promise<void> {
  if (storage.kind === 'none') return;
  const others = (await listNodes(tx)).filter((other) => other.id !== id && other.storage.kind !== 'none');
  const different = others.filter((other) => other.storage.id !== storage.id);
  const apart = different.find((other) => [other.storage.kind, storage.kind].includes('file'));
  if (apart === undefined) {
    for (const { name } of different)
      log.warn(
        { node: name },
        'another node has a different S3 endpoint or bucket, so each of them may miss uploaded files of the other',
      );
    return;
  }
  throw new GroupJoinError(
    `The node ${apart.name} stores uploaded files in ${placeOf(apart.storage.kind)}, and this node in ${placeOf(storage.kind)}, so each node would miss files of the other.`,
    'Set [storage] backend = "s3" in plinth.toml on every node, or mount the same folder as storage in the data folder of every node. If the other node has just ended, try again in 15 seconds.',
  );
}

const placeOf = (kind: NodeRow['storage']['kind']): string =>
  kind === 'file' ? 'a folder of its machine' : 'an S3 bucket';
