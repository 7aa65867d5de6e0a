/**
 * Generates the folder of extension control files that PostgreSQL searches before its own folder
 * (`extension_control_path`). The folder contains Plinth's own SQL-only extensions, pgTAP, the contrib modules that
 * users other than superusers can create, the extensions of packs and of folders that the operator named, and a
 * placeholder for each unavailable extension. The scripts of PostgreSQL and of folders are copied with additional
 * statements at the beginning and at the end.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageManifest } from '../../packages/index.ts';
import { type KnownPack, knownPacks } from '../../packs/index.ts';
import {
  formerPlaceholders,
  missingExtensions,
  placeholderFiles,
  placeholderUpdate,
  placeholderVersion,
} from '../extensions/missing.ts';
import { amendedExtensions, trustedContrib } from '../extensions/trusted.ts';
import type { Binaries } from './binaries.ts';
import {
  amendmentFolder,
  amendmentOf,
  controlValue,
  type ExtensionFile,
  extensionAmendment,
  isTrusted,
  silenced,
  trustedControl,
} from './extension-scripts.ts';
import {
  type NamedFolder,
  preloadedLibraries,
  readNamedFolders,
  scriptsOf,
  stampOfFolders,
} from './named-folders.ts';
import { hasPack, isPlaced, keepPack, makeFolders, packKey, requestingFiles } from './pack-files.ts';
import { pgtapArchive, readPgtap } from './pgtap.ts';

const ownExtensions = fileURLToPath(new URL('../extensions/', import.meta.url));

export interface PreparedExtensions {
  /** The folder for `extension_control_path`, which contains `extension/` and `lib/`. */
  readonly base: string;
  /** The extensions in folders that the operator named. */
  readonly named: ReadonlySet<string>;
  /** The folders with libraries that the operator named. */
  readonly libraryDirs: readonly string[];
  /** The libraries that PostgreSQL must load when it starts. */
  readonly preload: readonly string[];
}

/**
 * Creates or updates the folder in `dataDir`.
 *
 * @param named the folders in `[database] extension_folders`
 */
export function prepareExtensionFolder(
  dataDir: string,
  binaries: Binaries,
  named: readonly string[] = [],
): PreparedExtensions {
  const base = join(dataDir, 'extensions');
  const stockFiles = readdirSync(binaries.stockExtensions);
  const stock = new Set(stockFiles.flatMap((file) => (file.endsWith('.control') ? [nameOf(file)] : [])));
  const folders = readNamedFolders(named, stock, Number.parseInt(binaries.version, 10));
  const fromFolders = new Set(folders.flatMap(({ extensions }) => extensions));
  const prepared = {
    base,
    named: fromFolders,
    libraryDirs: folders.map(({ libraries }) => libraries),
    preload: preloadedLibraries(folders),
  };
  const stampFile = join(base, 'stamp');
  const stamp = stampOf(binaries, folders);
  if (readIfThere(stampFile) === stamp) return prepared;
  const work = `${base}.${process.pid}`;
  rmSync(work, { recursive: true, force: true });
  makeFolders(work);
  const folder = join(work, 'extension');
  const write = ({ name, text }: ExtensionFile) => {
    writeFileSync(join(folder, name), text, { mode: 0o644 });
  };
  const writeOthers = (file: ExtensionFile) => {
    if (!fromFolders.has(nameOf(file.name))) write(file);
  };
  const own = ownFiles();
  for (const { name, text } of own)
    writeOthers({ name, text: isSuperuserScript(name, own) ? silenced(text) : text });
  for (const file of stockExtensionFiles(binaries.stockExtensions, stockFiles)) write(file);
  for (const { name, text } of readPgtap())
    writeOthers({ name, text: name.endsWith('.sql') ? `${text}\n${amendmentOf('pgtap')}` : text });
  for (const [name, { control, script }] of placeholders) {
    writeOthers({ name: `${name}.control`, text: control });
    writeOthers({ name: `${name}--${placeholderVersion}.sql`, text: script });
  }
  for (const each of folders)
    for (const name of each.extensions) namedExtensionFiles(each, name).forEach(write);
  for (const pack of packsFor(binaries)) {
    if (fromFolders.has(pack.name)) continue;
    // An earlier version works until the current one has been downloaded.
    if (hasPack(base, pack)) keepPack(base, work, pack);
    if (!isPlaced(base, pack)) requestingFiles(pack).forEach(write);
  }
  writeFileSync(join(work, 'sources.json'), JSON.stringify(sourcesOf(folders)));
  writeFileSync(join(work, 'stamp'), stamp);
  rmSync(base, { recursive: true, force: true });
  renameSync(work, base);
  return prepared;
}

/** @example nameOf('vector--0.8.6.sql') // 'vector' */
const nameOf = (file: string): string => file.split(/--|\.control$/, 1)[0] ?? '';

/** Returns the packs for the major version of the binaries. */
const packsFor = ({ version }: Binaries): readonly KnownPack[] =>
  knownPacks.filter(({ postgres }) => postgres === Number.parseInt(version, 10));

