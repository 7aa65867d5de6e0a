/** States of a table's rows: the grid, the editors of its cells, the panels beside it, and imports. */
import type { Page } from 'playwright-core';
import { choose, inOrder, press, type State, see } from '../state.ts';

const varieties = '/tables/public/varieties';
/** The columns of the table `varieties`, in the order of the grid. */
const columns = ['id', 'name', 'supplier', 'light', 'hardy', 'sown_at', 'harvest', 'traits', 'tags', 'price'];

/** Moves the focus to a cell of the first rows with the keyboard, because the grid contains only the visible cells. */
const focusCell =
  (row: number, column: number) =>
  async (page: Page): Promise<void> => {
    await page.locator('[data-cell="0:1"]').waitFor({ state: 'attached' });
    await page.locator('[data-cell][tabindex="0"]').focus();
    await page.keyboard.press('Control+Home');
    for (let step = 0; step < row; step++) await page.keyboard.press('ArrowDown');
    for (let step = 0; step < column; step++) await page.keyboard.press('ArrowRight');
    await page.locator(`[data-cell="${row}:${column}"]:focus`).waitFor();
  };

const key =
  (...keys: readonly string[]) =>
  async (page: Page): Promise<void> => {
    for (const each of keys) await page.keyboard.press(each);
  };

const dialog = (page: Page): Promise<void> => page.getByRole('dialog').first().waitFor();
const menu = (page: Page): Promise<void> => page.getByRole('menu').first().waitFor();
const cellOf = (name: string) => focusCell(2, columns.indexOf(name) + 1);
const edit = (name: string) => inOrder(cellOf(name), key('Enter'));
const select = inOrder(focusCell(0, 1), key('Shift+Space', 'ArrowDown', 'Shift+Space'));

const grid: readonly State[] = [
  { name: 'tables', path: '/tables' },
  { name: 'table', path: varieties, act: see('Brandywine') },
  { name: 'table-key-missing', path: '/tables/public/order_totals' },
  {
    name: 'table-filters',
    path: `${varieties}?filters=[{"column":"price","operator":"gte","value":"10"},{"column":"light","operator":"eq","value":"shade"}]&sort=[{"column":"name","ascending":true},{"column":"price","ascending":false}]`,
    act: see('Apply'),
  },
  { name: 'table-no-match', path: `${varieties}?filters=[{"column":"id","operator":"lt","value":"0"}]` },
  { name: 'table-selected', path: varieties, act: select },
  {
    name: 'table-edit-many',
    path: varieties,
    act: inOrder(select, press('Edit 2'), async (page) => {
      await page.getByRole('dialog').getByLabel('Column').selectOption('name');
      await page.getByRole('dialog').getByLabel('name', { exact: true }).fill('Radish “Cherry Belle”');
    }),
  },
  {
    name: 'table-delete',
    path: varieties,
    act: inOrder(select, press('Delete 2'), see('will be deleted too')),
  },
  { name: 'table-cell-menu', path: varieties, act: inOrder(cellOf('name'), key('Shift+F10'), menu) },
  {
    name: 'table-column-menu',
    path: varieties,
    act: inOrder(cellOf('name'), key('ArrowUp', 'ArrowUp', 'ArrowUp', 'Shift+F10'), menu),
  },
  {
    name: 'table-related',
    path: `/tables/public/suppliers?${new URLSearchParams({ row: '{"id":"2"}' })}`,
    act: async (page) => {
      await page.getByText('varieties · supplier').click();
      await page.getByText('reference this row').waitFor();
      await page.getByRole('dialog').locator('details details summary').first().click();
      await page.getByText('supplier → suppliers (2)').first().waitFor();
    },
  },
  { name: 'table-columns', path: varieties, act: press('Columns') },
  {
    name: 'table-unsaved',
    path: varieties,
    act: async (page) => {
      await press('Columns')(page);
      await page.getByRole('radio', { name: /^Together/ }).check();
      await page.keyboard.press('Escape');
      for (const [row, name] of [
        [0, 'Radish'],
        [2, 'Broad bean'],
      ] as const) {
        await focusCell(row, columns.indexOf('name') + 1)(page);
        await key('F2', 'Control+a')(page);
        await page.keyboard.insertText(name);
        await key('Enter')(page);
      }
      await see('2 unsaved cells in 2 rows')(page);
    },
  },
  {
    name: 'table-compact',
    path: varieties,
    act: async (page) => {
      await press('Columns')(page);
      await page.getByText('Compact', { exact: true }).click();
      await page.getByRole('button', { name: 'Pin name' }).click();
      await page.getByRole('checkbox', { name: 'Show supplier' }).uncheck();
      await page.keyboard.press('Escape');
    },
  },
  { name: 'table-import-menu', path: varieties, act: press('Import and export') },
  {
    name: 'table-range',
    path: varieties,
    act: inOrder(cellOf('name'), key('Shift+ArrowDown', 'Shift+ArrowRight')),
  },
  { name: 'table-read-only', path: varieties, as: 'looker', act: see('Brandywine') },
];

