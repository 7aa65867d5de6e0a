/** Reads the options of an MCP endpoint's URL, which have upstream's names. */
import { ManagementError } from '../management/handlers.ts';
import { defaultFeatures, type Feature, features, type McpOptions } from './types.ts';

/**
 * Returns the options. If the URL doesn't contain `read_only`, the session is read-only unless the operator has allowed
 * changes when connecting the client.
 * @throws {ManagementError} 400
 *
 * @example optionsOf({ features: 'database,docs' }); // { isReadOnly: true, features: ['database', 'docs'] }
 */
export function optionsOf(query: Readonly<Record<string, unknown>>, allowsChanges = false): McpOptions {
  const { read_only: readOnly = String(!allowsChanges), features: wanted, project_ref: ref } = query;
  if (readOnly !== 'true' && readOnly !== 'false')
    throw new ManagementError(400, 'read_only must be true or false.');
  if (ref !== undefined && !/^[a-z]{20}$/.test(String(ref)))
    throw new ManagementError(400, 'project_ref must be the ref of the project or of a branch.');
  const branchRef = ref === undefined ? {} : { branchRef: String(ref) };
  if (wanted === undefined)
    return { isReadOnly: readOnly === 'true', features: defaultFeatures, ...branchRef };
  const names = String(wanted)
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const unknown = names.find((name) => !(features as readonly string[]).includes(name));
  if (unknown !== undefined)
    throw new ManagementError(400, `Unknown feature ${unknown}. Features: ${features.join(', ')}.`);
  return { isReadOnly: readOnly === 'true', features: names as Feature[], ...branchRef };
}
