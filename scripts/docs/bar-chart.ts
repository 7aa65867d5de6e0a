/** Draws bar charts as SVG images, for light and for dark pages. */

export interface Bar {
  readonly label: string;
  /** The length of the bar, as a fraction of the chart's width. */
  readonly share: number;
  /** The text after the bar. */
  readonly text: string;
  readonly isOwn: boolean;
}

export interface BarGroup {
  readonly title: string;
  readonly bars: readonly Bar[];
}

export type Scheme = 'light' | 'dark';

const colors = {
  light: { text: '#1f2328', own: '#2563eb', other: '#9ca3af' },
  dark: { text: '#e6edf3', own: '#60a5fa', other: '#6b7280' },
} as const;

const width = 760;
const labelWidth = 230;
/** The space for the text after the longest bar. */
const textWidth = 150;
const barHeight = 14;
const lineHeight = 20;
const titleHeight = 26;
const groupGap = 10;

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

export function barChart(title: string, groups: readonly BarGroup[], scheme: Scheme): string {
  const { text, own, other } = colors[scheme];
  const lines: string[] = [];
  let y = 0;
  for (const { title: groupTitle, bars } of groups) {
    lines.push(`<text x="0" y="${y + 18}" font-weight="600">${escaped(groupTitle)}</text>`);
    y += titleHeight;
    for (const { label, share, text: after, isOwn } of bars) {
      const length = Math.max(2, Math.round(share * (width - labelWidth - textWidth)));
      const baseline = y + barHeight - 2;
      lines.push(
        `<text x="${labelWidth - 8}" y="${baseline}" text-anchor="end">${escaped(label)}</text>`,
        `<rect x="${labelWidth}" y="${y}" width="${length}" height="${barHeight}" rx="2" fill="${isOwn ? own : other}"/>`,
        `<text x="${labelWidth + length + 8}" y="${baseline}">${escaped(after)}</text>`,
      );
      y += lineHeight;
    }
    y += groupGap;
  }
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${y}" viewBox="0 0 ${width} ${y}" role="img" font-family="system-ui, sans-serif" font-size="13" fill="${text}">`,
    `<title>${escaped(title)}</title>`,
    ...lines,
    '</svg>',
  ].join('\n')}\n`;
}
