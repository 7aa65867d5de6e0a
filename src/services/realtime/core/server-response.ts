/**
 * Whether an error is PostgreSQL's response to a statement. After any other error, the statement's outcome is unknown
 * or the server couldn't run the statement: either the connection was lost, or the error is in class 08 (connection),
 * 53 (resources) or 57 (shutdown) of appendix A in PostgreSQL's manual. In class 57, `57014` (a canceled statement)
 * counts as a response.
 */
export function isServerResponse(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  if (typeof code !== 'string' || !/^[0-9A-Z]{5}$/.test(code)) return false;
  return code === '57014' || !/^(08|53|57)/.test(code);
}
