/** Splits the documentation into sections. */

export interface DocSection {
  readonly file: string;
  readonly title: string;
  /** The title of the document. */
  readonly document: string;
  readonly text: string;
}

/** Splits a document at its headings. Lines in code blocks aren't headings. */
export function sectionsOf(file: string, markdown: string): DocSection[] {
  const sections: { title: string; lines: string[] }[] = [];
  let isCode = false;
  for (const line of markdown.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode;
    const heading = isCode ? null : /^#{1,4} (.+)$/.exec(line);
    if (heading === null) sections.at(-1)?.lines.push(line);
    else sections.push({ title: (heading[1] ?? '').replaceAll('`', ''), lines: [] });
  }
  const document = sections[0]?.title ?? file;
  return sections.map(({ title, lines }) => ({ file, title, document, text: lines.join('\n').trim() }));
}
