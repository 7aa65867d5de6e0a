/**
 * Compiles the catalogs (`web/locales/<locale>/*.ts`, each of which exports `messages`) from ICU text to Lingui's
 * format.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { compileMessage } from '@lingui/message-utils/compileMessage';
import type { Plugin } from 'vite';

const folder = fileURLToPath(new URL('../locales/', import.meta.url));
const catalogPath = /\/web\/locales\/[A-Za-z-]+\/[a-z-]+\.ts$/;

type Messages = Readonly<Record<string, string>>;

/** Reads the current text of a catalog, which may have changed since the previous build of a development server. */
async function messagesIn(file: string): Promise<Messages> {
  const url = `${pathToFileURL(file).href}?${statSync(file).mtimeMs}`;
  return ((await import(url)) as { messages: Messages }).messages;
}

const compiledModule = (messages: Messages): string => {
  const compiled = Object.entries(messages).map(([key, text]) => [key, compileMessage(text)]);
  return `export const messages = ${JSON.stringify(Object.fromEntries(compiled))};`;
};

export function messagesPlugin(): Plugin {
  return {
    name: 'plinth-messages',
    enforce: 'pre',
    async load(id) {
      return catalogPath.test(id) ? compiledModule(await messagesIn(id)) : undefined;
    },
  };
}

/**
 * The parts in which the Account pages load a language: the messages of the first page, the error messages, and all
 * other messages.
 */
const parts = ['first', 'errors', 'rest'] as const;
type Part = (typeof parts)[number];

function partOf(catalog: string): Part | undefined {
  // The catalog `plain` is used only for prerendering.
  if (catalog === 'plain' || catalog.startsWith('console')) return undefined;
  if (catalog === 'errors') return 'errors';
  return catalog === 'account' || catalog === 'shared' ? 'first' : 'rest';
}

const tags = (): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

const prefix = 'virtual:plinth-texts/';

/** Lists the files of each language in the order of {@link parts}. `account/prerender.tsx` reads this list. */
export const textsList = '.vite/texts.json';

/**
 * Adds a file to the build of the Account pages for each part of each language. The pages load the files by the names
 * that their HTML contains. If a script imported the files, it would contain the names for all languages.
 */
export function textsPlugin(): Plugin {
  return {
    name: 'plinth-texts',
    buildStart() {
      if (this.environment.mode !== 'build') return;
      for (const tag of tags())
        for (const part of parts) {
          const name = part === 'first' ? `texts-${tag}` : `texts-${part}-${tag}`;
          const id = `${prefix}${tag}/${part}`;
          this.emitFile({ type: 'chunk', id, name, preserveSignature: 'strict' });
        }
    },
    resolveId: (id) => (id.startsWith(prefix) ? id : undefined),
    async load(id) {
      const [tag = '', part] = id.startsWith(prefix) ? id.slice(prefix.length).split('/') : [];
      if (!tags().includes(tag)) return undefined;
      // If a translation is missing, the English text is shown.
      const all: Messages[] = [];
      for (const locale of new Set(['en', tag])) {
        const files = readdirSync(join(folder, locale)).filter(
          (name) => name.endsWith('.ts') && partOf(name.slice(0, -3)) === part,
        );
        all.push(...(await Promise.all(files.map((name) => messagesIn(join(folder, locale, name))))));
      }
      return compiledModule(Object.assign({}, ...all) as Messages);
    },
    generateBundle(_options, bundle) {
      const files: Record<string, string[]> = {};
      for (const file of Object.values(bundle)) {
        const id = file.type === 'chunk' ? (file.facadeModuleId ?? '') : '';
        const [tag = '', part] = id.startsWith(prefix) ? id.slice(prefix.length).split('/') : [];
        if (tag === '') continue;
        files[tag] ??= [];
        files[tag][parts.indexOf(part as Part)] = file.fileName.replace(/^assets\//, '');
      }
      this.emitFile({ type: 'asset', fileName: textsList, source: JSON.stringify(files) });
    },
  };
}
