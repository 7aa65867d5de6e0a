/** States of the pages about roles, privileges, types, sequences and the objects of the server. */
import type { Operator } from '../../../test/console/harness.ts';
import { inOrder, press, type State, see } from '../state.ts';

/** Adds an object of each kind to the project. */
async function addObjects(owner: Operator): Promise<void> {
  const table = { schema: 'public', name: 'orders' };
  const target = { type: 'table', ...table };
  const changes = [
    { kind: 'create_extension', extension: 'postgres_fdw', schema: 'extensions', cascade: false },
    {
      kind: 'create_domain',
      schema: 'public',
      name: 'email_address',
      type: { name: 'text' },
      notNull: false,
      check: "value ~ '^[^@]+@[^@]+$'",
    },
    {
      kind: 'create_composite',
      schema: 'public',
      name: 'dimensions',
      attributes: ['width', 'height'].map((name) => ({ name, type: { name: 'numeric' } })),
    },
    {
      kind: 'create_sequence',
      schema: 'public',
      name: 'invoice_numbers',
      type: 'integer',
      options: { restart: '1000' },
    },
    { kind: 'create_role', role: 'reporting', attributes: { login: true, connectionLimit: 5 } },
    { kind: 'create_role', role: 'warehouse', attributes: {} },
    { kind: 'grant_role', role: 'warehouse', member: 'authenticator' },
    { kind: 'grant', target, privileges: ['select'], role: 'reporting' },
    { kind: 'grant', target, privileges: ['update'], columns: ['amount'], role: 'warehouse' },
    {
      kind: 'create_publication',
      publication: 'warehouse_export',
      tables: [table],
      operations: ['insert', 'update'],
    },
  ];
  const server = [
    {
      kind: 'create_server',
      server: 'archive',
      wrapper: 'postgres_fdw',
      options: { host: 'archive.internal', port: '5432', dbname: 'sales' },
    },
    {
      kind: 'create_user_mapping',
      server: 'archive',
      role: 'postgres',
      options: { user: 'reader', password: 'never shown' },
    },
  ];
  for (const part of [changes, server]) {
    const { status, body } = await owner.call('POST', '/schema/apply', { changes: part });
    if (status !== 200) throw new Error(body.message);
  }
}

export const objects: readonly State[] = [
  { name: 'types', path: '/database/types', act: see('light_requirement'), before: addObjects },
  { name: 'types-enum', path: '/database/types?open=public.light_requirement', act: see('Add value') },
  { name: 'types-domain', path: '/database/types?open=public.email_address', act: see('Add check') },
  { name: 'types-new', path: '/database/types', act: press('New enum') },
  { name: 'types-composite-new', path: '/database/types', act: press('New composite type') },
  { name: 'sequences', path: '/database/sequences', act: see('invoice_numbers') },
  { name: 'sequences-open', path: '/database/sequences?open=public.invoice_numbers', act: see('Limited by') },
  { name: 'roles', path: '/database/roles', act: see('reporting') },
  { name: 'roles-open', path: '/database/roles?open=warehouse', act: see('Show this role’s privileges') },
  { name: 'roles-new', path: '/database/roles', act: press('New role') },
  { name: 'grants', path: '/database/grants', act: see('orders') },
  {
    name: 'grants-columns',
    path: '/database/grants?filter=orders',
    act: inOrder(press('Columns of orders'), see('numeric')),
  },
  {
    name: 'grants-panel',
    path: '/database/grants?open=table%20public.orders&of=warehouse',
    act: see('Privileges on columns'),
  },
  {
    name: 'grants-option',
    path: '/database/grants?open=table%20public.orders&of=warehouse',
    act: async (page) => {
      const privileges = page.getByRole('group', { name: 'Privileges on the object' });
      await privileges.getByRole('checkbox', { name: 'Select', exact: true }).check();
      await privileges.getByRole('checkbox', { name: 'Can grant it: Select' }).check();
    },
  },
  {
    name: 'grants-warning',
    path: '/database/grants?kind=schemas&open=schema%20public&of=anon',
    act: async (page) => {
      await page.getByRole('dialog').getByRole('checkbox', { name: 'Usage', exact: true }).uncheck();
      await press('Review SQL')(page);
      await see('no longer be able to use')(page);
    },
  },
  { name: 'grants-functions', path: '/database/grants?kind=functions', act: see('total_of') },
  { name: 'grants-looker', path: '/database/grants', as: 'looker', act: see('orders') },
  { name: 'default-privileges', path: '/database/default-privileges', act: see('Created by postgres') },
  {
    name: 'default-privileges-change',
    path: '/database/default-privileges',
    act: press('Change default privileges'),
  },
  { name: 'publications', path: '/database/publications', act: see('warehouse_export') },
  { name: 'publications-new', path: '/database/publications', act: press('New publication') },
  { name: 'event-triggers', path: '/database/event-triggers', act: see('No event triggers') },
  {
    name: 'event-triggers-system',
    path: '/database/event-triggers',
    act: async (page) => {
      await page.getByRole('checkbox', { name: 'System event triggers' }).check();
      await see('plinth_guard_dropped')(page);
    },
  },
  { name: 'event-triggers-new', path: '/database/event-triggers', act: press('New event trigger') },
  { name: 'foreign-servers', path: '/database/foreign-servers', act: see('archive.internal') },
  { name: 'foreign-servers-map', path: '/database/foreign-servers', act: press('Map a role') },
  {
    name: 'structure-realtime',
    path: '/tables/public/orders/structure',
    act: see('Realtime sends this table’s changes'),
  },
];
