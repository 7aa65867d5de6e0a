/**
 * Writes extension packs to the folder of extensions. A pack is written only when a project creates its extension. Until
 * then, the folder contains a script that requests the pack (`pack-requests.ts`) and then runs the pack's own script, so
 * that `create extension` works in every session, without a restart.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { quoteLiteral } from '../../../base/kernel/sql.ts';
import { type KnownPack, packFolder } from '../../packs/index.ts';
import { type ExtensionFile, silenced, trustedControl } from './extension-scripts.ts';

/** The name of the pack's folder in the cache, which changes with every change of the pack. */
export const packKey = (pack: KnownPack): string => basename(packFolder(pack));

const markerOf = (base: string, { name }: KnownPack): string => join(base, 'packs', name);

/** Whether the folder of extensions contains the current version of the pack. */
export function isPlaced(base: string, pack: KnownPack): boolean {
  const marker = markerOf(base, pack);
  return existsSync(marker) && readFileSync(marker, 'utf8') === packKey(pack);
}

/** Whether the folder of extensions contains the current or an earlier version of the pack. */
export const hasPack = (base: string, pack: KnownPack): boolean => existsSync(markerOf(base, pack));

/** Writes the pack in `source` to the folder of extensions. The server may be running. */
export function placePack(base: string, pack: KnownPack, source: string): void {
  makeFolders(base);
  for (const name of readdirSync(join(source, 'lib')))
    replace(join(base, 'lib', name), (draft) => copyFileSync(join(source, 'lib', name), draft));
  const files = readdirSync(join(source, 'extension'));
  // The control file is written last, so that it never refers to a script that doesn't exist.
  for (const name of files.sort((one) => (one.endsWith('.control') ? 1 : -1))) {
    const text = readFileSync(join(source, 'extension', name), 'utf8');
    write(base, { name, text: name.endsWith('.control') ? trustedControl(text) : silenced(text) });
  }
  for (const file of otherVersions(pack)) write(base, file);
  replace(markerOf(base, pack), (draft) => writeFileSync(draft, packKey(pack)));
}

/** Copies a pack that an earlier folder of extensions contains. */
export function keepPack(from: string, base: string, pack: KnownPack): void {
  makeFolders(base);
  const isOf = (name: string) => name === `${pack.name}.control` || name.startsWith(`${pack.name}--`);
  for (const [part, isWanted] of [
    ['lib', (name: string) => name.startsWith(`${pack.name}.`)],
    ['extension', isOf],
  ] as const)
    for (const name of readdirSync(join(from, part)).filter(isWanted))
      copyFileSync(join(from, part, name), join(base, part, name));
  copyFileSync(markerOf(from, pack), markerOf(base, pack));
}

/** Creates the folders that the server's user reads. */
export function makeFolders(base: string): void {
  for (const part of ['extension', 'lib', 'packs', 'answers'])
    mkdirSync(join(base, part), { recursive: true, mode: 0o755 });
}

/** Returns the files of a pack that isn't in the folder yet. */
export function requestingFiles(pack: KnownPack): readonly ExtensionFile[] {
  const { name, version } = pack;
  const control = [
    `comment = ${quoteLiteral(`${name} (downloaded when it is first created)`)}`,
    `default_version = ${quoteLiteral(version)}`,
    `module_pathname = ${quoteLiteral(`$libdir/${name}`)}`,
    'relocatable = true',
    'trusted = true',
    '',
  ].join('\n');
  return [
    { name: `${name}.control`, text: control },
    { name: `${name}--${version}.sql`, text: requestingScript(pack) },
    ...otherVersions(pack),
  ];
}

/** Projects can request earlier versions that contain the same objects. */
const otherVersions = ({ name, version, sameObjectsAs }: KnownPack): ExtensionFile[] =>
  sameObjectsAs.map((other) => ({
    name: `${name}--${version}--${other}.sql`,
    text: '-- Both versions contain the same objects.\n',
  }));

/** The prefix of the request in PostgreSQL's log. The name of the extension and the ID of the request follow. */
export const requestPrefix = 'plinth requests the extension pack';

/** The time after which a request counts as unread, for example because the server's log is written elsewhere. */
const unreadSeconds = 15;
/** The longest duration of a download. */
const maxSeconds = 900;

/**
 * The script runs as a superuser, so it uses only objects in pg_catalog until it runs the pack's script. The pack's
 * script runs with the search path that CREATE EXTENSION has set. The placeholder for the library is written in two
 * parts, because PostgreSQL would replace it in this script.
 */
const requestingScript = ({ name, version }: KnownPack): string => `do $plinth$
declare
  previous_path constant pg_catalog.text := pg_catalog.current_setting('search_path');
  folder pg_catalog.text;
  request pg_catalog.text;
  answer pg_catalog.json;
  script pg_catalog.text;
  asked_at constant pg_catalog.timestamptz := pg_catalog.clock_timestamp();
begin
  perform pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
  folder := split_part(current_setting('extension_control_path'), ${quoteLiteral(delimiter)}, 1);
  request := gen_random_uuid()::text;
  raise log '${requestPrefix}: ${name} %', request;
  loop
    perform pg_sleep(0.02);
    answer := nullif(pg_read_file(folder || '/answers/' || request, true), '')::json;
    exit when answer ->> 'state' = 'ready';
    if answer ->> 'state' = 'failed' then
      raise feature_not_supported using message = answer ->> 'message', hint = answer ->> 'hint';
    end if;
    if clock_timestamp() - asked_at > make_interval(secs => case when answer is null then ${unreadSeconds} else ${maxSeconds} end) then
      raise feature_not_supported using
        message = ${quoteLiteral(`the extension ${name} isn't on this machine yet, and this server can't request it`)},
        hint = ${quoteLiteral(`Run "plinth fetch --only extensions" and start Plinth again.`)};
    end if;
  end loop;
  script := replace(pg_read_file(folder || '/extension/${name}--${version}.sql'), 'MODULE_' || 'PATHNAME', '$libdir/${name}');
  perform set_config('search_path', previous_path, true);
  execute script;
end
$plinth$;
`;

const write = (base: string, { name, text }: ExtensionFile): void =>
  replace(join(base, 'extension', name), (draft) => writeFileSync(draft, text, { mode: 0o644 }));

/** Replaces a file in one step, because a running server may read the file. */
function replace(path: string, create: (draft: string) => void): void {
  const draft = `${path}.new`;
  create(draft);
  renameSync(draft, path);
}
