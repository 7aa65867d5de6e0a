/** The test files that need a separate process, each with the reason. All other files share processes. */
export const apart: readonly string[] = [
  // Revokes a privilege in the whole cluster.
  'test/migrate/no-replica-role.test.ts',
  // Measures the memory of its process.
  'test/rest/large.test.ts',
  // These files start the command line in nearly every test, so sharing a process would hardly make them faster.
  'test/{backup,cli,crash,example,main,package,upgrade}/**/*.test.ts',
];

/** The files that replace a module with `vi.mock`. These files need a separate process too. */
export const mocked: readonly string[] = ['test/auth/enumeration.test.ts'];
