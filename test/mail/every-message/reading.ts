/** Reads emails as recipients see them: the lines of the plain text, and the lines and links of the HTML. */

/** Returns the lines of the text, in which a link follows its label. */
export function textLines(text: string): { lines: string[]; links: string[] } {
  const links: string[] = [];
  const lines = text
    .split('\n')
    .map((line) =>
      line.trim().replace(/^(.+): (http\S+)$/, (_all, label: string, link: string) => {
        links.push(link);
        return label;
      }),
    )
    .filter((line) => line !== '');
  return { lines, links };
}

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&#34;': '"',
  '&#39;': "'",
  '&middot;': '·',
};
const decode = (html: string): string => html.replace(/&\S+?;/g, (all) => entities[all] ?? all);

/** Returns the lines that an email program shows, and the preview that it shows in the list of emails. */
export function htmlLines(html: string): { lines: string[]; links: string[]; preview: string } {
  const hidden = /<div style="display:none">([^<]*)<\/div>/;
  const shown = html
    .replace(/<head>[\s\S]*<\/head>/, '')
    .replace(hidden, '')
    .replace(/<[^>]+aria-hidden="true">[^<]*/, '')
    .replace(/<\/?(?:td|p|div|br|a)\b[^>]*>/g, '\n')
    .replace(/<[^>]+>/g, '');
  const lines = decode(shown)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const links = [...html.matchAll(/href="([^"]+)"/g)].map(([, link = '']) => decode(link));
  return { lines, links, preview: decode(hidden.exec(html)?.[1] ?? '') };
}
