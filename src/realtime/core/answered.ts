/**
 * Whether an error is PostgreSQL's answer to what was asked. All others tell that it could not be asked or cannot answer at
 * the moment: no connection, classes 08 (connection), 53 (resources) and 57 (shutdown) of its manual's appendix A; of those
 * `57014`, a statement that took too long, is an answer.
 */
export function isAnswer(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  if (typeof code !== 'string' || !/^[0-9A-Z]{5}$/.test(code)) return false;
  return code === '57014' || !/^(08|53|57)/.test(code);
}
