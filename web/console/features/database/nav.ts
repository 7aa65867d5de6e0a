/** The pages of the section, in groups, in the order of its menu. */

export const sections = [
  {
    label: 'database.group-objects',
    pages: [
      { to: '/database/functions', label: 'database.functions' },
      { to: '/database/triggers', label: 'database.triggers' },
      { to: '/database/views', label: 'database.views' },
      { to: '/database/indexes', label: 'database.indexes' },
      { to: '/database/types', label: 'database.types' },
      { to: '/database/sequences', label: 'database.sequences' },
    ],
  },
  {
    label: 'database.group-access',
    pages: [
      { to: '/database/roles', label: 'database.roles' },
      { to: '/database/grants', label: 'database.grants' },
      { to: '/database/default-privileges', label: 'database.default-privileges' },
    ],
  },
  {
    label: 'database.group-server',
    pages: [
      { to: '/database/extensions', label: 'nav.extensions' },
      { to: '/database/publications', label: 'database.publications' },
      { to: '/database/event-triggers', label: 'database.event-triggers' },
      { to: '/database/foreign-servers', label: 'database.foreign-servers' },
    ],
  },
] as const;
