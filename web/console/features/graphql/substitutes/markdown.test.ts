import { expect, test } from 'vitest';
import MarkdownIt from './markdown.ts';

const { render } = new MarkdownIt();

test.each([
  ['One paragraph\non two lines', '<p>One paragraph\non two lines</p>'],
  [
    'First\n\nsecond `code` and `more`\n',
    '<p>First</p><p>second <code>code</code> and <code>more</code></p>',
  ],
  [
    '<img src=x onerror="a()"> & `<b>`',
    '<p>&lt;img src=x onerror=&quot;a()&quot;&gt; &amp; <code>&lt;b&gt;</code></p>',
  ],
  ['[link](javascript:alert(1))', '<p>[link](javascript:alert(1))</p>'],
])('%j', (text, html) => expect(render(text)).toBe(html));
