/** Clients that need another answer than today's, by the versions they name themselves. */

/** Python clients before storage3 0.12.1 (supabase 2.18.0) fail on the field `type` of a bucket. */
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
