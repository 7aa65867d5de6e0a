/** Examines an external server and a pooler in front of it without changing anything. */
import { budgetOf, type NodeLimits } from '../connection-budget.ts';
import { DatabaseError } from '../errors.ts';
import { examineReplica } from '../replicas/examine.ts';
import { replicaFindings } from '../replicas/findings.ts';
import type { Finding } from '../types.ts';
import type { Environment } from '../wire/index.ts';
import { laterFinding, pooledRoles, poolerFinding } from './pooler.ts';
import { runPreflight } from './preflight/index.ts';
import { loginOf, loginsOf } from './role-options.ts';
import { type ExternalUrls, readExternalUrl, readPooledUrl, readReplicaUrls } from './url.ts';

export interface ExternalOptions {
  readonly sharedPassword: boolean;
  /** The environment variables that complete the URL, such as PGPASSFILE. */
  readonly environment: Environment;
  /** The limits of this node's connection pools. */
  readonly node?: NodeLimits | undefined;
  /** The read replicas to examine. */
  readonly replicas?: { readonly urls: string; readonly maxLagMs: number } | undefined;
}

/**
 * Examines the server without connecting Plinth's services to it, and closes the session.
 *
 * @throws {DatabaseError} bad_url, unreachable
 */
export async function examineExternal(
  urls: ExternalUrls,
  { sharedPassword, environment, node, replicas }: ExternalOptions,
): Promise<readonly Finding[]> {
  const { base } = await readExternalUrl(urls.direct, environment);
  const pooled = await readPooledUrl(urls, environment);
  const addresses = await readReplicaUrls(replicas?.urls ?? '', environment);
  const logins = loginsOf(base, sharedPassword);
  const { session, facts, findings } = await runPreflight(base, {
    logins,
    budget: budgetOf({ ...node, isPooled: pooled !== undefined }),
  });
  try {
    const states = await Promise.all(
      addresses.map((address) =>
        examineReplica({ ...base, ...address }, { session, maxLagMs: replicas?.maxLagMs ?? 0 }),
      ),
    );
    const found = [...findings, ...replicaFindings(states)];
    if (pooled === undefined) return found;
    const finding =
      facts.authenticator === 'accepted'
        ? await poolerFinding({
            base: pooled,
            session,
            direct: (role) => ({ ...loginOf(base, role), password: logins?.password(role) }),
          })
        : laterFinding;
    return [...found, finding];
  } finally {
    await session.connection.close();
  }
}

/**
 * Returns the users of a pooler in the format of PgBouncer's userlist.txt. PgBouncer needs no passwords, because it can
 * use the client's SCRAM proof for PostgreSQL if its verifiers are the same as PostgreSQL's.
 * @throws {DatabaseError} bad_url, no_password
 */
export async function poolerUsers(
  url: string,
  { sharedPassword, environment }: Omit<ExternalOptions, 'node'>,
): Promise<string> {
  const { base } = await readExternalUrl(url, environment);
  const logins = loginsOf(base, sharedPassword);
  if (logins === undefined) throw new DatabaseError('no_password', { host: base.host, user: base.user });
  return pooledRoles.map((role) => `"${role}" "${logins.verifier(role)}"\n`).join('');
}
