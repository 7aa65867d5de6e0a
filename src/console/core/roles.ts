/** Operators' roles and what each may do. */

export const roles = ['owner', 'developer', 'read-only'] as const;
export type OperatorRole = (typeof roles)[number];

/**
 * `read`: look at everything but secrets. `secrets`: look at what would let somebody act as a user (captured mail, rows
 * of auth and vault) and at what holds keys (jobs' commands, webhooks, requests). `write`: change data, users, files, jobs and
 * the schema. `own`: operators and keys.
 */
export const permissions = ['read', 'secrets', 'write', 'own'] as const;
export type Permission = (typeof permissions)[number];

/** Those that let somebody change anything. */
export const changing: readonly Permission[] = ['write', 'own'];

const granted: Readonly<Record<OperatorRole, readonly Permission[]>> = {
  owner: permissions,
  developer: ['read', 'secrets', 'write'],
  'read-only': ['read'],
};

export const permissionsOf = (role: OperatorRole): readonly Permission[] => granted[role];

export const may = (role: OperatorRole, permission: Permission): boolean =>
  granted[role].includes(permission);

/**
 * Schemas whose rows hold tokens, password hashes or secrets. Queued requests (`net`), hooks and scheduled commands carry
 * keys in their headers and texts, and PostgreSQL's statistics (in `extensions`) and the history of migrations keep statements
 * word for word: a role's password, a webhook's headers.
 */
const secretSchemas: readonly string[] = [
  'auth',
  'vault',
  'net',
  'cron',
  'supabase_functions',
  'supabase_migrations',
  'extensions',
  '_plinth',
];

/** What it takes to read the rows of a schema. */
export const permissionForRows = (schema: string): Permission =>
  secretSchemas.includes(schema) ? 'secrets' : 'read';