/** Returns the files of PostgreSQL's own extensions that users other than superusers can create. */
function* stockExtensionFiles(folder: string, stockFiles: readonly string[]): Generator<ExtensionFile> {
  for (const file of stockFiles.filter((each) => each.endsWith('.control'))) {
    const name = nameOf(file);
    const stock = readFileSync(join(folder, file), 'utf8');
    if (!trustedContrib.includes(name) && !isTrusted(stock)) continue;
    // plpgsql is skipped because initdb creates it and its functions are the language handlers.
    if (name === 'plpgsql' || name in missingExtensions) continue;
    yield { name: file, text: trustedControl(stock) };
    const amendment = amendedExtensions.includes(name) ? amendmentOf(name) : '';
    for (const script of stockFiles.filter((each) => each.startsWith(`${name}--`) && each.endsWith('.sql'))) {
      const text = readFileSync(join(folder, script), 'utf8');
      yield { name: script, text: silenced(`${text}\n${amendment}`) };
    }
  }
}

/** Returns the files of an extension in a folder that the operator named. */
function* namedExtensionFiles(folder: NamedFolder, name: string): Generator<ExtensionFile> {
  const control = readFileSync(join(folder.scripts, `${name}.control`), 'utf8');
  const amendment = extensionAmendment(name) ?? '';
  // The script of such an extension runs with the privileges of the role that creates the extension.
  const isOrdinary = /^\s*superuser\s*=\s*(false|off|no|0)/m.test(control);
  yield { name: `${name}.control`, text: trustedControl(control) };
  for (const script of scriptsOf(folder, name, controlValue(control, 'default_version'))) {
    const text = readFileSync(join(folder.scripts, script), 'utf8');
    yield { name: script, text: isOrdinary ? text : silenced(`${text}\n${amendment}`) };
  }
}

/** The folder from which each extension comes, for the extensions in folders that the operator named. */
const sourcesOf = (folders: readonly NamedFolder[]): Readonly<Record<string, string>> =>
  Object.fromEntries(folders.flatMap(({ named, extensions }) => extensions.map((name) => [name, named])));

const placeholders = Object.keys(missingExtensions).map((name) => [name, placeholderFiles(name)] as const);

/** Whether a file is the script of an extension that is created with the privileges of a superuser. */
function isSuperuserScript(file: string, files: readonly ExtensionFile[]): boolean {
  if (!file.endsWith('.sql')) return false;
  const control = files.find(({ name }) => name === `${file.split('--')[0]}.control`)?.text ?? '';
  return !/^\s*superuser\s*=\s*false/m.test(control);
}

/** Returns the script of one of Plinth's own extensions. */
export const ownScript = (name: string): string =>
  readFileSync(join(ownExtensions, `${name}--${ownExtensionVersions().get(name)}.sql`), 'utf8');

/**
 * Returns a stamp, which changes if the binaries, Plinth's own files, the lists of extensions or the operator's folders
 * change. The stamp is based on the sizes and modification times of files instead of their content, because this
 * function is called at every start. In the npm package, all files have the same modification time, so the stamp also
 * includes the build's identifier.
 */
function stampOf(binaries: Binaries, folders: readonly NamedFolder[]): string {
  const archive = pgtapArchive();
  const files = [
    ...[ownExtensions, amendmentFolder].flatMap((folder) => filesBelow(folder)),
    ...(archive === undefined ? [] : [archive]),
  ].map((path) => {
    const { size, mtimeMs } = statSync(path);
    return [path, size, mtimeMs];
  });
  return createHash('sha256')
    .update(binaries.stockExtensions)
    .update(binaries.version)
    .update(
      JSON.stringify([
        packageManifest()?.build,
        files,
        placeholders,
        formerPlaceholders,
        placeholderUpdate('', '', ''),
        trustedContrib,
        silenced(''),
        amendedExtensions,
        packsFor(binaries).map((pack) => [packKey(pack), requestingFiles(pack)]),
        stampOfFolders(folders),
      ]),
    )
    .digest('hex');
}

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();

/** Returns the version of each of Plinth's own extensions, as specified in the extension's control file. */
export function ownExtensionVersions(): ReadonlyMap<string, string> {
  const files = readdirSync(ownExtensions).filter((name) => name.endsWith('.control'));
  return new Map(
    files.flatMap((file) => {
      const control = readFileSync(join(ownExtensions, file), 'utf8');
      const version = /^default_version = '(.+)'/m.exec(control)?.[1];
      return version === undefined ? [] : [[file.slice(0, -'.control'.length), version] as const];
    }),
  );
}

/**
 * Returns the control files and scripts of Plinth's own extensions. A long script is split into several files in a
 * folder (`vector--0.8.6/`). The files are joined in the order of their names.
 */
function ownFiles(): ExtensionFile[] {
  const files = readdirSync(ownExtensions, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() || /\.(control|sql)$/.test(entry.name))
    .map((entry) => {
      const path = join(ownExtensions, entry.name);
      return entry.isDirectory()
        ? { name: `${entry.name}.sql`, text: joined(path) }
        : { name: entry.name, text: readFileSync(path, 'utf8') };
    });
  return [...files, ...placeholderUpdates(files)];
}

/** Returns the scripts that update placeholders of earlier versions of Plinth. */
function placeholderUpdates(files: readonly ExtensionFile[]): ExtensionFile[] {
  const versions = ownExtensionVersions();
  return Object.entries(formerPlaceholders).map(([name, schema]) => {
    const version = versions.get(name);
    const script = files.find((file) => file.name === `${name}--${version}.sql`)?.text ?? '';
    return {
      name: `${name}--${placeholderVersion}--${version}.sql`,
      text: placeholderUpdate(name, schema, script),
    };
  });
}

const joined = (folder: string): string =>
  readdirSync(folder)
    .sort()
    .map((part) => readFileSync(join(folder, part), 'utf8'))
    .join('\n');

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
