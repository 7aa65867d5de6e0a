/** Reads the code blocks of the documentation, for the tests that run them. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));

export interface CodeBlock {
  readonly language: string;
  /** The path above the block, such as `src/App.tsx`. Undefined if the block isn't a file. */
  readonly path: string | undefined;
  readonly code: string;
}

export const readPage = (name: string): string => readFileSync(`${root}docs/${name}.md`, 'utf8');

/** Returns a page's code blocks, in order. */
export const codeBlocks = (page: string): CodeBlock[] =>
  [...page.matchAll(/(?:^`([^`\n]+)`:\n\n)?^```(\w+)\n([\s\S]*?)^```$/gm)].map(
    ([, path, language = '', code = '']) => ({ language, path, code }),
  );

/** Returns the code of the blocks that aren't files, joined in the order of the page. */
export const joined = (blocks: readonly CodeBlock[], language: string): string =>
  blocks
    .filter((block) => block.language === language && block.path === undefined)
    .map(({ code }) => code)
    .join('\n');

/** Returns the output that the comments in the code promise. */
export const promised = (code: string): string[] =>
  [...code.matchAll(/\/\/ prints (.+)$/gm)].map(([, text = '']) => text);

/** Returns the code of all blocks in this language, without the indentation of blocks in lists. */
export const blocksOf = (page: string, language: string): string[] =>
  [...page.matchAll(new RegExp(`^( *)\`\`\`${language}\\n([\\s\\S]*?)\`\`\`$`, 'gm'))].map(
    ([, indent = '', code = '']) => code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );

/** Returns the lines of the page's shell commands, in order. */
export const commandLines = (page: string): string[] =>
  blocksOf(page, 'sh').flatMap((code) => code.trim().split('\n'));

/** Splits a command line into words, which can be in single quotes. */
export const wordsOf = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
