/** Policy templates. `(select auth.uid())` is evaluated once per statement instead of once per row. */
import type { Policy } from './api.ts';
import type { PolicyTextId } from './text.ts';

export const templates: readonly { readonly label: PolicyTextId; readonly policy: Policy }[] = [
  {
    label: 'policies.template-own',
    policy: {
      name: 'Users can read and change their own rows',
      command: 'all',
      permissive: true,
      roles: ['authenticated'],
      using: '(select auth.uid()) = user_id',
      check: null,
    },
  },
  {
    label: 'policies.template-read-all',
    policy: {
      name: 'Anyone can read',
      command: 'select',
      permissive: true,
      roles: ['anon', 'authenticated'],
      using: 'true',
      check: null,
    },
  },
  {
    label: 'policies.template-signed-in',
    policy: {
      name: 'Signed-in users read',
      command: 'select',
      permissive: true,
      roles: ['authenticated'],
      using: 'true',
      check: null,
    },
  },
  {
    label: 'policies.template-insert-own',
    policy: {
      name: 'Users can insert their own rows',
      command: 'insert',
      permissive: true,
      roles: ['authenticated'],
      using: null,
      check: '(select auth.uid()) = user_id',
    },
  },
  {
    label: 'policies.template-claim',
    policy: {
      name: 'Staff do everything',
      command: 'all',
      permissive: true,
      roles: ['authenticated'],
      using: `(select auth.jwt() -> 'app_metadata' ->> 'role') = 'staff'`,
      check: null,
    },
  },
  {
    label: 'policies.template-member',
    policy: {
      name: 'Members read',
      command: 'select',
      permissive: true,
      roles: ['authenticated'],
      using: 'group_id in (select m.group_id from public.members m where m.user_id = (select auth.uid()))',
      check: null,
    },
  },
  {
    label: 'policies.template-mfa',
    policy: {
      name: 'Only with a second factor',
      command: 'all',
      permissive: false,
      roles: ['authenticated'],
      using: `(select auth.jwt() ->> 'aal') = 'aal2'`,
      check: null,
    },
  },
];