const personas: readonly State[] = [
  { name: 'table-as-anonymous', path: `${varieties}?as=anon`, act: see('Anonymous') },
  { name: 'table-hidden-rows', path: '/tables/public/tastings?as=anon', act: see('can’t read any rows') },
  { name: 'table-persona', path: varieties, act: inOrder(press('View as Operator'), see('ada@example.com')) },
];

const editors: readonly State[] = [
  { name: 'cell-text', path: varieties, act: edit('name') },
  { name: 'cell-number', path: varieties, act: inOrder(edit('price'), key('x', 'Enter')) },
  { name: 'cell-boolean', path: varieties, act: edit('hardy') },
  { name: 'cell-enum', path: varieties, act: edit('light') },
  { name: 'cell-date-time', path: varieties, act: inOrder(edit('sown_at'), dialog) },
  { name: 'cell-date', path: varieties, act: inOrder(edit('harvest'), dialog) },
  { name: 'cell-json', path: varieties, act: inOrder(edit('traits'), dialog) },
  { name: 'cell-json-tree', path: varieties, act: inOrder(edit('traits'), dialog, press('Tree')) },
  { name: 'cell-array', path: varieties, act: inOrder(edit('tags'), dialog) },
  { name: 'cell-reference', path: varieties, act: inOrder(edit('supplier'), dialog, see('suppliers 2')) },
  {
    name: 'cell-rejected',
    path: varieties,
    act: inOrder(edit('price'), key('Control+a', '-', '1', 'Enter'), see('wasn’t saved')),
  },
];

const panels: readonly State[] = [
  { name: 'row', path: `${varieties}?row={"id":"3"}`, act: dialog },
  {
    name: 'row-new',
    path: `${varieties}?insert=true`,
    act: inOrder(dialog, press('Insert'), see('violates not-null')),
  },
  {
    name: 'peek',
    path: varieties,
    act: inOrder(cellOf('supplier'), key('Alt+Enter'), see('Open suppliers')),
  },
];

const csv =
  'Name,Light,Price,Color\nTomato “Roma”,full sun,2.5,red\nKale “Lacinato”,moonlight,cheap,green\n,shade,3,\n';
const importPath = `${varieties}?import=true`;
const chooseFile = choose('CSV or JSON file', 'varieties.csv', csv);
const imports: readonly State[] = [
  { name: 'import', path: importPath },
  { name: 'import-mapping', path: importPath, act: inOrder(chooseFile, see('Color')) },
  { name: 'import-problems', path: importPath, act: inOrder(chooseFile, press('Dry run'), see('invalid')) },
  {
    name: 'import-valid',
    path: importPath,
    act: inOrder(
      choose('CSV or JSON file', 'varieties.csv', 'name,price\nTomato “Roma”,2.5\nKale “Lacinato”,3\n'),
      see('Roma'),
      press('Dry run'),
      see('rows are valid'),
    ),
  },
];

export const tables: readonly State[] = [...grid, ...personas, ...editors, ...panels, ...imports];
