/** Reads the documentation that is installed with Plinth. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';

export interface DocumentPage {
  /** The file's name without its ending, such as `operate`. */
  readonly name: string;
  readonly text: string;
}

/** The folder with the pages. */
export const documentsFolder = fileURLToPath(new URL('../../../../docs/', import.meta.url));

const decompress = promisify(brotliDecompress);

/**
 * Reads all pages, sorted by name. Pages can be compressed, as in the npm package. Returns no pages if the documentation
 * isn't installed.
 */
export async function readPages(from = documentsFolder): Promise<DocumentPage[]> {
  const names = await readdir(from).catch(() => []);
  const files = names.filter((name) => /\.md(?:\.br)?$/.test(name)).sort();
  return await Promise.all(
    files.map(async (file) => {
      const bytes = await readFile(join(from, file));
      const text = (file.endsWith('.br') ? await decompress(bytes) : bytes).toString();
      return { name: file.replace(/\.md(?:\.br)?$/, ''), text };
    }),
  );
}

/** The page that lists the other pages. Its form is that of llms.txt: a list of links for each topic. */
export const indexPage = 'index';

export interface Topic {
  readonly title: string;
  readonly pages: readonly ListedPage[];
}

export interface ListedPage {
  readonly name: string;
  readonly title: string;
  readonly about: string;
}

/** Parses the index page. An entry can have several lines. */
export function topicsOf(index: string): Topic[] {
  return index
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const [title = '', ...entries] = part.split(/\n+- /);
      return { title: title.trim(), pages: entries.flatMap(listedPage) };
    });
}

function listedPage(entry: string): ListedPage[] {
  const match = /^\[([^\]]+)\]\(([\w-]+)\.md\): ([\s\S]+)$/.exec(entry);
  if (match === null) return [];
  const [, title = '', name = '', about = ''] = match;
  return [{ name, title, about: about.replaceAll(/\s+/g, ' ').trim() }];
}
