/** Lists the paths in comments and documents that aren't files of the repository, each with the reason. */

export interface PathException {
  /** The files in which the path is correct, as prefixes relative to the repository. If absent, all files. */
  readonly files?: readonly string[];
  /** Matches the paths. */
  readonly path: RegExp;
  readonly reason: string;
}

export const pathExceptions: readonly PathException[] = [
  {
    path: /^(supabase\/|_shared\/|hello\/index\.ts$)/,
    reason: 'Files of a project.',
  },
  {
    files: [
      'docs/nextjs.md',
      'docs/sign-in-',
      'docs/testing.md',
      'docs/vector-search.md',
      'templates/',
      'web/console/features/home/snippets.ts',
    ],
    path: /^(app|lib|src|test)\/|^(middleware|next\.config|database\.types)\.ts$/,
    reason: 'Files of an app.',
  },
  {
    files: ['src/project/baseline/index.ts', 'src/project/folder/types-files.ts'],
    path: /^src\/integrations\/supabase\/types\.ts$/,
    reason: 'A file of an app.',
  },
  {
    path: /^(a|source\/index|x\.test)\.ts$/,
    reason: 'Names in examples.',
  },
  {
    path: /^(@supabase\/functions-js|deno\.land)\//,
    reason: 'Files of packages.',
  },
  {
    files: ['src/base/kernel/web-face.ts', 'src/entry/npm/testing-host.ts'],
    path: /^(pages\/sign-in\.html|testing-host\.mjs)$/,
    reason: 'Files that the build creates.',
  },
  {
    files: ['src/pages/console/sql/0001_console.sql'],
    path: /^policies\/turned-off\.ts$/,
    reason: 'A released SQL file must not change.',
  },
];
