/** States of the users pages. */
import type { Page } from 'playwright-core';
import { inOrder, openRow, press, type State, see } from '../state.ts';

const select = async (page: Page): Promise<void> => {
  await page
    .getByRole('link', { name: /@example.com/ })
    .first()
    .waitFor();
  for (const box of (await page.getByLabel(/^Select .*@example.com$/).all()).slice(0, 3)) await box.check();
};
const item =
  (name: string) =>
  (page: Page): Promise<void> =>
    page.getByRole('menuitem', { name, exact: true }).click();
const change = inOrder(select, press('Change users'));

const ada = '/users?search=ada@';
const openUser = inOrder(
  (page) => page.getByRole('table').getByRole('link', { name: 'ada@example.com', exact: true }).click(),
  see('Account activity'),
);
const openActions = inOrder(openUser, async (page) =>
  page.getByRole('button', { name: 'Actions', disabled: false }).click(),
);

export const users: readonly State[] = [
  { name: 'users', path: '/users', act: see('@example.com') },
  {
    name: 'users-filters',
    path: '/users?confirmed=yes&signedIn=yes&createdFrom=2026-01-01',
    act: see('Clear filters'),
  },
  { name: 'users-banned', path: '/users?banned=yes', act: see('banned') },
  { name: 'users-no-match', path: '/users?search=nothing-matches-this' },
  { name: 'users-selected', path: '/users', act: select },
  { name: 'users-change', path: '/users', act: change },
  { name: 'users-ban', path: '/users', act: inOrder(change, item('Ban users')) },
  { name: 'users-metadata', path: '/users', act: inOrder(change, item('Add app metadata')) },
  { name: 'users-delete', path: '/users', act: inOrder(change, item('Delete users')) },
  { name: 'user', path: ada, act: openUser },
  { name: 'user-guest', path: '/users?guest=yes', act: inOrder(openRow('guest'), see('Account activity')) },
  {
    name: 'user-banned',
    path: '/users?banned=yes',
    act: inOrder(openRow('@example.com'), see('Account activity')),
  },
  { name: 'user-actions', path: ada, act: openActions },
  { name: 'user-ban', path: ada, act: inOrder(openActions, item('Ban')) },
  { name: 'user-password', path: ada, act: inOrder(openActions, item('Set password')) },
  { name: 'user-reset-link', path: ada, act: inOrder(openActions, item('Create password reset link')) },
  { name: 'user-delete', path: ada, act: inOrder(openActions, item('Delete user')) },
  { name: 'user-api-key', path: ada, act: inOrder(openUser, press('Revoke the API key Spreadsheet')) },
  { name: 'user-metadata', path: ada, act: inOrder(openUser, press('Edit: User metadata')) },
  { name: 'user-create', path: '/users', act: press('Create user') },
  { name: 'user-invite', path: '/users', act: press('Invite') },
  { name: 'users-read-only', path: ada, as: 'looker', act: openUser },
  // The Console shows the banner on every page until the token expires, so this state is the last one.
  {
    name: 'user-act-as',
    path: ada,
    act: inOrder(openUser, press('Act as this user', 'Create token'), see('accessToken')),
  },
];
