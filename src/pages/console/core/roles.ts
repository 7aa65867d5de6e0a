/** Operator roles and their permissions. */

export const roles = ['owner', 'developer', 'read-only'] as const;
export type OperatorRole = (typeof roles)[number];

/**
 * `read` allows reading everything except secrets. `secrets` allows reading data that contains keys (job commands,
 * webhooks, requests) or that would let the operator act as a user (captured emails, rows in the `auth` and `vault`
 * schemas). `write` allows changing rows, users, files, jobs and the schema. `own` allows managing operators and keys.
 */
export const permissions = ['read', 'secrets', 'write', 'own'] as const;
export type Permission = (typeof permissions)[number];

/** The permissions that allow operators to make changes. */
export const changing: readonly Permission[] = ['write', 'own'];

const granted: Readonly<Record<OperatorRole, readonly Permission[]>> = {
  owner: permissions,
  developer: ['read', 'secrets', 'write'],
  'read-only': ['read'],
};

export const permissionsOf = (role: OperatorRole): readonly Permission[] => granted[role];

export const may = (role: OperatorRole, permission: Permission): boolean =>
  granted[role].includes(permission);

/** Whether `other` has all of the permissions of `role`. */
export const isWithin = (role: OperatorRole, other: OperatorRole): boolean =>
  granted[role].every((permission) => may(other, permission));

/**
 * Schemas whose rows contain tokens, password hashes or secrets. Queued requests (the `net` schema), hooks and
 * scheduled commands can contain keys in their headers and text. PostgreSQL's statistics (the `extensions` schema) and
 * the migration history store statements, which can include role passwords and webhook headers.
 */
export const secretSchemas: readonly string[] = [
  'auth',
  'vault',
  'net',
  'cron',
  'supabase_functions',
  'supabase_migrations',
  'extensions',
  '_plinth',
];

/** Returns the permission that is required to read rows in a schema. */
export const permissionForRows = (schema: string): Permission =>
  secretSchemas.includes(schema) ? 'secrets' : 'read';
