/** States of the SQL page and of the pages for statements and sessions. */
import type { Page } from 'playwright-core';
import { inOrder, openRow, press, type State, see } from '../state.ts';

const write =
  (text: string) =>
  async (page: Page): Promise<void> => {
    await page.getByRole('textbox', { name: 'SQL to run' }).focus();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(text);
  };

const run = (text: string) =>
  inOrder(write(text), async (page) => {
    await page.keyboard.press('Control+Enter');
  });

const path = '/sql';
const perDay = `select taken_on, avg(score)::float8 as score, count(*) as tastings
from public.tastings group by 1 order by 1`;
const join = `select v.name, s.name as supplier, t.score from public.varieties v
join public.tastings t on t.variety = v.id left join public.suppliers s on s.id = v.supplier
where t.score > 2 order by v.name limit 20`;
const library = inOrder(press('Query library'), see('History'));

/** Shows the field for questions. The answers are made up, because the project has no model. */
const withModel =
  (event: object) =>
  async (page: Page): Promise<void> => {
    await page.addInitScript("localStorage.setItem('plinth-ask-seen', 'yes')");
    await page.route('**/console/api/ask', async (route) => {
      const status = {
        isEnabled: true,
        model: 'qwen2.5-coder',
        endpoint: 'http://127.0.0.1:11434',
        allowsRows: true,
        maxPerDay: 200,
        askedToday: 3,
      };
      if (route.request().method() === 'GET') return await route.fulfill({ json: status });
      return await route.fulfill({ body: `${JSON.stringify(event)}\n`, contentType: 'application/x-ndjson' });
    });
    await page.route('**/console/api/ask/preview', (route) =>
      route.fulfill({
        json: {
          messages: [
            { role: 'system', content: 'You help a developer with SQL for PostgreSQL.' },
            {
              role: 'user',
              content:
                '<schema>\ntable public.tastings\n  taken_on date not null\n</schema>\n\nTastings per day',
            },
          ],
        },
      }),
    );
    await page.reload();
    await page.getByLabel('Ask qwen2.5-coder for SQL').fill('The average score of tastings per day');
  };
const answered = {
  event: 'done',
  text: 'The query groups the tastings by day and returns the average of their scores.',
  sql: perDay,
  chart: { kind: 'line', x: 'taken_on', y: ['score'] },
  diff: null,
  isCut: false,
};
const changed = {
  ...answered,
  diff: [
    { kind: 'same', text: 'select taken_on, avg(score)::float8 as score' },
    { kind: 'removed', text: 'from public.tastings group by taken_on' },
    { kind: 'added', text: 'from public.tastings group by 1 order by 1' },
  ],
};
const fault = {
  event: 'error',
  fault: 'unauthorized',
  message: 'The endpoint rejected the key. Check [console.ask] key. It says: Incorrect API key',
};
const asked = (event: object) => inOrder(withModel(event), press('Ask'));

const saved = { isShared: true, view: {} };
export const sql: readonly State[] = [
  { name: 'sql', path, act: see('Write a query and run it') },
  {
    name: 'sql-results',
    path,
    act: inOrder(
      run(`select id, name, light, hardy, traits, price from public.varieties order by id limit 60;
update public.tastings set score = 5 where variety = 1;
select count(*) from public.varieties`),
      see('Committed'),
      async (page) => page.getByRole('tab', { name: /select id/ }).click(),
    ),
  },
  {
    name: 'sql-chart',
    path,
    act: inOrder(run(perDay), see('Committed'), press('Chart'), see('View numbers')),
  },
  { name: 'ask-field', path, act: withModel(answered) },
  { name: 'ask-sent', path, act: inOrder(withModel(answered), press('What is sent'), see('You help')) },
  { name: 'ask-answer', path, act: inOrder(asked(answered), see('Use this SQL')) },
  { name: 'ask-changes', path, act: inOrder(asked(changed), see('Use this SQL')) },
  {
    name: 'ask-used',
    path,
    act: inOrder(asked(answered), press('Use this SQL', 'Run'), see('View numbers')),
  },
  { name: 'ask-error', path, act: inOrder(asked(fault), see('rejected the key')) },
  { name: 'sql-plan', path, act: inOrder(write(join), press('Explain and run'), see('View as table')) },
  {
    name: 'sql-library',
    path,
    before: async (owner) => {
      for (const [name, folder, isShared] of [
        ['Revenue per week', 'Reports', true],
        ['Varieties without a supplier, with their last tasting', 'Reports', false],
        ['Orders of a customer', '', true],
      ] as const)
        await owner.call('POST', '/sql/saved', { ...saved, name, folder, isShared, text: 'select 1' });
    },
    act: library,
  },
  { name: 'sql-history', path, act: inOrder(library, press('History')) },
  { name: 'sql-templates', path, act: inOrder(library, press('Templates')) },
  {
    name: 'sql-parameters',
    path,
    act: inOrder(
      write('select id, name, price from public.varieties where price < :most and light = $1'),
      async (page) => {
        await page.getByLabel('Value of :most').fill('9.5');
        await page.getByLabel('Type of :most').selectOption('Number');
        await page.getByLabel('Value of $1').fill('shade');
        await page.getByLabel('Value of $1').press('Enter');
      },
      see('Committed'),
    ),
  },
  {
    name: 'sql-error',
    path,
    act: inOrder(run('select id,\n  nam from public.varieties'), see('does not exist')),
  },
  { name: 'sql-confirm', path, act: inOrder(run('drop table public.tastings'), see('Run statement')) },
  { name: 'sql-save', path, act: inOrder(write(join), press('Save'), see('Share with all operators')) },
  {
    name: 'sql-cell',
    path,
    act: inOrder(run(`select repeat('a long text ', 2000) as essay`), press('Show full value')),
  },
  { name: 'sql-persona', path, act: inOrder(press('View as Operator'), see('ada@example.com')) },
  { name: 'sql-read-only', path, as: 'looker', act: see('Your role is read-only') },
];

export const queries: readonly State[] = [
  { name: 'statements', path: '/queries/statements', act: see('select') },
  { name: 'statement', path: '/queries/statements', act: openRow('select') },
  { name: 'statements-none', path: '/queries/statements?search=nothing-matches-this' },
  { name: 'statement-history', path: '/queries/history', act: see('Execution time per minute') },
  { name: 'statement-history-panel', path: '/queries/history', act: openRow('select') },
  {
    name: 'activity',
    path: '/queries/activity',
    before: async (owner) => {
      const text = 'begin; lock table public.tastings; select pg_sleep(40)';
      void owner.call('POST', '/sql/run', { text, confirmed: true }).catch(() => undefined);
      await new Promise((done) => setTimeout(done, 500));
      const waiting = 'update public.tastings set score = 1 where variety = 3';
      void owner.call('POST', '/sql/run', { text: waiting }).catch(() => undefined);
      await new Promise((done) => setTimeout(done, 500));
    },
    act: see('pg_sleep'),
  },
  { name: 'activity-session', path: '/queries/activity', act: openRow('pg_sleep') },
];
