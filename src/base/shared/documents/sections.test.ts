import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readPages, topicsOf } from './pages.ts';
import { headingsOf, hrefOf, searchSections, sectionsOf, sectionText, slugOf } from './sections.ts';

const text =
  '# Operate\n\nAbout servers.\n\n## Restore a backup\n\nRun it.\n\n```sh\n# not a heading\n```\n\n### Details\n\nMore.\n\n## Empty\n';
const page = { name: 'operate', text };

test('a page is split at its headings, but not in code', () => {
  const sections = sectionsOf(page);
  expect(sections).toMatchObject([
    { title: 'Operate', content: 'About servers.' },
    { title: 'Restore a backup', pageTitle: 'Operate' },
    { title: 'Details', content: 'More.' },
  ]);
  expect(sections.map(hrefOf)).toEqual([
    'docs/operate.md#operate',
    'docs/operate.md#restore-a-backup',
    'docs/operate.md#details',
  ]);
});

test('a section is returned with its subsections', () => {
  expect(sectionText(text, 'restore-a-backup')).toBe(
    '## Restore a backup\n\nRun it.\n\n```sh\n# not a heading\n```\n\n### Details\n\nMore.',
  );
  expect(sectionText(text, 'details')).toBe('### Details\n\nMore.');
  expect(sectionText(text, 'not-a-heading')).toBeUndefined();
});

test('anchors are those of GitHub', () => {
  expect(slugOf('Set `site_url` & more')).toBe('set-site_url--more');
  expect(slugOf('A [link](x.md) in a title')).toBe('a-link-in-a-title');
  expect(headingsOf('# A\n\n## B\n\n## B\n').map(({ anchor }) => anchor)).toEqual(['a', 'b', 'b-1']);
});

test('titles weigh more than text', () => {
  const sections = [
    ...sectionsOf({ name: 'a', text: '# A\n\nA backup is mentioned here.' }),
    ...sectionsOf({ name: 'b', text: '# Backups\n\nEvery day.' }),
  ];
  expect(searchSections(sections, 'backup').map(({ page: name }) => name)).toEqual(['b', 'a']);
  expect(searchSections(sections, 'unknown')).toEqual([]);
});

test('every text can be split, and every heading has a section', () => {
  const line = fc.oneof(fc.constantFrom('# A', '## B', '### B', '```', '    code', '#', '- a'), fc.string());
  fc.assert(
    fc.property(fc.array(line), (lines) => {
      const source = lines.join('\n');
      for (const { anchor } of headingsOf(source)) expect(sectionText(source, anchor)).toBeTypeOf('string');
      sectionsOf({ name: 'x', text: source });
    }),
  );
});

test('pages can be compressed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-docs-'));
  try {
    writeFileSync(join(folder, 'operate.md.br'), brotliCompressSync(text));
    writeFileSync(join(folder, 'agents.md'), '# Agents');
    writeFileSync(join(folder, 'picture.png'), '');
    expect(await readPages(folder)).toEqual([{ name: 'agents', text: '# Agents' }, page]);
    expect(await readPages(join(folder, 'missing'))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('the index is parsed', () => {
  const index = `# Plinth

> A backend.

## Start

- [First steps](start.md): Install it.
- [Agents](agents.md): With two
  lines.

## Reference

- [Errors](errors.md): All codes.
`;
  expect(topicsOf(index)).toEqual([
    {
      title: 'Start',
      pages: [
        { name: 'start', title: 'First steps', about: 'Install it.' },
        { name: 'agents', title: 'Agents', about: 'With two lines.' },
      ],
    },
    { title: 'Reference', pages: [{ name: 'errors', title: 'Errors', about: 'All codes.' }] },
  ]);
});
