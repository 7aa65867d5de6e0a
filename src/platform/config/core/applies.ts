/** Determines from the schema when a changed setting takes effect. */
import type { Applies, Fields, Node, Section } from '../schema/define.ts';
import { plinthSchema, projectSchema } from '../schema/index.ts';

/** `never` if the setting has no effect in Plinth. */
export type Effect = Applies | 'never';

/**
 * Returns when a change takes effect, for one setting or for all settings under a name such as `functions.hello`. Paths
 * of settings in plinth.toml begin with `plinth`. Returns undefined if the schema doesn't contain the path or doesn't
 * specify when a change takes effect.
 *
 * @example effectOf(['api', 'port']); // { restart: 'ports are opened at startup' }
 */
export function effectOf(path: readonly string[]): Effect | undefined {
  return path[0] === 'plinth' ? effectIn(plinthSchema, path.slice(1)) : effectIn(projectSchema, path);
}

function effectIn(schema: Section<Fields>, path: readonly string[]): Effect | undefined {
  let node: Node | undefined = schema;
  let inherited: Applies | undefined;
  for (const name of path) {
    if (node === undefined || node.kind === 'setting') return undefined;
    if (node.kind === 'section') {
      if (node.pending !== undefined) return 'never';
      inherited = node.applies ?? inherited;
      node = Object.hasOwn(node.fields, name) ? (node.fields as Fields)[name] : undefined;
    } else node = node.value;
  }
  if (node?.kind === 'section') return node.applies ?? inherited;
  return node?.kind === 'setting' ? effectOfSetting(node, inherited) : undefined;
}

export function effectOfSetting(
  { applies, ignored, pending }: Extract<Node, { kind: 'setting' }>,
  inherited: Applies | undefined,
): Effect | undefined {
  return ignored === undefined && pending === undefined ? (applies ?? inherited) : 'never';
}
