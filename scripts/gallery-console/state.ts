/** Defines the state of a page, and the steps that lead to a state. */
import type { Page } from 'playwright-core';
import type { Operator } from '../../test/console/harness.ts';
import type { GalleryProject } from './project.ts';

export type Viewer = 'owner' | 'looker' | 'user' | 'visitor';

export interface State {
  readonly name: string;
  readonly path: string;
  /**
   * The viewer of the page: an operator, an end user on the Account pages, or a visitor without a session. The default
   * is the owner.
   */
  readonly as?: Viewer;
  /** Set for a project without tables and users. Defaults to the project that `fill.ts` fills with data. */
  readonly project?: 'empty';
  /** The widths of the window, if the state doesn't exist in other widths. */
  readonly widths?: readonly number[];
  /** Changes the project. The states that follow in the list show the result. */
  readonly before?: (owner: Operator, project: GalleryProject) => Promise<void>;
  /** Makes the open page show the state. */
  readonly act?: (page: Page) => Promise<void>;
}

/** Clicks buttons or links, one after another. */
export const press =
  (...names: readonly (string | RegExp)[]) =>
  async (page: Page): Promise<void> => {
    for (const name of names) {
      const wanted = typeof name === 'string' ? { name, exact: true } : { name };
      await page.getByRole('button', wanted).or(page.getByRole('link', wanted)).first().click();
    }
  };

export const inOrder =
  (...steps: readonly ((page: Page) => Promise<void>)[]) =>
  async (page: Page): Promise<void> => {
    for (const step of steps) await step(page);
  };

export const openRow =
  (text: string) =>
  (page: Page): Promise<void> =>
    page
      .getByRole('row')
      .filter({ hasText: text })
      .first()
      .getByRole('link')
      .or(page.getByRole('row').filter({ hasText: text }).first().getByRole('button'))
      .first()
      .click();

export const see =
  (text: string) =>
  (page: Page): Promise<void> =>
    page.getByText(text).filter({ visible: true }).first().waitFor();

/** Chooses a file with the given content in a file field. */
export const choose =
  (label: string, name: string, text: string) =>
  (page: Page): Promise<void> =>
    page.getByLabel(label).setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });
