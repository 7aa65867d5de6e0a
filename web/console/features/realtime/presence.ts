/** Computes the presences in a channel from `presence_state` and `presence_diff` frames. */

export type Presences = Readonly<Record<string, readonly unknown[]>>;

interface Entry {
  readonly metas?: readonly { readonly phx_ref?: string }[];
}
type Entries = Readonly<Record<string, Entry>>;

const metasOf = (entry: Entry | undefined): readonly { readonly phx_ref?: string }[] => entry?.metas ?? [];

/**
 * Returns the presences after a frame.
 *
 * @example
 * withFrame({}, 'presence_state', { ada: { metas: [{ phx_ref: '1' }] } }); // { ada: [{ phx_ref: '1' }] }
 */
export function withFrame(previous: Presences, event: string, payload: unknown): Presences {
  if (event === 'presence_state')
    return Object.fromEntries(
      Object.entries(payload as Entries).map(([key, entry]) => [key, metasOf(entry)]),
    );
  if (event !== 'presence_diff') return previous;
  const { joins = {}, leaves = {} } = payload as { joins?: Entries; leaves?: Entries };
  const next = new Map<string, readonly unknown[]>(Object.entries(previous));
  for (const [key, entry] of Object.entries(leaves)) {
    const gone = new Set(metasOf(entry).map(({ phx_ref }) => phx_ref));
    const left = (next.get(key) ?? []).filter((meta) => !gone.has((meta as { phx_ref?: string }).phx_ref));
    if (left.length === 0) next.delete(key);
    else next.set(key, left);
  }
  for (const [key, entry] of Object.entries(joins))
    next.set(key, [...(next.get(key) ?? []), ...metasOf(entry)]);
  return Object.fromEntries(next);
}
