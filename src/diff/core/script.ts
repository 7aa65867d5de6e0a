/** Writes a comparison as SQL. */
import type { Rename, SchemaDiff } from '../types.ts';

/** Returns an empty string if the schemas are equal. */
export function diffScript({ statements, possibleRenames }: SchemaDiff): string {
  if (statements.length === 0) return '';
  const blocks = [
    ...possibleRenames.map(renameHint),
    ...statements.flatMap(({ text, isDestructive, needsCommit }) => [
      ...(needsCommit ? ['-- The statements below use the new value.\nCOMMIT;'] : []),
      `${isDestructive ? '-- Destructive: this statement deletes data.\n' : ''}${text};`,
    ]),
  ];
  return `${blocks.join('\n\n')}\n`;
}

const renameHint = ({ kind, from, to }: Rename): string =>
  `-- ${from} and ${to} have the same definition. If this ${kind} was renamed, replace the statements that drop and\n` +
  '-- create it, because they delete its data.';
