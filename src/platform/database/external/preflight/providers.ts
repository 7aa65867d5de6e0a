/**
 * Providers of managed PostgreSQL servers. Their administrators aren't superusers, so `alter system` doesn't work, and each
 * provider has a different way to change a parameter. The texts are based on the providers' documentation (November 2026).
 */
import { quoteIdentifier } from '../../../../base/kernel/sql.ts';

export interface Provider {
  readonly name: string;
  /** Where parameters such as max_connections are changed. */
  readonly parameters: string;
  /** What enables logical replication, as an imperative clause. */
  readonly logicalReplication: string;
  /** Lets a role replicate. */
  readonly replicate: (role: string) => string;
  /** What makes an extension available. */
  readonly extensions: string;
}

const withAttribute = (role: string): string => `alter role ${quoteIdentifier(role)} replication;`;
const ofCatalog = 'Only extensions that the provider offers can be used.';

/** The providers, by the role that each provider's servers have. */
const providers: Readonly<Record<string, Provider>> = {
  rds_superuser: {
    name: 'Amazon RDS and Aurora',
    parameters: 'the parameter group',
    logicalReplication: 'set rds.logical_replication = 1 in the parameter group and reboot',
    replicate: (role) => `grant rds_replication to ${quoteIdentifier(role)};`,
    extensions: ofCatalog,
  },
  cloudsqlsuperuser: {
    name: 'Cloud SQL',
    parameters: "the instance's flags",
    logicalReplication: 'set the flag cloudsql.logical_decoding = on, which restarts the instance',
    replicate: withAttribute,
    extensions: ofCatalog,
  },
  alloydbsuperuser: {
    name: 'AlloyDB',
    parameters: "the instance's flags",
    logicalReplication: 'set the flag alloydb.logical_decoding = on, which restarts the instance',
    replicate: withAttribute,
    extensions: ofCatalog,
  },
  azure_pg_admin: {
    name: 'Azure Database for PostgreSQL',
    parameters: 'the server parameters',
    logicalReplication: 'set the server parameter wal_level = logical and restart the server',
    replicate: withAttribute,
    extensions: 'Add them to the server parameter azure.extensions.',
  },
  neon_superuser: {
    name: 'Neon',
    parameters: "the project's settings",
    logicalReplication: "enable logical replication in the project's settings",
    replicate: withAttribute,
    extensions: ofCatalog,
  },
};

/** The roles that identify a provider. */
export const providerRoles: readonly string[] = Object.keys(providers);

/** Returns the provider that one of the server's roles identifies. */
export function providerOf(roles: readonly string[]): Provider | undefined {
  const role = providerRoles.find((name) => roles.includes(name));
  return role === undefined ? undefined : providers[role];
}
