/** Writes a diagram as an SVG file. This module doesn't depend on React. */
import type { DiagramColumn, DiagramTable } from './api.ts';
import { type Box, bounds, edgeMarks, edgePath, headHeight, rowCenter } from './geometry.ts';
import { foreignColumns, labelOf } from './graph.ts';
import type { PlacedEdge } from './place.ts';

/** The colors of the file, which are those of the color scheme in use. */
export interface Colors {
  readonly page: string;
  readonly surface: string;
  readonly sunken: string;
  readonly line: string;
  readonly edge: string;
  readonly text: string;
  readonly dimmed: string;
  readonly warning: string;
}

export interface Picture {
  readonly tables: readonly {
    readonly table: DiagramTable;
    readonly columns: readonly DiagramColumn[];
    readonly box: Box;
  }[];
  readonly edges: readonly PlacedEdge[];
  readonly colors: Colors;
  /** The text below a table's name, such as its number of rows. */
  readonly detailOf: (table: DiagramTable) => string;
}

const margin = 24;
/** The maximum lengths of texts, in characters. */
const maxName = 34;
const maxColumn = 19;
const maxType = 14;

export function svgText({ tables, edges, colors, detailOf }: Picture): string {
  const { x, y, width, height } = bounds(tables.map(({ box }) => box));
  const view = [x - margin, y - margin, width + 2 * margin, height + 2 * margin];
  const lines = edges.map(({ edge, relationship: { from, to, key } }) => {
    const title = `${labelOf(from)} (${key.columns.join(', ')}) → ${labelOf(to)} (${key.references.join(', ')})`;
    return `<path d="${edgePath(edge)}${edgeMarks(edge, key.unique)}"><title>${escaped(title)}</title></path>\n`;
  });
  const boxes = tables.map(({ table, columns, box }) => {
    const foreign = foreignColumns(table);
    const rows = columns.map((column, row) => {
      const at = rowCenter(row) + 4;
      const key = column.primary_key ? 'PK' : foreign.has(column.name) ? 'FK' : '';
      return (
        `<text x="10" y="${at}" fill="${colors.dimmed}" font-size="9">${key}</text>` +
        `<text x="30" y="${at}" fill="${colors.text}">${escaped(cut(column.name, maxColumn))}</text>` +
        `<text x="${box.width - 10}" y="${at}" fill="${colors.dimmed}" text-anchor="end">` +
        `${escaped(cut(column.type, maxType))}${column.nullable ? '?' : ''}</text>\n`
      );
    });
    return (
      `<svg x="${box.x}" y="${box.y}" width="${box.width}" height="${box.height}">` +
      `<title>${escaped(labelOf(table))}</title>` +
      `<rect x="0.5" y="0.5" width="${box.width - 1}" height="${box.height - 1}" rx="6" fill="${colors.surface}" stroke="${colors.line}"/>` +
      `<path d="M1 ${headHeight}V7a6 6 0 0 1 6-6H${box.width - 7}a6 6 0 0 1 6 6V${headHeight}Z" fill="${colors.sunken}"/>` +
      `<text x="10" y="19" fill="${colors.text}" font-weight="600">${escaped(cut(nameOf(table), maxName))}</text>` +
      `<text x="10" y="35" fill="${isUnprotected(table) ? colors.warning : colors.dimmed}" font-size="10">${escaped(detailOf(table))}</text>\n` +
      `${rows.join('')}</svg>\n`
    );
  });
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${view.join(' ')}" width="${view[2]}" height="${view[3]}" ` +
    `font-family="ui-monospace, Menlo, Consolas, monospace" font-size="12">\n` +
    `<rect x="${view[0]}" y="${view[1]}" width="${view[2]}" height="${view[3]}" fill="${colors.page}"/>\n` +
    `<g fill="none" stroke="${colors.edge}" stroke-width="1.25">\n${lines.join('')}</g>\n${boxes.join('')}</svg>\n`
  );
}

/** The name as the diagram shows it. The schema `public` is omitted. */
export const nameOf = (table: DiagramTable): string =>
  table.schema === 'public' ? table.name : labelOf(table);

/** Whether every client with the publishable key may be able to access all rows. */
export const isUnprotected = ({ schema, kind, rls }: DiagramTable): boolean =>
  schema === 'public' && kind === 'table' && !rls;

/** Shortens a text, without cutting a character in two. */
function cut(text: string, max: number): string {
  const characters = [...text];
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes a text for XML. Control characters can't be escaped in XML 1.0, so they are replaced. */
const escaped = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters
    .replaceAll(/[\u0000-\u001f\u007f\ufffe\uffff]/g, '\ufffd')
    .replaceAll(/[&<>"]/g, (character) => entities[character] ?? character);
