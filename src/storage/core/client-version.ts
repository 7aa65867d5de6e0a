/** Detects client versions that need a different response. */

/** Python clients before storage3 0.12.1 (supabase 2.18.0) fail if a bucket has a `type` field. */
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
  for (const [index, wanted] of version.entries()) {
    const found = Number(match[index + 1]);
    if (found !== wanted) return found < wanted;
  }
  return false;
}
