/** Generates `docs/rest.md` and the settings section of the command's help from the settings table. */
import { APP_SETTINGS, databaseName, environmentName, settingKeys, settingOf } from './settings-table.ts';

/** Returns one line per setting for `plinth rest --help`. */
export function settingsHelp(): string[] {
  const rows: (readonly [string, string])[] = settingKeys.map((key) => {
    const { help, default: value } = settingOf(key);
    return [key, value === undefined ? help : `${help} [${value}]`];
  });
  rows.push([`${APP_SETTINGS.prefix}*`, APP_SETTINGS.help]);
  const width = Math.max(...rows.map(([name]) => name.length));
  return [
    'Settings (in the file as key = "value"; in the environment PGRST_ before the name, in capitals, with _ for -):',
    ...rows.map(([name, help]) => `  ${name.padEnd(width)}  ${help}`),
  ];
}

const head = `# REST alone: plinth rest

<!-- Printed from src/rest-server/settings-table.ts by scripts/docs-cli.ts; do not edit. -->

\`plinth rest [FILE]\` is the REST service alone, in front of a PostgreSQL (15 or newer) of yours: what the PostgREST 16.2
binary does, with its configuration, its signals, its admin server and its answers. Nothing is made or changed in the
database.

    PGRST_DB_URI=postgresql://authenticator:secret@127.0.0.1:5432/app PGRST_DB_ANON_ROLE=anon plinth rest

- A setting counts in this order: database (\`pgrst.*\` of the login role, then of the \`db-pre-config\` function),
  environment, file.
- SIGUSR1 reads schema and configuration anew, SIGUSR2 the configuration; so do \`NOTIFY pgrst\`, \`NOTIFY pgrst,
  'reload schema'\` and \`NOTIFY pgrst, 'reload config'\`. SIGTERM and SIGINT finish what is in flight.
- A value that cannot be used ends the start with a sentence for each; at a reload it is logged and the old
  configuration stays. A name that nobody reads is a warning with the nearest one.
- Behind a pooler in transaction mode set \`db-prepared-statements\` to false, and \`db-channel-enabled\` too.

What differs from the binary stands in [compatibility.md](compatibility.md).

| setting | environment | default | in the database | reloads | |
| --- | --- | --- | --- | --- | --- |
`;

export function restDocument(): string {
  const code = (text: string) => `\`${text}\``;
  const rows = settingKeys.map((key) => {
    const { default: value, inDatabase, reloads, alias, help } = settingOf(key);
    const older = alias === undefined ? '' : ` Older name: ${code(alias)}.`;
    return [
      code(key),
      code(environmentName(key)),
      value === undefined ? '' : code(value),
      inDatabase ? code(databaseName(key)) : '',
      reloads ? 'yes' : '',
      help.replaceAll('|', '\\|') + older,
    ];
  });
  rows.push([
    code(`${APP_SETTINGS.prefix}*`),
    code(`${APP_SETTINGS.environmentPrefix}*`),
    '',
    '',
    'yes',
    APP_SETTINGS.help,
  ]);
  return `${head}${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}\n`;
}
