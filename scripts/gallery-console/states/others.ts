/** States of the access check, of missing pages, of pages in read-only roles, and of pages without a session. */
import { type State, see } from '../state.ts';

const why = (question: Readonly<Record<string, string>>): string =>
  `/why?${new URLSearchParams({ schema: 'public', as: 'anon', ...question })}`;
export const others: readonly State[] = [
  { name: 'why-hidden', path: why({ table: 'plants', op: 'select', key: '{"id":"1"}' }) },
  { name: 'why-shown', path: why({ table: 'plants', op: 'select', key: '{"id":"20"}' }) },
  {
    name: 'why-update',
    path: why({ table: 'plants', op: 'update', key: '{"id":"20"}', values: '{"name":"changed"}' }),
  },
  { name: 'why-insert', path: why({ table: 'beds', op: 'insert', values: '{"name":"new"}' }) },
  {
    name: 'why-edit-policy',
    path: why({
      table: 'varieties',
      op: 'update',
      key: '{"id":"2"}',
      edited: 'public.varieties',
      policy: 'Staff can change varieties',
    }),
    act: see('Save policy'),
  },
  { name: 'missing-page', path: '/no-such-page' },
  { name: 'missing-table', path: '/tables/public/no_such_table' },
  { name: 'policies-read-only', path: '/policies', as: 'looker' },
  { name: 'structure-read-only', path: '/tables/public/orders/structure', as: 'looker' },
];

export const signedOut: readonly State[] = [
  { name: 'sign-in', path: '/sign-in', as: 'visitor' },
  { name: 'sign-in-used-link', path: '/sign-in#token=00000000000000000000000000000000', as: 'visitor' },
  { name: 'account-security', path: '/account/security', as: 'user' },
];
