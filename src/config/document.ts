/** `docs/config.md`, printed from the schema. */
import { printDuration, printSize } from './core/values.ts';
import type { Fields, Node, Section, Setting } from './schema/define.ts';
import { plinthSchema, projectSchema } from './schema/index.ts';

const head = `# Configuration

<!-- Printed from the schema in src/config/schema by scripts/docs-config.ts; do not edit. -->

Plinth reads \`supabase/config.toml\` (or \`config.json\`, \`config.jsonc\`) with the keys of the upstream CLI, and its own
settings from \`supabase/plinth.toml\`. Strongest first: flags of the command, the environment, the file, the default.

- In the environment a key has the name of the tables and the key in upper case: \`[api] port\` is \`SUPABASE_API_PORT\`,
  and \`[branding] name\` of plinth.toml is \`PLINTH_BRANDING_NAME\`.
- A value \`env(NAME)\` is replaced by the variable NAME, whatever the type. Variables come from the shell, then from
  \`.env.<SUPABASE_ENV>.local\`, \`.env.local\`, \`.env.<SUPABASE_ENV>\`, \`.env\` in \`supabase/\`, then from the same files in
  the project folder; the first to set a name wins. SUPABASE_ENV is \`development\` unless set.
- Secrets may be encrypted with dotenvx; the keys come from \`DOTENV_PRIVATE_KEY\` and \`DOTENV_PRIVATE_KEY_*\`.
- Durations are written \`"30s"\`, \`"2m30s"\`, \`"24h"\`; sizes \`"500KB"\`, \`"50MiB"\` (every unit a power of 1024).
- Files are relative to \`supabase/\`, except \`auth.email.template.*.content_path\`: relative to the project folder.
- An unknown key is ignored with a warning. Everything else that is wrong is reported at once, with file and line.
- \`[remotes.NAME]\` repeats sections for a linked hosted project; it is checked, and changes nothing here.
`;

export function configDocument(): string {
  return [
    head,
    '## supabase/config.toml\n',
    ...sectionLines(projectSchema, []),
    '## supabase/plinth.toml\n',
    ...sectionLines(plinthSchema, []),
  ].join('\n');
}

function sectionLines(section: Section<Fields>, path: readonly string[]): string[] {
  const lines: string[] = [];
  const settings = Object.entries(section.fields).filter(
    (entry): entry is [string, Setting<unknown>] => entry[1].kind === 'setting',
  );
  if (path.length > 0 && settings.length > 0) {
    const alias = section.alias === undefined ? '' : ` Also \`[${section.alias}]\`.`;
    const pending = section.pending === undefined ? '' : ` Now: ${section.pending}.`;
    lines.push(`### [${path.join('.')}]\n`, `${section.help}${alias}${pending}\n`);
  }
  if (settings.length > 0) {
    lines.push('| key | type | default | what it does |', '| --- | --- | --- | --- |');
    for (const [key, setting] of settings) lines.push(settingLine(key, setting));
    lines.push('');
  }
  for (const [key, node] of Object.entries(section.fields)) lines.push(...nodeLines(node, [...path, key]));
  return lines;
}

function nodeLines(node: Node, path: readonly string[]): string[] {
  if (node.kind === 'section') return sectionLines(node, path);
  if (node.kind === 'setting') return [];
  const named = [...path, node.placeholder];
  if (node.value.kind === 'section') {
    if (Object.keys(node.value.fields).length === 0) return [`### [${named.join('.')}]\n`, `${node.help}\n`];
    return sectionLines({ ...node.value, help: node.help }, named);
  }
  return [
    `### [${path.join('.')}]\n`,
    `${node.help}\n`,
    '| key | type | default | what it does |',
    '| --- | --- | --- | --- |',
    settingLine(node.placeholder, node.value),
    '',
  ];
}

function settingLine(key: string, setting: Setting<unknown>): string {
  const name = setting.alias === undefined ? `\`${key}\`` : `\`${key}\`, \`${setting.alias}\``;
  const help =
    setting.ignored === undefined ? setting.help : `${setting.help} No effect here: ${setting.ignored}.`;
  const cells = [name, typeText(setting), defaultText(setting), help];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function typeText({ type }: Setting<unknown>): string {
  if (type.name === 'enum') return type.values.map((value) => `\`"${value}"\``).join(', ');
  if (type.name === 'integer' && type.max < 2 ** 31 - 1) return `number, ${type.min} to ${type.max}`;
  if (type.name === 'integer' && type.min > 0) return `number from ${type.min}`;
  const words: Partial<Record<typeof type.name, string>> = {
    integer: 'number',
    text: 'string',
    list: 'list of strings',
    path: 'file',
    any: 'any',
  };
  return words[type.name] ?? type.name;
}

function defaultText({ type, default: value, defaultText }: Setting<unknown>): string {
  if (defaultText !== undefined) return defaultText;
  if (value === undefined) return '-';
  if (type.name === 'duration') return `\`"${printDuration(value as number)}"\``;
  if (type.name === 'size') return `\`"${printSize(value as number)}"\``;
  return `\`${JSON.stringify(value)}\``;
}
