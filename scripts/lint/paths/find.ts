/** Finds file paths in comments and documents. The caller reads the files. */

export interface PathReference {
  readonly line: number;
  /** The path as it is written, without a leading `./` or `../`. */
  readonly path: string;
}

/**
 * Matches the name of a TypeScript file, another file with its folder, or a folder of the repository. SQL files without
 * a folder are mostly files of a project.
 */
const pathPattern =
  /(?<![\w./@:$%{}<>*-])(?:\.{1,2}\/)*((?:[\w@][\w@.-]*\/)*[\w@][\w@.-]*\.(?:tsx?|mjs)|(?:[\w@][\w@.-]*\/)+[\w@][\w@.-]*\.(?:sql|md|css|html)|(?:bench|bin|deploy|docs|examples|scripts|src|templates|test|web)\/(?:[\w.-]+\/)*)(?![\w/*{}<>-])/g;
/** The target of a link in Markdown that isn't a URL: a path, an anchor, or both. */
const linkPattern = /\]\((?![a-z]+:)([^)\s#?]*)(?:#([^)\s]*))?\)/g;
/** A name in capital letters, which the reader replaces. */
const placeholder = /(?:^|[/.-])[A-Z]{2,}(?:_\w+)?(?:[/.-]|$)/;

/** Returns the paths in the comments of source code, or in a Markdown file's code spans and links. */
export function findPaths(file: string, source: string): PathReference[] {
  const texts = file.endsWith('.md') ? spansOf(source) : commentsOf(file, source);
  return texts.flatMap(({ line, text }) =>
    [...text.matchAll(pathPattern)]
      .map(([, path = '']) => ({ line, path }))
      .filter(({ path }) => !placeholder.test(path)),
  );
}

export interface Link extends PathReference {
  /** The anchor of a heading. Undefined if the link refers to the whole file. */
  readonly anchor: string | undefined;
}

/**
 * Returns the targets of a Markdown file's relative links. If a link refers to a heading of the same file, its path is
 * empty.
 */
export const findLinks = (source: string): Link[] =>
  linesOf(source).flatMap(({ line, text }) =>
    [...text.matchAll(linkPattern)].map(([, path = '', anchor]) => ({ line, path, anchor })),
  );

interface Text {
  readonly line: number;
  readonly text: string;
}

const linesOf = (source: string): Text[] =>
  source.split('\n').map((text, index) => ({ line: index + 1, text }));

const spansOf = (source: string): Text[] =>
  linesOf(source).map(({ line, text }) => ({
    line,
    text: [...text.matchAll(/`([^`]+)`/g)].map(([, span]) => span).join('\n'),
  }));

function commentsOf(file: string, source: string): Text[] {
  if (file.endsWith('.sql')) {
    return linesOf(source).map(({ line, text }) => ({ line, text: /--(.*)/.exec(text)?.[1] ?? '' }));
  }
  let isInBlock = false;
  return linesOf(source).map(({ line, text }) => {
    if (isInBlock || /^\s*\/\*/.test(text)) {
      isInBlock = !text.includes('*/');
      return { line, text };
    }
    return { line, text: /(?:^|\s)\/\/\s(.*)/.exec(text)?.[1] ?? '' };
  });
}

/** Returns a function that checks whether a path is the end of a file's or folder's path, such as `paths/find.ts`. */
export function createPathIndex(files: readonly string[]): (path: string) => boolean {
  const known = new Set<string>();
  for (const file of files) {
    const parts = file.split('/');
    for (let start = 0; start < parts.length; start++) known.add(parts.slice(start).join('/'));
    for (let end = 1; end < parts.length; end++) known.add(`${parts.slice(0, end).join('/')}/`);
  }
  return (path) => known.has(path);
}
