/** Tests the index of the documentation, from which llms.txt, `plinth docs` and the site's sidebar are derived. */
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { topicsOf } from '../../src/base/shared/documents/pages.ts';
import { headingsOf } from '../../src/base/shared/documents/sections.ts';
import { readPage, root } from './pages.ts';

const listed = topicsOf(readPage('index')).flatMap(({ pages }) => pages);

test('every page is listed once', () => {
  const files = readdirSync(`${root}docs`).flatMap((name) => /^(?!index)(.+)\.md$/.exec(name)?.[1] ?? []);
  expect(listed.map(({ name }) => name).sort()).toEqual(files.sort());
});

test('every page begins with a title and a paragraph', () => {
  for (const { name } of listed) {
    const text = readPage(name);
    expect([name, headingsOf(text).filter(({ level }) => level === 1).length]).toEqual([name, 1]);
    expect([name, text.startsWith('# ')]).toEqual([name, true]);
  }
});
