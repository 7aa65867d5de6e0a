/**
 * Generates the folder of extension control files that PostgreSQL searches before its own folder
 * (`extension_control_path`). The folder contains Plinth's own SQL-only extensions, pgTAP, the contrib modules that
 * users other than superusers can create, and a placeholder for each unavailable extension. PostgreSQL's own scripts
 * are copied with additional statements at the beginning and at the end.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageManifest } from '../../packages/index.ts';
import { missingExtensions, placeholderFiles, placeholderVersion } from '../extensions/missing.ts';
import { amendedExtensions, trustedContrib } from '../extensions/trusted.ts';
import type { Binaries } from './binaries.ts';
import { type ExtensionFile, pgtapArchive, readPgtap } from './pgtap.ts';

const ownExtensions = fileURLToPath(new URL('../extensions/', import.meta.url));
const amendments = fileURLToPath(new URL('../extension-amendments/', import.meta.url));

/** Creates or updates the folder in `dataDir` and returns the entry for it in `extension_control_path`. */
export function prepareExtensionFolder(dataDir: string, binaries: Binaries): string {
  const base = join(dataDir, 'extensions');
  const stampFile = join(base, 'stamp');
  const stamp = stampOf(binaries);
  if (readIfThere(stampFile) === stamp) return base;
  const own = ownFiles();
  const pgtap = readPgtap();
  const work = `${base}.${process.pid}`;
  rmSync(work, { recursive: true, force: true });
  const folder = join(work, 'extension');
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text, { mode: 0o644 });
  for (const { name, text } of own) write(name, isSuperuserScript(name, own) ? silenced(text) : text);
  const stockFiles = readdirSync(binaries.stockExtensions);
  for (const file of stockFiles.filter((each) => each.endsWith('.control'))) {
    const name = file.slice(0, -'.control'.length);
    const stock = readFileSync(join(binaries.stockExtensions, file), 'utf8');
    if (!trustedContrib.includes(name) && !isTrusted(stock)) continue;
    // plpgsql is skipped because initdb creates it and its functions are the language handlers.
    if (name === 'plpgsql' || name in missingExtensions) continue;
    const lines = stock.split('\n').filter((line) => !/^\s*(trusted|directory)\s*=/.test(line));
    write(file, [...lines, 'trusted = true', ''].join('\n'));
    const amendment = amendedExtensions.includes(name) ? amendmentOf(name) : '';
    for (const script of stockFiles.filter((each) => each.startsWith(`${name}--`) && each.endsWith('.sql'))) {
      const text = readFileSync(join(binaries.stockExtensions, script), 'utf8');
      write(script, silenced(`${text}\n${amendment}`));
    }
  }
  for (const { name, text } of pgtap)
    write(name, name.endsWith('.sql') ? `${text}\n${amendmentOf('pgtap')}` : text);
  for (const [name, { control, script }] of placeholders) {
    write(`${name}.control`, control);
    write(`${name}--${placeholderVersion}.sql`, script);
  }
  writeFileSync(join(work, 'stamp'), stamp);
  rmSync(base, { recursive: true, force: true });
  renameSync(work, base);
  return base;
}

const placeholders = Object.keys(missingExtensions).map((name) => [name, placeholderFiles(name)] as const);

const isTrusted = (control: string): boolean => /^\s*trusted\s*=\s*(true|on|yes|1)/m.test(control);

/**
 * Turns event triggers off while a script runs. Without these statements, the project's event triggers would run as a
 * superuser, because extension scripts run as a superuser. `SET LOCAL` in a script lasts until the end of the
 * transaction and not only until the end of the script, so the last statement restores the previous value. Otherwise,
 * all later statements of the transaction would run without Plinth's event triggers. If a script fails, PostgreSQL
 * restores the value when it rolls back to the savepoint.
 */
const silence = `select pg_catalog.set_config('plinth.event_triggers', pg_catalog.current_setting('event_triggers'), true);
set local event_triggers = off;
`;
const restoration = `
select pg_catalog.set_config('event_triggers', pg_catalog.current_setting('plinth.event_triggers'), true);
`;

const silenced = (script: string): string => `${silence}${script}${restoration}`;

/** Whether a file is the script of an extension that is created with the privileges of a superuser. */
function isSuperuserScript(file: string, files: readonly ExtensionFile[]): boolean {
  if (!file.endsWith('.sql')) return false;
  const control = files.find(({ name }) => name === `${file.split('--')[0]}.control`)?.text ?? '';
  return !/^\s*superuser\s*=\s*false/m.test(control);
}

const amendmentOf = (name: string): string => readFileSync(join(amendments, `${name}.sql`), 'utf8');

/** Returns the statements that follow the creation of an extension that the server provides, if there are any. */
export function extensionAmendment(name: string): string | undefined {
  const isAmended = readdirSync(amendments).includes(`${name}.sql`);
  return isAmended ? amendmentOf(name) : undefined;
}

/** Returns the script of one of Plinth's own extensions. */
export const ownScript = (name: string): string =>
  readFileSync(join(ownExtensions, `${name}--${ownExtensionVersions().get(name)}.sql`), 'utf8');

/**
 * Returns a stamp, which changes if the binaries, Plinth's own files or the lists of extensions change. The stamp is
 * based on the sizes and modification times of files instead of their content, because this function is called at every
 * start. In the npm package, all files have the same modification time, so the stamp also includes the build's
 * identifier.
 */
function stampOf(binaries: Binaries): string {
  const archive = pgtapArchive();
  const files = [
    ...[ownExtensions, amendments].flatMap((folder) => filesBelow(folder)),
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
        trustedContrib,
        silenced(''),
        amendedExtensions,
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
  return readdirSync(ownExtensions, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() || /\.(control|sql)$/.test(entry.name))
    .map((entry) => {
      const path = join(ownExtensions, entry.name);
      return entry.isDirectory()
        ? { name: `${entry.name}.sql`, text: joined(path) }
        : { name: entry.name, text: readFileSync(path, 'utf8') };
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
