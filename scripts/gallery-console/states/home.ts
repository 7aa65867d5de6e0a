/** States of the home page and of the parts that every page has: the menu, the search and the list of shortcuts. */
import type { Page } from 'playwright-core';
import { inOrder, press, type State, see } from '../state.ts';

const search =
  (text: string) =>
  async (page: Page): Promise<void> => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find anything' }).waitFor();
    await page.keyboard.insertText(text);
    await page
      .getByRole('dialog')
      .getByText(/^Pages$|result/i)
      .first()
      .waitFor();
  };

export const home: readonly State[] = [
  { name: 'home', path: '/', act: see('First steps') },
  { name: 'home-new-project', path: '/', project: 'empty', act: see('First steps') },
  { name: 'tables-new-project', path: '/tables', project: 'empty' },
  { name: 'users-new-project', path: '/users', project: 'empty' },
  { name: 'storage-new-project', path: '/storage', project: 'empty' },
  { name: 'policies-new-project', path: '/policies', project: 'empty' },
  { name: 'home-read-only', path: '/', as: 'looker', act: see('First steps') },
  { name: 'menu', path: '/', widths: [390], act: inOrder(press('Open menu'), see('Audit log')) },
  { name: 'palette', path: '/', act: search('') },
  { name: 'palette-results', path: '/', act: search('orders') },
  { name: 'palette-nothing', path: '/', act: search('nothing-matches-this') },
  {
    name: 'shortcuts',
    path: '/',
    act: async (page) => {
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    },
  },
];
