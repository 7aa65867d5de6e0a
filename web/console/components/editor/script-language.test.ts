import { classHighlighter, highlightTree } from '@lezer/highlight';
import { expect, test } from 'vitest';
import { languageOf } from './script-language.ts';

/** Returns the highlighted parts of a text with their classes. */
function parts(text: string): string[] {
  const tree = languageOf('a.ts')?.parser.parse(text);
  const found: string[] = [];
  if (tree !== undefined)
    highlightTree(tree, classHighlighter, (from, to, classes) =>
      found.push(`${classes.replace('tok-', '')}:${text.slice(from, to)}`),
    );
  return found;
}

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: the texts are template literals
test.each<[string, string[]]>([
  ['const a = 1_000n;', ['keyword:const', 'number:1_000n']],
  [
    `import { x } from './x.ts'; // end`,
    ['keyword:import', 'keyword:from', "string:'./x.ts'", 'comment:// end'],
  ],
  ['a / b / c', []],
  ['return /[/"]+/g.test(a)', ['keyword:return', 'string:/[/"]+/g']],
  ['let n: number = null', ['keyword:let', 'typeName:number', 'bool:null']],
  ['/* one\ntwo */ new Response()', ['comment:/* one', 'comment:two */', 'keyword:new', 'typeName:Response']],
  ['`a ${b({ c: "d" })} e`', ['string:`a ${', 'string:"d"', 'string: e`']],
  ['`a\n${`in ${1}`} z`', ['string:`a', 'string:${`in ${', 'number:1', 'string:`', 'string: z`']],
  [`'it\\'s' + "open`, [`string:'it\\'s'`, 'string:"open']],
])('%s', (text, expected) => {
  expect(parts(text)).toEqual(expected);
});
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: the texts are template literals

test('other files aren’t highlighted', () => {
  expect(['a.md', 'a.css', 'ts', 'a.ts.txt'].map(languageOf)).toEqual(Array(4).fill(undefined));
  expect(['a.mts', 'b.tsx', 'deno.jsonc', 'c.js'].map((path) => languageOf(path) !== undefined)).toEqual(
    Array(4).fill(true),
  );
});
