/** States of the pages for functions, jobs, webhooks, queues and Realtime. */
import { inOrder, openRow, press, type State, see } from '../state.ts';

export const functions: readonly State[] = [
  { name: 'functions', path: '/functions' },
  { name: 'functions-new', path: '/functions', act: press('New function') },
  { name: 'function', path: '/functions?name=send-invoice', act: inOrder(press('Send'), see('202')) },
  { name: 'function-failing', path: '/functions?name=recalculate-prices', act: press('Send') },
  {
    name: 'function-editing',
    path: '/functions?name=send-invoice',
    act: async (page) => {
      await page.getByRole('textbox', { name: 'index.ts' }).focus();
      await page.keyboard.press('Control+Home');
      await page.keyboard.insertText('const oops: = 1;\n');
      await page.keyboard.press('Control+s');
      await see('Save anyway')(page);
    },
  },
  { name: 'function-read-only', path: '/functions?name=send-invoice', as: 'looker' },
  { name: 'function-secrets', path: '/functions?view=secrets' },
  { name: 'function-secrets-new', path: '/functions?view=secrets', act: press('Set secret') },
  { name: 'function-secrets-read-only', path: '/functions?view=secrets', as: 'looker' },
];

export const jobs: readonly State[] = [
  { name: 'jobs', path: '/jobs/cron' },
  { name: 'job', path: '/jobs/cron', act: openRow('failing-job') },
  { name: 'job-long-name', path: '/jobs/cron', act: openRow('recalculate-the') },
  { name: 'job-edit', path: '/jobs/cron', act: inOrder(openRow('nightly'), press('Edit')) },
  { name: 'job-missing', path: '/jobs/cron?id=nothing' },
  { name: 'job-delete', path: '/jobs/cron', act: inOrder(openRow('nightly'), press('Delete')) },
  { name: 'jobs-new', path: '/jobs/cron', act: press('New job') },
  { name: 'jobs-read-only', path: '/jobs/cron', as: 'looker' },
  { name: 'webhooks', path: '/jobs/webhooks' },
  { name: 'webhook', path: '/jobs/webhooks', act: openRow('tell the warehouse') },
  { name: 'webhooks-new', path: '/jobs/webhooks', act: press('New webhook') },
  { name: 'requests', path: '/jobs/requests' },
  { name: 'queues', path: '/jobs/queues' },
  { name: 'queue', path: '/jobs/queues?id=letters', act: see('Message 1') },
  { name: 'queues-new', path: '/jobs/queues', act: press('New queue') },
  {
    name: 'queue-send',
    path: '/jobs/queues?id=letters',
    act: press('Send message'),
  },
];

const joinChannel = inOrder(press('Join'), see('joined'));
export const realtime: readonly State[] = [
  { name: 'realtime', path: '/realtime' },
  {
    name: 'realtime-joined',
    path: '/realtime?topic=room&table=public.orders&as=anon',
    act: inOrder(joinChannel, press('Track'), see('1 present'), press('Send', 'Send'), async (page) => {
      const summaries = page.getByRole('region', { name: 'Events' }).locator('summary');
      await summaries.first().click();
    }),
  },
  {
    name: 'realtime-watch',
    path: '/realtime?topic=room&as=anon',
    act: inOrder(press('Watch'), see('Waiting for messages'), joinChannel, press('Send'), (page) =>
      page.getByRole('region', { name: 'All messages' }).locator('summary').first().click(),
    ),
  },
  {
    name: 'realtime-check',
    path: '/realtime?table=public.orders&as=anon',
    act: async (page) => {
      await page.getByLabel('Row key (JSON)').fill('{"id": 30}');
      await page.keyboard.press('Enter');
      await page
        .getByRole('region', { name: 'Delivery check' })
        .getByText('delivered', { exact: true })
        .waitFor();
    },
  },
  {
    name: 'realtime-refused',
    path: '/realtime?topic=secret&private=true&table=public.beds&as=anon',
    act: inOrder(press('Join'), see('failed')),
  },
];
