/** Formats the result of a comparison as SQL. */
import { oneLine, shellQuoted } from '../../../base/shared/printable.ts';
import type { Rename, SchemaDiff } from '../types.ts';

/** Returns the SQL script, or an empty string if the schemas are equal. */
export function diffScript({ statements, possibleRenames }: SchemaDiff): string {
  if (statements.length === 0) return '';
  const blocks = [
    ...possibleRenames.map(renameHint),
    ...statements.flatMap(({ text, isDestructive, needsCommit }) => [
      ...(needsCommit ? ['-- The statements below use the new value.\nCOMMIT;'] : []),
      `${isDestructive ? `${destructionOf(text)}\n` : ''}${text};`,
    ]),
  ];
  return `${blocks.join('\n\n')}\n`;
}

const destructionOf = (text: string): string =>
  text.startsWith('DROP') || / DROP (?:COLUMN|ATTRIBUTE) /.test(text)
    ? '-- Destructive: this statement deletes data.'
    : '-- Destructive: this statement can lose data.';

/** Returns a comment. Names can contain line breaks, after which the rest of a name would run as SQL. */
const renameHint = ({ kind, from, to, statement }: Rename): string =>
  [
    `The ${kind} ${from} was possibly renamed to ${to}. If so, run the command again with --rename ${shellQuoted(`${from}=${to}`)},`,
    `because the statements below delete the data. This migration then contains: ${statement};`,
  ]
    .map((line) => `-- ${oneLine(line)}`)
    .join('\n');
