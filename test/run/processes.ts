/** The test files that need a separate process, with reasons. All other files share processes. */
export const apart: readonly string[] = [
  // Replaces a module.
  'test/auth/enumeration.test.ts',
  // Revokes a privilege in the whole cluster.
  'test/migrate/no-replica-role.test.ts',
  // Measures the memory of its process.
  'test/rest/large.test.ts',
  // These files start the command line for nearly every test, so they would gain little from sharing a process.
  'test/{backup,cli,crash,example,main,package,project,upgrade}/**/*.test.ts',
];
