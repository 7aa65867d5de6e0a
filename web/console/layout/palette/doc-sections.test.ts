import { expect, test } from 'vitest';
import { sectionsOf } from './doc-sections.ts';

test('a document is split at its headings but not inside code', () => {
  const markdown = '# Operate\n\nFirst.\n\n## Set `port`\n\n```\n# a comment\n```\n\n### Logs\nLast.';
  expect(sectionsOf('operate.md', markdown)).toEqual([
    { file: 'operate.md', title: 'Operate', document: 'Operate', text: 'First.' },
    { file: 'operate.md', title: 'Set port', document: 'Operate', text: '```\n# a comment\n```' },
    { file: 'operate.md', title: 'Logs', document: 'Operate', text: 'Last.' },
  ]);
});
