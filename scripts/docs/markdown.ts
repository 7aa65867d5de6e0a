/** Formats Markdown tables and replaces generated blocks. */

/** Renders a table. Cells must not contain line breaks. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

export const code = (text: string): string => (text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``);

/**
 * Replaces the text between each pair of marks with the block that has the name in the marks.
 *
 * @example fillBlocks('<!-- generated:a -->\n<!-- /generated -->', { a: 'text' })
 */
export function fillBlocks(document: string, blocks: Readonly<Record<string, string>>): string {
  const filled = new Set<string>();
  const text = document.replace(
    /<!-- generated:([a-z-]+) -->\n[\s\S]*?<!-- \/generated -->/g,
    (_match, name: string) => {
      const block = blocks[name];
      if (block === undefined) throw new Error(`No generator exists for the block "${name}".`);
      filled.add(name);
      return `<!-- generated:${name} -->\n${block}\n<!-- /generated -->`;
    },
  );
  const lost = Object.keys(blocks).filter((name) => !filled.has(name));
  if (lost.length > 0) throw new Error(`The document is missing these blocks: ${lost.join(', ')}.`);
  return text;
}
