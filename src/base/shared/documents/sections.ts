/** Splits the documentation into sections, and finds the sections that match a search. Has no side effects. */
import type { DocumentPage } from './pages.ts';

export interface Section {
  /** The name of the page, such as `operate`. */
  readonly page: string;
  /** The title of the page. */
  readonly pageTitle: string;
  readonly title: string;
  /** The anchor of the section's heading, which is unique on its page. */
  readonly anchor: string;
  /** The text between this heading and the next heading. */
  readonly content: string;
}

/** Returns the path of a section in the package, with its anchor. */
export const hrefOf = ({ page, anchor }: Section): string => `docs/${page}.md#${anchor}`;

/** Splits a page at its headings of the levels 1 to 3. Sections without text are left out. */
export function sectionsOf({ name, text }: DocumentPage): Section[] {
  const headings = headingsOf(text);
  const lines = text.split('\n');
  const pageTitle = headings[0]?.title ?? name;
  const dividing = headings.filter(({ level }) => level <= 3);
  return dividing
    .map(({ title, anchor, line }, index) => ({
      page: name,
      pageTitle,
      title,
      anchor,
      content: lines
        .slice(line + 1, dividing[index + 1]?.line)
        .join('\n')
        .trim(),
    }))
    .filter(({ content }) => content !== '');
}

/**
 * Returns a section's heading and text, with all subsections. Returns undefined if the page doesn't have a heading with
 * this anchor.
 */
export function sectionText(text: string, anchor: string): string | undefined {
  const headings = headingsOf(text);
  const start = headings.findIndex((heading) => heading.anchor === anchor);
  const heading = headings[start];
  if (heading === undefined) return undefined;
  const next = headings.slice(start + 1).find(({ level }) => level <= heading.level);
  return text.split('\n').slice(heading.line, next?.line).join('\n').trimEnd();
}

export interface Heading {
  readonly level: number;
  /** The title as Markdown. */
  readonly title: string;
  /** The anchor that GitHub gives the heading. */
  readonly anchor: string;
  /** The index of the line. */
  readonly line: number;
}

/** Returns the headings of a page. Lines in code blocks aren't headings. */
export function headingsOf(text: string): Heading[] {
  let inCode = false;
  const used = new Map<string, number>();
  return text.split('\n').flatMap((content, line) => {
    if (/^ *```/.test(content)) inCode = !inCode;
    const heading = inCode ? null : /^(#{1,6}) (.+)$/.exec(content);
    if (heading === null) return [];
    const [, marks = '', title = ''] = heading;
    const slug = slugOf(title);
    const uses = used.get(slug) ?? 0;
    used.set(slug, uses + 1);
    return [{ level: marks.length, title, anchor: uses === 0 ? slug : `${slug}-${uses}`, line }];
  });
}

/**
 * Returns the anchor that GitHub gives the first heading with this title.
 *
 * @example slugOf('Set `site_url` & more') // 'set-site_url--more'
 */
export const slugOf = (title: string): string =>
  title
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

const wordsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? []).map((word) => word.replace(/(?:ies|es|s)$/, ''));

const titleWeight = 4;
/** The constants of BM25. */
const [k1, b] = [1.2, 0.6];

/** Returns the sections that contain words of the search, best first (BM25, with titles weighted). */
export function searchSections(sections: readonly Section[], search: string): Section[] {
  const wanted = [...new Set(wordsOf(search))];
  const counted = sections.map((section) => {
    const counts = new Map<string, number>();
    const titles = wordsOf(`${section.title} ${section.pageTitle}`);
    const words = [...wordsOf(section.content), ...Array.from({ length: titleWeight }, () => titles).flat()];
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    return { section, counts, length: words.length };
  });
  const average = counted.reduce((sum, { length }) => sum + length, 0) / Math.max(1, counted.length);
  const weights = wanted.map((word) => {
    const containing = counted.filter(({ counts }) => counts.has(word)).length;
    return Math.log(1 + (counted.length - containing + 0.5) / (containing + 0.5));
  });
  return counted
    .map(({ section, counts, length }) => ({
      section,
      score: wanted.reduce((sum, word, index) => {
        const count = counts.get(word) ?? 0;
        const frequency = (count * (k1 + 1)) / (count + k1 * (1 - b + (b * length) / average));
        return sum + (weights[index] ?? 0) * frequency;
      }, 0),
    }))
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score)
    .map(({ section }) => section);
}
