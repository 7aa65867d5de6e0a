/** States of the pages that show who can see which rows: policies and the access check. */
import { inOrder, press, type State, see } from '../state.ts';

const policy = (table: string, name: string): string =>
  `/policies?${new URLSearchParams({ table: `public.${table}`, policy: name })}`;

export const policies: readonly State[] = [
  { name: 'policies', path: '/policies', act: see('varieties') },
  { name: 'policies-matrix', path: '/policies?view=matrix', act: see('varieties') },
  {
    name: 'policies-of-table',
    path: '/policies?only=public.varieties',
    act: see('Staff can change varieties'),
  },
  {
    name: 'policies-rows',
    path: '/policies?only=public.varieties&as=anon',
    act: inOrder(press('Show rows'), see('Rows visible to')),
  },
  { name: 'policies-no-match', path: '/policies?filter=nothing-matches-this' },
  {
    name: 'policy-new',
    path: '/policies?table=public.orders&isNew=true',
    act: async (page) => {
      await page
        .getByLabel('Template', { exact: true })
        .selectOption('Users can read and change their own rows');
      await page.getByText('create policy').first().waitFor();
    },
  },
  { name: 'policy', path: policy('varieties', 'Staff can change varieties'), act: see('Save policy') },
  {
    name: 'policy-drop',
    path: policy('varieties', 'Second factor required'),
    act: inOrder(press('Drop policy'), see('may be allowed')),
  },
  {
    name: 'policies-security-off',
    path: '/policies?only=public.varieties',
    act: inOrder(press('Turn off'), see('Every role with a grant will')),
  },
  {
    name: 'policies-turned-off',
    path: '/policies?only=public.varieties',
    before: async (owner) => {
      await owner.call('POST', '/policies', {
        schema: 'public',
        table: 'varieties',
        change: { kind: 'off', name: 'Second factor required' },
      });
    },
    act: see('turned off'),
  },
];
