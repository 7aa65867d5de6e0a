import { expect, test } from 'vitest';
import { diffLines } from './diff-lines.ts';

test('a changed line is shown with two lines around it', () => {
  const lines = ['1', '2', '3', '4', '5', '6', '7'];
  expect(diffLines(lines.join('\n'), lines.join('\n').replace('4', 'four'))).toEqual([
    { kind: 'same', text: '2' },
    { kind: 'same', text: '3' },
    { kind: 'removed', text: '4' },
    { kind: 'added', text: 'four' },
    { kind: 'same', text: '5' },
    { kind: 'same', text: '6' },
    { kind: 'gap', text: '' },
  ]);
});

test('texts with very many lines are shown completely', () => {
  const text = 'x\n'.repeat(10_000);
  const lines = diffLines(text, `${text}y\n`);
  expect(lines).toHaveLength(20_001);
  expect(lines.at(-1)).toEqual({ kind: 'added', text: 'y' });
});
