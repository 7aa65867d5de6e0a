/** Lists, finds, prints and opens the pages of the documentation that is installed with Plinth. */
import { join } from 'node:path';
import { styleText } from 'node:util';
import { type DocumentPage, indexPage, readPages, topicsOf } from '../../../base/shared/documents/pages.ts';
import { searchSections, sectionsOf, sectionText } from '../../../base/shared/documents/sections.ts';
import { installedVersion } from '../../../base/shared/files.ts';
import { userCache } from '../../../platform/packages/index.ts';
import type { Command } from '../command.ts';
import { styledMarkdown } from '../documents/styled.ts';
import { CommandError } from '../errors.ts';
import { columns, print, say } from '../output.ts';

const maxResults = 10;

export const docs: Command = {
  name: 'docs',
  takes: '[WORD]...',
  about:
    "Prints the documentation that is installed with Plinth. Without words, lists the pages. With a page's name, prints\nthe page. With other words, lists the sections that contain them, best first.",
  options: { web: { type: 'boolean', help: 'Opens the page in a browser instead of printing it.' } },
  examples: [
    ['plinth docs', 'lists the pages'],
    ['plinth docs operate', 'prints a page'],
    ['plinth docs restore a backup', 'finds sections'],
    ['plinth docs operate#backups', 'prints a section'],
    ['plinth docs --web row-level-security', 'opens a page in a browser'],
  ],
  run: async ({ positionals, flag }) => {
    const pages = await readPages();
    if (pages.length === 0) throw new CommandError('The documentation is missing.', 'Install Plinth again.');
    const [word = ''] = positionals;
    const wanted = positionals.length > 1 ? undefined : findPage(pages, word === '' ? indexPage : word);
    if (flag('web')) return await openPage(pages, wanted ?? bestPage(pages, positionals));
    if (word === '') listPages(pages);
    else if (wanted !== undefined) printPage(wanted);
    else listSections(pages, positionals.join(' '));
    return 0;
  },
};

interface Found {
  readonly page: DocumentPage;
  /** The anchor of a section, or an empty string for the whole page. */
  readonly anchor: string;
}

/** Finds a page by its name, or by a path such as `docs/operate.md#backups`, which `search_docs` returns. */
function findPage(pages: readonly DocumentPage[], word: string): Found | undefined {
  const [, name = '', anchor = ''] =
    /^(?:docs\/)?([\w-]+?)(?:\.md)?(?:#(.*))?$/.exec(word.toLowerCase()) ?? [];
  const page = pages.find((each) => each.name === name);
  return page === undefined ? undefined : { page, anchor };
}

function bestPage(pages: readonly DocumentPage[], words: readonly string[]): Found {
  const best = search(pages, words.join(' '))[0];
  const page = pages.find(({ name }) => name === best?.page);
  if (best === undefined || page === undefined) throw nothingFound(words.join(' '));
  return { page, anchor: best.anchor };
}

const search = (pages: readonly DocumentPage[], text: string) =>
  searchSections(pages.filter(({ name }) => name !== indexPage).flatMap(sectionsOf), text);

const nothingFound = (text: string) =>
  new CommandError(`No page contains "${text}".`, 'Run "plinth docs" to list the pages.');

function listPages(pages: readonly DocumentPage[]): void {
  const index = pages.find(({ name }) => name === indexPage)?.text ?? '';
  for (const { title, pages: listed } of topicsOf(index)) {
    print(`${title}\n`);
    print(`${columns(listed.map(({ name, about }) => [`  ${name}`, about]))}\n`);
  }
  print('Run "plinth docs NAME" to print a page, or "plinth docs WORD..." to search.');
}

/** Prints Markdown. On a terminal that supports colors, headings and code stand out. */
function printPage({ page, anchor }: Found): void {
  const text = anchor === '' ? page.text : sectionText(page.text, anchor);
  if (text === undefined)
    throw new CommandError(
      `The page ${page.name} doesn't have a section "${anchor}".`,
      `Run "plinth docs ${page.name}" to print the page.`,
    );
  // The pages are part of Plinth, so they don't contain control characters.
  process.stdout.write(`${process.stdout.isTTY ? styledMarkdown(text, styleText) : text.trimEnd()}\n`);
}

function listSections(pages: readonly DocumentPage[], text: string): void {
  const found = search(pages, text);
  const [best] = found;
  if (best === undefined) throw nothingFound(text);
  const rows = found
    .slice(0, maxResults)
    .map(({ page, anchor, title, pageTitle }) => [
      `${page}#${anchor}`,
      title === pageTitle ? title : `${pageTitle}: ${title}`,
    ]);
  print(columns(rows));
  say(`Run "plinth docs ${rows[0]?.[0]}" to print the first of these.`);
}

async function openPage(pages: readonly DocumentPage[], { page, anchor }: Found): Promise<number> {
  const { openInBrowser, writeWebPages } = await import('../documents/web.ts');
  const topics = topicsOf(pages.find(({ name }) => name === indexPage)?.text ?? '');
  const folder = join(userCache(), 'documentation', installedVersion());
  const url = writeWebPages({ pages, topics }, folder, page.name);
  if (anchor !== '') url.hash = anchor;
  print(url.href);
  if (!(await openInBrowser(url.href))) say('No browser could be started. Open this address yourself.');
  return 0;
}
