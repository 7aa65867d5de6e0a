/**
 * Writes a diagram as Mermaid's `erDiagram` (Mermaid 11). Names can contain any text, so everything that could end a
 * quoted text or begin a directive is replaced. This module doesn't depend on React.
 */
import type { DiagramColumn, DiagramTable } from './api.ts';
import { foreignColumns, type Graph, idOf } from './graph.ts';

export function mermaidText({ tables, relationships }: Graph): string {
  const names = entityNames(tables);
  const nameOf = (table: DiagramTable): string => `"${names.get(idOf(table)) ?? ''}"`;
  const entities = tables.map((table) => {
    const foreign = foreignColumns(table);
    const lines = table.columns.map((column) => `    ${attribute(column, foreign)}\n`).join('');
    return lines === '' ? `  ${nameOf(table)}\n` : `  ${nameOf(table)} {\n${lines}  }\n`;
  });
  const relations = relationships.map(({ from, to, key }) => {
    const many = key.unique ? '|o' : '}o';
    const one = key.required ? '||' : 'o|';
    return `  ${nameOf(from)} ${many}--${one} ${nameOf(to)} : "${quotedText(key.columns.join(', '))}"\n`;
  });
  return `erDiagram\n${entities.join('')}${relations.join('')}`;
}

/** Returns a different name for each table, even if their names differ only in replaced characters. */
function entityNames(tables: readonly DiagramTable[]): ReadonlyMap<string, string> {
  const used = new Set<string>();
  return new Map(
    tables.map((table) => {
      const wanted = quotedText(table.schema === 'public' ? table.name : `${table.schema}.${table.name}`);
      let name = wanted;
      for (let number = 2; used.has(name); number++) name = `${wanted} ${number}`;
      used.add(name);
      return [idOf(table), name];
    }),
  );
}

function attribute({ name, type, primary_key }: DiagramColumn, foreign: ReadonlySet<string>): string {
  const keys = [...(primary_key ? ['PK'] : []), ...(foreign.has(name) ? ['FK'] : [])].join(', ');
  const shown = word(name);
  return [word(type), shown, keys, shown === name ? '' : `"${quotedText(name)}"`]
    .filter((part) => part !== '')
    .join(' ');
}

/** Mermaid's lexer recognizes a layout direction anywhere in a line, even in a quoted text. */
const direction = /direction(?=\s+(?:tb|bt|rl|lr))/gi;

/**
 * Replaces everything except letters, numbers and harmless punctuation. A quote or a line break would end the text,
 * `%%` begins a comment or a directive, and `#` or `&` begins an entity.
 */
const quotedText = (text: string): string =>
  text.replaceAll(/[^\p{L}\p{M}\p{N} _.,()[\]+*=@?!/'-]/gu, '_').replaceAll(direction, 'direction_') || '_';

/** Returns an unquoted word. At its beginning, a digit isn't permitted, and `PK`, `FK` or `UK` would be a key. */
function word(text: string): string {
  const safe = text.replaceAll(/[^\p{L}\p{M}\p{N}_()[\]-]/gu, '_');
  return /^(?:[a-z_]|[\u00c0-\uffff])/i.test(safe) && !/^(?:pk|fk|uk)\b/i.test(safe) ? safe : `_${safe}`;
}
