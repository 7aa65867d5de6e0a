/** Styles Markdown for a terminal. The text stays Markdown, without comments and pictures. Has no side effects. */
import type { styleText } from 'node:util';

type Format = Parameters<typeof styleText>[0];
/** Styles a part of the text, as `styleText` of Node.js does. */
export type Paint = (format: Format, text: string) => string;

/** @example styledMarkdown('# Title', styleText) */
export function styledMarkdown(text: string, paint: Paint): string {
  let inCode = false;
  return text
    .replaceAll(/^<(?:!--[\s\S]*?--|picture>[\s\S]*?<\/picture)>\n+/gm, '')
    .split('\n')
    .map((line) => {
      if (/^ *```/.test(line)) {
        inCode = !inCode;
        return paint('dim', line);
      }
      if (inCode || /^ {4}(?![-*\d])/.test(line)) return line === '' ? '' : paint('cyan', line);
      return /^#{1,6} /.test(line) ? paint('bold', line) : styledInline(line, paint);
    })
    .join('\n');
}

/** Styles code spans, strong text and link targets. */
const styledInline = (line: string, paint: Paint): string =>
  line.replaceAll(
    /(`+)(?:(?!\1).)+\1|\*\*([^*]+)\*\*|\]\(([^)\s]+)\)/g,
    (match, code: string | undefined, strong: string | undefined, target: string | undefined) => {
      if (code !== undefined) return paint('cyan', match);
      return strong === undefined ? `](${paint('dim', target ?? '')})` : paint('bold', strong);
    },
  );
