/** Operators' roles and what each may do. */

export const roles = ['owner', 'developer', 'read-only'] as const;
export type OperatorRole = (typeof roles)[number];

/** `read`: look at everything but secrets. `write`: change data and users. `own`: operators and keys. */
export type Permission = 'read' | 'write' | 'own';

const granted: Readonly<Record<OperatorRole, readonly Permission[]>> = {
  owner: ['read', 'write', 'own'],
  developer: ['read', 'write'],
  'read-only': ['read'],
};

export const may = (role: OperatorRole, permission: Permission): boolean =>
  granted[role].includes(permission);
