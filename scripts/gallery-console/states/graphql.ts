/** States of the GraphQL page. */
import type { Page } from 'playwright-core';
import type { Operator } from '../../../test/console/harness.ts';
import { inOrder, press, type State, see } from '../state.ts';

const run = (owner: Operator, text: string) => owner.call('POST', '/sql/run', { text, confirmed: true });

const write =
  (text: string) =>
  async (page: Page): Promise<void> => {
    await page.locator('.graphiql-query-editor .CodeMirror').click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(text);
  };

const query = `query cheap {
  varietiesCollection(first: 3, orderBy: [{price: AscNullsLast}]) {
    edges {
      node {
        id
        name
        price
      }
    }
  }
}`;

const path = '/graphql';
export const graphql: readonly State[] = [
  { name: 'graphql-off', path, act: see('GraphQL is off') },
  {
    name: 'graphql-hidden-schema',
    path,
    before: async (owner) => {
      await run(owner, 'create extension pg_graphql');
    },
    act: see('Introspection is off'),
  },
  {
    name: 'graphql-response',
    path,
    before: async (owner) => {
      await run(owner, `comment on schema public is '@graphql({"introspection": true})'`);
    },
    act: inOrder(write(query), press(/Execute query/), async (page) => {
      await page.locator('.graphiql-response').getByText('varietiesCollection').waitFor();
    }),
  },
  {
    name: 'graphql-docs',
    path,
    act: inOrder(press('Show Documentation Explorer'), see('All Schema Types')),
  },
  { name: 'graphql-history', path, act: press('Show History') },
  { name: 'graphql-settings', path, act: press('Open settings dialog') },
];
