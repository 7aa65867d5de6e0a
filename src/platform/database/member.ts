/**
 * Provides a process (a member) with access to a database that another process has started and bootstrapped. A member
 * signs in only as `authenticator`, so a process that serves requests doesn't have any other role's password.
 */
import type { Logger } from '../../base/kernel/log.ts';
import type { SignIns } from './embedded/sign-ins.ts';
import type { RequestPathLimits } from './path/index.ts';
import type { PoolsOptions } from './pool/index.ts';
import type { Database, DatabaseInfo, LoginRole, Member } from './types.ts';
import type { ConnectionOptions } from './wire/index.ts';

export interface MemberOptions {
  /** The value that {@link Database.member} returned in the process that started the database. */
  readonly member: Member;
  /**
   * Called if the server rejects the password of `authenticator`. Resolves when the other process has reset the
   * password.
   */
  readonly onPasswordRejected: () => Promise<void>;
  readonly requestPath: RequestPathLimits;
  readonly pools: Pick<PoolsOptions, 'max' | 'maxWaiting'> | undefined;
  readonly log: Logger;
}

/** How to connect to the read replicas as `authenticator`. */
export interface ReplicaTargets {
  readonly targets: readonly (() => ConnectionOptions)[];
  readonly maxLagMs: number;
}

interface Joined extends SignIns {
  readonly pooledTarget?: ((role: LoginRole) => ConnectionOptions | undefined) | undefined;
  readonly replicas?: ReplicaTargets | undefined;
  readonly info: DatabaseInfo;
  stop(): Promise<void>;
}

/** Removes the functions from the connection options, because only data can be sent to another process. */
export function memberOf({
  target,
  pooledTarget,
  replicas,
  info,
}: Pick<Joined, 'target' | 'pooledTarget' | 'replicas' | 'info'>): Member {
  const authenticator = withoutFunctions(target('authenticator'));
  const pooled = pooledTarget?.('authenticator');
  const { embedded, serverVersion, ownsSchemas } = info;
  return {
    authenticator,
    ...(pooled === undefined ? {} : { pooled: withoutFunctions(pooled) }),
    ...(replicas === undefined
      ? {}
      : {
          replicas: {
            targets: replicas.targets.map((target) => withoutFunctions(target())),
            maxLagMs: replicas.maxLagMs,
          },
        }),
    info: { embedded, serverVersion, ownsSchemas },
  };
}

function withoutFunctions(options: ConnectionOptions): object {
  const { onPasswordRejected, onNotice, onNotification, onEnd, ...data } = options;
  return data;
}

/** Returns the server with only the access that a member has. */
export function serverOfMember({ member, onPasswordRejected }: MemberOptions): Joined {
  const options = { ...(member.authenticator as ConnectionOptions), onPasswordRejected };
  const target = (role: LoginRole): ConnectionOptions => {
    if (role !== 'authenticator') throw new Error(`this process can't sign in as ${role}`);
    return options;
  };
  const pooled = member.pooled as ConnectionOptions | undefined;
  return {
    target,
    pooledTarget: pooled && ((role) => (role === 'authenticator' ? pooled : undefined)),
    replicas: member.replicas && {
      targets: member.replicas.targets.map((one) => () => one as ConnectionOptions),
      maxLagMs: member.replicas.maxLagMs,
    },
    targetOf: async (role) => target(role as LoginRole),
    info: { ...member.info, url: '', projectUrl: '' },
    stop: async () => undefined,
  };
}
