/** Detects older clients that need a response in an older format. */

/**
 * Whether the client fails if a bucket has a `type` field, as Python clients before storage3 0.12.1 (supabase 2.18.0)
 * do.
 */
export function predatesBucketType(
  clientInfo: string | string[] | undefined,
  userAgent: string | undefined,
): boolean {
  const info = typeof clientInfo === 'string' ? clientInfo : '';
  return (
    isBefore(/supabase-py\/(\d+)\.(\d+)\.(\d+)/i.exec(info), [2, 18, 0]) ||
    isBefore(/supabase-py\/storage3 v(\d+)\.(\d+)\.(\d+)/i.exec(userAgent ?? ''), [0, 12, 1])
  );
}

function isBefore(match: RegExpExecArray | null, version: readonly number[]): boolean {
  if (!match) return false;
  for (const [index, requested] of version.entries()) {
    const found = Number(match[index + 1]);
    if (found !== requested) return found < requested;
  }
  return false;
}
