/**
 * Checks `[remotes.NAME]`, which contains settings for linked servers, and applies them for commands that deploy to a
 * server. These settings have no effect locally.
 */
import type { Fields, Section } from '../schema/define.ts';
import { resolve } from './resolve.ts';
import type { Notice, RawTable } from './tree.ts';

export function checkRemotes(
  project: RawTable,
  schema: Section<Fields>,
): { faults: Notice[]; warnings: Notice[] } {
  const faults: Notice[] = [];
  const warnings: Notice[] = [];
  const remotes = project.get('remotes')?.value;
  if (!(remotes instanceof Map)) return { faults, warnings };

  const owners = new Map<string, string>();
  for (const [name, remote] of remotes as RawTable) {
    const key = `remotes.${name}`;
    if (!(remote.value instanceof Map)) {
      faults.push({
        ...(remote.location === undefined ? {} : { location: remote.location }),
        key,
        message: `must be a table: [${key}]`,
      });
      continue;
    }
    const ref = (remote.value as RawTable).get('project_id');
    const location = ref?.location ?? remote.location;
    const fault = (message: string) =>
      faults.push({ key: `${key}.project_id`, message, ...(location === undefined ? {} : { location }) });
    if (!/^[a-z]{20}$/.test(String(ref?.value)))
      fault('must be 20 lowercase letters, such as abcdefghijklmnopqrst');
    else if (owners.has(String(ref?.value)))
      fault(`must be unique, but is the same as in [${owners.get(String(ref?.value))}]`);
    owners.set(String(ref?.value), key);

    const checked = resolve(schema, remote.value as RawTable, {
      flags: {},
      environment: {},
      prefix: 'REMOTE',
      supabaseDir: '.',
      exists: () => false,
      privateKeys: [],
      numbersAreUnits: false,
      dropsUnset: false,
    });
    for (const warning of checked.warnings.filter(({ message }) => message.startsWith('unknown key'))) {
      warnings.push({ ...warning, key: `${key}.${warning.key}` });
    }
  }
  return { faults, warnings };
}

/**
 * Returns the settings for a linked server. As in upstream's CLI, the values in the `[remotes.NAME]` whose `project_id` is
 * the server's project ref replace the others. The project's own name stays the same.
 */
export function withRemote(project: RawTable, ref: string): RawTable {
  const remotes = project.get('remotes')?.value;
  if (!(remotes instanceof Map)) return project;
  for (const { value } of (remotes as RawTable).values())
    if (value instanceof Map && (value as RawTable).get('project_id')?.value === ref)
      return merged(project, new Map([...(value as RawTable)].filter(([key]) => key !== 'project_id')));
  return project;
}

function merged(below: RawTable, above: RawTable): RawTable {
  const result: RawTable = new Map(below);
  for (const [key, node] of above) {
    const before = below.get(key)?.value;
    const isTable = before instanceof Map && node.value instanceof Map;
    result.set(key, isTable ? { ...node, value: merged(before as RawTable, node.value as RawTable) } : node);
  }
  return result;
}
